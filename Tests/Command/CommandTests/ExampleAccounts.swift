import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrimitives
import ApplePayPrograms
import Foundation

@testable import paytoken

/// Creates the requests of examples in this process, with secrets of the test.
struct ExampleAccounts {
    /// The time that is signed.
    static let date = Date(timeIntervalSince1970: 1_795_249_800)

    private let payment: Payment

    init(_ folder: RequestFolder) throws { payment = try folder.payment(isWrapped: true) }

    /// Reads an account; each secret is the name of its variable or the path of its file, in base64.
    static func account(_ text: String) throws -> GatewayAccount {
        try account(text) { source in
            let name =
                switch source {
                case .environment(let name): name
                case .file(let path): path
                }
            guard !name.hasPrefix("-----") else { return SensitiveBytes(copying: name.utf8.span) }
            let text = Data(name.utf8).base64EncodedString()
            return SensitiveBytes(copying: text.utf8.span)
        }
    }

    /// Reads an account with these secrets.
    static func account(
        _ text: String, _ secrets: @escaping SecretReader
    ) throws -> GatewayAccount {
        let value = try AnswerValue(Array(text.utf8))
        guard let gateway = DeclaredGateway.named(value["gateway"]?.string ?? "") else {
            throw FileError(path: "gateway", reason: "is unknown")
        }
        return try gateway.account(FileValue(value, secrets: secrets))
    }

    /// Returns the order of a text.
    static func order(_ text: String) throws -> Order {
        try OrderFile.order(AnswerValue(Array(text.utf8)), needsReference: true)
    }

    /// Returns the request of an account.
    func request(
        _ example: ExampleRequest, of account: ExampleRequest.Account?, order: String? = nil
    ) throws -> GatewayRequest {
        guard let account else { throw FileError(path: "", reason: "does nothing") }
        return try example.request(
            of: account, for: Self.order(order ?? example.order), payment, at: Self.date)
    }

    /// Returns the whole request of a gateway file and an order file, secrets included, or the reason of a refusal.
    func text(
        _ example: ExampleRequest, account: String? = nil, order: String? = nil
    ) -> String {
        do {
            let account = try Self.account(account ?? example.account).example
            return Self.text(try request(example, of: account, order: order))
        } catch let fault as FileError {
            return "refused: \(fault.path) \(fault.reason)"
        } catch {
            return "refused: \(error)"
        }
    }

    /// Returns the whole request, secrets included.
    static func text(_ request: GatewayRequest) -> String {
        let headers = request.headers.map { "\($0.name): \($0.revealValue())\n" }.joined()
        return "\(request.method) \(request.url)\n\(headers)\n\(request.body?.revealText() ?? "")"
    }
}
