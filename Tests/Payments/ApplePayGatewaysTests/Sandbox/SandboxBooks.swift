import Foundation
import FoundationNetworking
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
