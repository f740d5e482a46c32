import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken request")
struct RequestCommandTests {
    /// Payments whose request another client can send.
    private static let examples = ExampleGateway.all.flatMap(\.requests)
        .filter { $0.isPayment && !["dintero", "rbs"].contains($0.gateway) }

    @Test(
        "prints the body that the library writes, with its address and headers for people",
        arguments: ExampleGateway.all.map(\.name))
    func body(_ name: String) throws {
        try RequestFolder.with { folder in
            let merchant = ExampleMerchant(secret: "top-secret")
            for example in Self.examples where example.gateway == name {
                guard case .payments(let gateway) = try example.library(merchant) else { continue }
                let request = try gateway.paymentRequest(
                    folder.payment(), for: ExampleAccounts.order(example.order))
                let run = try folder.run(example)
                #expect(run.status == 0, "\(name) \(run.error)")
                #expect(run.output == request.body?.revealText(), "\(name)")
                #expect(
                    run.error.contains("nothing was sent; send it with POST \(request.url), "))
                #expect(run.error.contains("and your credentials."))
                for header in request.headers {
                    #expect(run.error.contains("\(header.name): \(header.revealValue())"))
                }
                for secret in ["top-secret", "4761120010000492", "jiSRYgf6G2rj", "eyJ"] {
                    #expect(!run.error.contains(secret), "\(name)")
                }
            }
        }
    }

    @Test("needs no secret, and nothing that verifies messages")
    func secrets() throws {
        try RequestFolder.with { folder in
            let example = try #require(Self.examples.first { $0.gateway == "bepaid" })
            #expect(!example.account.contains("webhooks"))
            let plain = try folder.run(example)
            let words = try folder.words(example)
            _ = try folder.file(
                "gateway.json",
                example.account.replacing(
                    "{", with: #"{"webhooks":{"publicKey":{"env":"ABSENT"}},"#, maxReplacements: 1))
            let run = try Command(["request"] + words)
            #expect(run.status == 0 && run.output == plain.output, "\(run.error)")
        }
    }

    @Test("claims the transaction and not the order, and only what it could write")
    func claims() throws {
        try RequestFolder.with { folder in
            let example = try #require(Self.examples.first { $0.gateway == "worldline-direct" })
            let ledger = "\(folder.path)/claims"
            let made = try Command(["ledger", "init", "--window", "300", "--ledger", ledger])
            #expect(made.status == 0, "\(made.error)")
            let claiming = ["--ledger", ledger]
            // What cannot be written claims nothing.
            _ = try folder.file("less.json", example.order.replacing("3000", with: "2999"))
            var words = try folder.words(example) + claiming
            let order = try #require(words.firstIndex(of: "--order"))
            words[order + 1] = "\(folder.path)/less.json"
            let refused = try Command(
                ["request"] + words, environment: RequestFolder.environment)
            #expect(
                refused.status == 1 && refused.error.contains("The payment is not for this order"))
            #expect(refused.output.contains(#""stage":"order","code":"order-mismatch""#))
            let first = try folder.run(example, more: claiming)
            #expect(first.status == 0 && first.output.contains("decryptedPaymentData"))
            #expect(first.error.contains("The transaction is claimed, the order is not"))
            let again = try folder.run(example, more: claiming)
            #expect(again.status == 1 && !again.output.contains("decryptedPaymentData"))
            #expect(again.output.contains(#""stage":"replay","code":"already-claimed""#))
            // Another token for the same order gives another body.
            let other = try RequestFolder.with(named: "another") { another in
                try another.run(example, more: claiming)
            }
            #expect(other.status == 0 && other.output.contains("decryptedPaymentData"))
            // Without a ledger, the same token gives the same body.
            let free = try folder.run(example)
            #expect(free.output == first.output && free.error.contains("Nothing was claimed"))
        }
    }

    @Test("refuses what another client cannot send, and names pay", arguments: ["dintero", "rbs"])
    func onlyPay(_ name: String) throws {
        try RequestFolder.with { folder in
            let all = ExampleGateway.all.flatMap(\.requests)
            for example in all where example.gateway == name && example.isPayment {
                let run = try folder.run(example)
                #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
                #expect(
                    run.error.contains("only pay can send a payment of \(name)"), "\(run.error)")
            }
        }
    }

    @Test("reports a wrong command line, wrong files and keys")
    func usage() throws {
        try RequestFolder.with { folder in
            _ = try folder.file("checkout.json", Self.checkout("SECRET"))
            _ = try folder.file("broken.json", "{")
            _ = try folder.file(
                "intergiro.json",
                #"{"gateway":"intergiro","environment":"test","credentials":{"apiKey":{"env":"SECRET"}}}"#
            )
            let order = "--order FOLDER/order.json"
            for (words, status, sentence) in [
                ("", 2, "request needs --gateway FILE, --order FILE and --keys PATH."),
                (
                    "a b --gateway g \(order) --keys k", 2,
                    "one file at a time, not both a and b: leave out one of them."
                ),
                (
                    "--gateway FOLDER/intergiro.json \(order) --keys k", 2,
                    "intergiro makes no payments; it adds cards to Wallet."
                ),
                (
                    "--gateway FOLDER/checkout.json \(order) --keys k --batch", 2,
                    "--batch is not an option here"
                ),
                ("--gateway /nowhere \(order) --keys k", 3, "/nowhere cannot be read"),
                (
                    "--gateway FOLDER/broken.json \(order) --keys k", 2,
                    "broken.json is not a gateway file: "
                ),
                (
                    "--gateway FOLDER/order.json \(order) --keys k", 2,
                    "order.json is not a gateway file; it is an order. `paytoken gateway list` lists"
                ),
                (
                    "--gateway FOLDER/checkout.json --order FOLDER/unnamed.json --keys k", 2,
                    "unnamed.json is not an order: its member reference is missing"
                ),
                (
                    "--gateway FOLDER/checkout.json \(order) --keys FOLDER/nothing", 3,
                    "nothing cannot be read"
                ),
            ] {
                let run = try folder.run("request \(words)")
                #expect(run.status == status && run.output.isEmpty, "\(words) \(run.output)")
                #expect(run.error.contains(sentence), "\(words): \(run.error)")
            }
        }
    }

    @Test("refuses a token that is not Apple's, with exit 1")
    func refusal() throws {
        try RequestFolder.with { folder in
            _ = try folder.file("checkout.json", Self.checkout("SECRET"))
            let run = try folder.run(
                "request FOLDER/token.json --any-age --gateway FOLDER/checkout.json "
                    + "--order FOLDER/order.json", more: folder.keys)
            #expect(run.status == 1 && run.output.contains(#""stage":"chain""#))
        }
    }

    @Test("reads a secret from a file, without the end of its last line")
    func secretFile() throws {
        try RequestFolder.with { folder in
            let account =
                #"{"gateway":"checkout","environment":"test","account":{"identifier":"s"},"credentials":{"secretKey":{"file":"PATH"}}}"#
            for text in ["top-secret", "top-secret\n", "top-secret\r\n"] {
                let path = try folder.file("key", text)
                let file = try folder.file("file.json", account.replacing("PATH", with: path))
                let (read, _) = try GatewayFile.read(file, secrets: GatewayFile.secret)
                let request = try #require(read.gateway).status(
                    of: PaymentAttempt(
                        try ExampleAccounts.order(ExampleRequest.order), key: "k")
                ).request(at: Date())
                #expect(
                    request.headers.map { "\($0.name): \($0.revealValue())" }
                        .contains("Authorization: Bearer top-secret"))
            }
            for text in ["", "\n", "\r\n"] {
                let path = try folder.file("key", text)
                let file = try folder.file("file.json", account.replacing("PATH", with: path))
                let failure = #expect(throws: CommandFailure.self) {
                    try GatewayFile.read(file, secrets: GatewayFile.secret)
                }
                #expect(failure?.status == .means)
                #expect(
                    failure?.message.contains(
                        "credentials.secretKey names a file that cannot be used: \(path) is empty; write the secret to it."
                    ) == true)
            }
        }
    }

    private static func checkout(_ variable: String) -> String {
        #"{"gateway":"checkout","environment":"test","account":{"identifier":"s"},"credentials":{"secretKey":{"env":"\#(variable)"}}}"#
    }
}
