import Foundation
import FoundationNetworking
import TestVectors
import Testing

/// A payment in the sandbox's books.
struct SandboxEntry: Decodable, Equatable {
    let gateway: String
    let id: String
    let reference: String?
    let currency: String?
    let authorized: Int64?
    let captured: Int64?
    let refunded: Int64?
    let requests: Int
    var isForeign: Bool?

    /// The amounts: reserved, captured, given back.
    var amounts: [Int64?] { [authorized, captured, refunded] }
}

extension SandboxProcess {
    /// Returns the payments that the sandbox accepted, in order.
    func books() async throws -> [SandboxEntry] {
        let url = try #require(URL(string: "\(origin)/sandbox/payments"))
        let (data, _) = try await URLSession.shared.data(from: url)
        return try JSONDecoder().decode([SandboxEntry].self, from: data)
    }

    /// Returns the references of the payments that the sandbox makes later.
    func lateReferences() async throws -> [String] {
        let url = try #require(URL(string: "\(origin)/sandbox/late"))
        let (data, _) = try await URLSession.shared.data(from: url)
        return try JSONDecoder().decode([String].self, from: data)
    }

    /// Sends a request that only the sandbox has; returns the status and the members of the answer.
    func send(
        _ name: String, _ members: [String: Any]
    ) async throws -> (status: Int, answer: [String: Any]) {
        var request = URLRequest(url: try #require(URL(string: "\(origin)/sandbox/\(name)")))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: members)
        let (data, answer) = try await URLSession.shared.data(for: request)
        let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
        return (status, try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:])
    }

    /// Opens the address at which the customer decides, and returns the page.
    @discardableResult
    func visit(_ address: URL?, decision: String = "confirm") async throws -> String {
        let address = try #require(address)
        let url = try #require(URL(string: "\(address.absoluteString)?decision=\(decision)"))
        let (data, answer) = try await URLSession.shared.data(from: url)
        #expect((answer as? HTTPURLResponse)?.statusCode == 200)
        return String(decoding: data, as: UTF8.self)
    }
}
