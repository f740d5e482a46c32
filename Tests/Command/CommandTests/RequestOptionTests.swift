import ApplePayGatewayFiles
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The options of steps")
struct RequestOptionTests {
    /// Parts that a step takes although they do not change its request, because the request has no key, and no amount.
    private static let idle: [String: Set<StepInput.Part>] = [
        "rbs capture": [.order, .operation], "rbs cancel": [.order, .operation],
        "dintero cancel": [.order, .operation], "worldline-direct page-status": [.order],
        "worldline-connect page-status": [.order], "bepaid checkout-payment": [.order],
        "dintero operations": [.order], "dintero pay": [.order],
        "dintero session-status": [.order],
    ]

    /// The values with which a part is tried; each must make another request.
    private static func values(_ part: StepInput.Part, _ folder: RequestFolder) throws -> [String] {
        switch part {
        case .token: []
        case .order:
            try ["N-1", "N-2"].map { name in
                try folder.file(
                    "\(name).json",
                    #"{"reference":"\#(name)","amount":3000,"currency":"EUR","description":"d","#
                        + #""returnURL":"https://shop.example/r"}"#)
            }
        case .amount: ["7", "8"]
        case .isFinal: ["true", "false"]
        case .previous:
            ["operations.json", "other-operations.json"].map { "\(folder.path)/\($0)" }
        // Variables of this process.
        case .accessToken: ["HOME", "PATH"]
        default: ["A-1", "A-2"]
        }
    }

    @Test("all have an effect, and each value another", arguments: ExampleGateway.all.map(\.name))
    func effects(_ gateway: String) throws {
        try RequestFolder.with { folder in
            let accounts = try ExampleAccounts(folder)
            let examples = ExampleGateway.all.flatMap(\.commands).filter { $0.gateway == gateway }
            for example in examples {
                let step = try #require(example.declaration)
                for part in step.needs + step.takes {
                    guard let option = part.option else { continue }
                    let results = try Self.values(part, folder).map { value in
                        accounts.text(example, replacing: option, with: value)
                    }
                    let name = "\(gateway) \(step.name)"
                    // A query by the payment's identifier says nothing of the order.
                    let isQuery =
                        step.name == "status" && example.options.contains("--payment-id")
                    let isIdle =
                        isQuery && part == .order || Self.idle[name]?.contains(part) == true
                    #expect(Set(results).count == (isIdle ? 1 : results.count), "\(name) \(option)")
                    #expect(results.allSatisfy { !$0.hasPrefix("refused") }, "\(name) \(results)")
                }
            }
        }
    }

    @Test("belong to one step each: every other option is refused")
    func others() throws {
        try RequestFolder.with { folder in
            for example in ExampleGateway.all.flatMap(\.commands) {
                let step = try #require(example.declaration)
                let secret = #"{"file":"\#(folder.path)/base64"}"#
                _ = try folder.file("base64", "dG9wLXNlY3JldA==")
                let account = example.account.replacing(#"{"env":"SECRET"}"#, with: secret)
                    .replacing(#"{"env":"SECRET_BASE64"}"#, with: secret)
                let words = try folder.words(example, account: account)
                let other = Arguments.stepOptions.first { !step.options.contains($0) }
                let option = try #require(other)
                let failure = #expect(throws: CommandFailure.self) {
                    try RequestCommand(
                        Arguments(words + [option.name, "1"], RequestCommand.options))
                }
                #expect(
                    failure?.message
                        == "\(option) is not an option of the step \(step.name) of \(example.gateway); leave it out.",
                    "\(failure?.message ?? "")")
            }
        }
    }
}

/// Creates the requests of examples in this process, with secrets of the test.
struct ExampleAccounts {
    let folder: RequestFolder
    private let payment: Payment
    private let token: VerifiedToken

    init(_ folder: RequestFolder) throws {
        self.folder = folder
        (payment, token) = try folder.payments(isWrapped: true)
    }

    /// Reads an account; each secret is the name of its variable or the path of its file, in base64.
    static func account(_ text: String) throws -> GatewayAccount {
        let value = try AnswerValue(Array(text.utf8))
        let name = value["gateway"]?.string ?? ""
        guard let gateway = DeclaredGateway.named(name) else {
            throw FileError(path: "gateway", reason: "is unknown")
        }
        return try gateway.account(
            FileValue(value) { source in
                let name =
                    switch source {
                    case .environment(let name): name
                    case .file(let path): path
                    }
                guard !name.hasPrefix("-----") else {
                    return SensitiveBytes(copying: name.utf8.span)
                }
                let text = Data(name.utf8).base64EncodedString()
                return SensitiveBytes(copying: text.utf8.span)
            })
    }

    /// Returns the request.
    ///
    /// - Parameters:
    ///   - example: The example.
    ///   - account: Another gateway file.
    ///   - order: Another order file.
    ///   - option: An option that gets another value.
    ///   - value: The value.
    /// - Returns: The request.
    /// - Throws: The fault of a file, or a refusal.
    func request(
        _ example: ExampleCommand, account: String? = nil, order: String? = nil,
        replacing option: CommandOption? = nil, with value: String = ""
    ) throws -> GatewayRequest {
        var words = example.options.map {
            // A variable of this process.
            $0 == "SECRET" ? "HOME" : $0.replacing("FOLDER", with: folder.path)
        }
        if let order = order ?? example.order {
            words += ["--order", try folder.file("stated.json", order)]
        }
        words += RequestFolder.date
        if let option {
            if let index = words.firstIndex(of: option.name) {
                words.removeSubrange(index...index + 1)
            }
            words += [option.name, value]
        }
        let account = try Self.account(account ?? example.account)
        let step = try account.step(example.step)
        let arguments = try Arguments(words, RequestCommand.options)
        var input = try arguments.input(arguments.orderFromFile())
        if example.takesToken {
            let attempt = try #require(input.attempt)
            let order = try #require(input.order)
            input.payment =
                account.form == .encrypted
                ? try AcceptedPayment(unclaimed: token, order: order, attempt: attempt)
                : try AcceptedPayment(unclaimed: payment, order: order, attempt: attempt)
        }
        return try step.request(input)
    }

    /// Returns the whole request, secrets included, or the reason of a refusal.
    func text(
        _ example: ExampleCommand, account: String? = nil, order: String? = nil,
        replacing option: CommandOption? = nil, with value: String = ""
    ) -> String {
        do {
            let request = try request(
                example, account: account, order: order, replacing: option, with: value)
            // The configuration for curl has a limit; the request has none.
            let headers = request.headers.map { "\($0.name): \($0.revealValue())\n" }.joined()
            return
                "\(request.method) \(request.url)\n\(headers)\n\(request.body?.revealText() ?? "")"
        } catch let fault as FileError {
            return "refused: \(fault.path) \(fault.reason)"
        } catch {
            return "refused: \(error)"
        }
    }
}
