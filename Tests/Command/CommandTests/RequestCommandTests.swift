import ApplePayGatewayFiles
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken request")
struct RequestCommandTests {
    private static let examples = ExampleGateway.all.flatMap(\.commands)

    @Test("has examples for every step of every gateway, and for both forms of tokens")
    func complete() {
        let declared = DeclaredGateway.all.flatMap { gateway in
            gateway.steps.map { "\(gateway.name) \($0.name)" }
        }
        #expect(Set(Self.examples.map { "\($0.gateway) \($0.step)" }) == Set(declared))
        for gateway in DeclaredGateway.all {
            let forms = Self.examples
                .filter { $0.gateway == gateway.name && $0.step == "payment" }
                .map(\.isEncrypted)
            #expect(Set(forms).count == gateway.abilities?.forms.count ?? 0, "\(gateway.name)")
        }
    }

    @Test("makes every request of every gateway, masked when it is printed whole")
    func steps() throws {
        try RequestFolder.with { folder in
            for example in Self.examples {
                let name: Comment = "\(example.gateway) \(example.step)"
                let printed = try folder.run(example)
                #expect(printed.status == 0, "\(name) \(printed.error) \(printed.output)")
                if let fragment = example.fragment {
                    #expect(printed.output.contains(fragment), "\(name) \(printed.output)")
                    #expect(!printed.output.hasSuffix("\n"), name)
                } else {
                    #expect(printed.output.isEmpty, name)
                    #expect(printed.error.contains("no body"), name)
                }
                let whole = try folder.run(example, more: ["--dry-run-http"])
                #expect(
                    whole.output.hasPrefix("\(example.line)\n"),
                    "\(name) \(whole.output)\(whole.error)")
                for secret in ["top-secret", "4761120010000492", "jiSRYgf6G2rj", "eyJ"] {
                    #expect(!whole.output.contains(secret), name)
                }
            }
        }
    }

    @Test(
        "makes the request that the library makes, byte for byte",
        arguments: ExampleGateway.all.map(\.name))
    func library(_ gateway: String) throws {
        try RequestFolder.with { folder in
            let merchant = ExampleMerchant(secret: "top-secret")
            let (payment, token) = try folder.payments()
            for example in Self.examples where example.gateway == gateway {
                let options = example.options.map {
                    // A variable of this process.
                    $0 == "SECRET" ? "HOME" : $0.replacing("FOLDER", with: folder.path)
                }
                let arguments = try Arguments(options + RequestFolder.date, RequestCommand.options)
                let order = try example.order.map {
                    try OrderFile.order(folder.file("library.json", $0))
                }
                var input = try arguments.input(order)
                if example.takesToken {
                    let order = try #require(input.order)
                    let attempt = try #require(input.attempt)
                    input.payment =
                        example.isEncrypted
                        ? try AcceptedPayment(unclaimed: token, order: order, attempt: attempt)
                        : try AcceptedPayment(unclaimed: payment, order: order, attempt: attempt)
                }
                let made = try CurlConfiguration.text(example.library(merchant, input))
                let sent = try folder.run(example, more: RequestFolder.date + ["--curl"])
                #expect(
                    sent.output == made.revealText(), "\(gateway) \(example.step) \(sent.error)")
            }
        }
    }

    @Test("uses the vendor's servers in each environment, and another origin instead of them")
    func servers() throws {
        try RequestFolder.with { folder in
            for example in Self.examples where example.step != "payment" || !example.takesToken {
                var account = example.account
                for word in ["live", "test"] {
                    account = account.replacing(
                        #""environment":"\#(word)""#,
                        with: #""environment":"\#(word)","origin":"http://127.0.0.1:8080""#)
                }
                guard account != example.account else { continue }
                let run = try folder.run(example, account: account, more: ["--dry-run-http"])
                let path = example.line.split(separator: "/", maxSplits: 2).last ?? ""
                let method = example.line.prefix { $0 != " " }
                #expect(
                    run.output.hasPrefix("\(method) http://127.0.0.1:8080/\(path)\n"),
                    "\(example.gateway) \(example.step) \(run.output)\(run.error)")
                let only = account.replacing(#""environment":"live","#, with: "")
                    .replacing(#""environment":"test","#, with: "")
                let same = try folder.run(example, account: only, more: ["--dry-run-http"])
                #expect(
                    same.output.split(separator: "\n").first
                        == run.output.split(separator: "\n").first)
            }
        }
    }

    private static let files = [
        "checkout.json":
            #"{"gateway":"checkout","environment":"test","credentials":{"secretKey":{"env":"SECRET"}}}"#,
        "paypal.json":
            #"{"gateway":"paypal","environment":"test","credentials":{"clientId":"c","clientSecret":{"env":"SECRET"}}}"#,
        "dintero.json":
            #"{"gateway":"dintero","environment":"test","account":{"accountId":"T12345678"},"#
            + #""credentials":{"clientId":"c","clientSecret":{"env":"SECRET"}}}"#,
        "direct.json":
            #"{"gateway":"worldline-direct","environment":"test","token":"encrypted","account":{"merchantId":"m"},"#
            + #""credentials":{"apiKeyId":"k","secretApiKey":{"env":"SECRET"}}}"#,
        "bepaid.json":
            #"{"gateway":"bepaid","environment":"test","account":{"shopId":"361"},"#
            + #""credentials":{"secretKey":{"env":"SECRET"}}}"#,
    ]

    private func withFiles(_ body: (RequestFolder) throws -> Void) throws {
        try RequestFolder.with { folder in
            for (name, text) in Self.files { _ = try folder.file(name, text) }
            try body(folder)
        }
    }

    @Test("reports a wrong command line, with exit 2")
    func usage() throws {
        try withFiles { folder in
            for (words, sentence) in [
                (
                    "--gateway FOLDER/checkout.json",
                    "request needs the name of a step; `paytoken gateway steps checkout`"
                ),
                ("payment", "request needs --gateway FILE."),
                (
                    "pament --gateway FOLDER/checkout.json",
                    "checkout has no step pament; did you mean payment? its steps are payment, status and search."
                ),
                (
                    "payment --gateway FOLDER/checkout.json",
                    "the step payment of checkout needs --order FILE and --keys PATH."
                ),
                (
                    "payment --gateway FOLDER/paypal.json --curl",
                    "the step payment of paypal needs --order FILE, --keys PATH and --access-token-env VARIABLE."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --order FOLDER/order.json",
                    "the step payment of checkout needs --keys PATH."
                ),
                (
                    "status --gateway FOLDER/checkout.json --payment-id p",
                    "the step status of checkout needs --order FILE."
                ),
                (
                    "status --gateway FOLDER/checkout.json",
                    "the step status of checkout needs --order FILE and --payment-id ID."
                ),
                (
                    "status --gateway FOLDER/checkout.json --order FOLDER/order.json --payment-id p FOLDER/token.json",
                    "the step status takes no token; leave out "
                ),
                (
                    "status --gateway FOLDER/checkout.json --order FOLDER/order.json --payment-id p --keys k",
                    "the step status takes no token; leave out --keys."
                ),
                (
                    "search --gateway FOLDER/checkout.json --order FOLDER/order.json --payment-id p",
                    "--payment-id is not an option of the step search of checkout; leave it out."
                ),
                (
                    "payment a b --gateway FOLDER/checkout.json --order FOLDER/order.json --keys k",
                    "one token at a time: leave out b."
                ),
                (
                    "login --gateway FOLDER/paypal.json --order FOLDER/order.json",
                    "--order is not an option of the step login of paypal; leave it out."
                ),
                (
                    "status --gateway FOLDER/paypal.json --order FOLDER/order.json --payment-id o --curl",
                    "the step status of paypal needs --access-token-env VARIABLE."
                ),
                (
                    "search --gateway FOLDER/checkout.json --order FOLDER/order.json --curl --dry-run-http",
                    "give only one of --dry-run-http and --curl."
                ),
                (
                    "validate-merchant --gateway FOLDER/bepaid.json",
                    "the step validate-merchant of bepaid needs --access-token-env VARIABLE and --url URL."
                ),
                (
                    "search --gateway FOLDER/checkout.json --order FOLDER/order.json --date now",
                    "--date takes a time such as"
                ),
                (
                    "capture --gateway FOLDER/bepaid.json --order FOLDER/order.json --payment-id p --operation o --amount x",
                    "--amount takes a whole number of minor units, such as 1099 for 10.99 EUR, not x."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --step pay",
                    "--step is not an option here"
                ),
                (
                    "payment --gateway FOLDER/checkout.json --keys k --batch",
                    "each line of --batch is another order, with a reference of its own; add --envelopes, and "
                        + "state the reference in each line."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --keys k --envelopes --order FOLDER/order.json",
                    "--envelopes needs --batch."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --keys k --batch --envelopes --order FOLDER/order.json",
                    "--order sets one value for all lines, but with --envelopes each line has its own"
                ),
                (
                    "payment --gateway FOLDER/checkout.json --keys k --batch --envelopes --key a",
                    "--key is for one request; leave out --key or --batch."
                ),
                (
                    "payment --gateway FOLDER/checkout.json --keys k --batch --envelopes --curl",
                    "--curl is for one request; leave out --curl or --batch."
                ),
                (
                    "search --gateway FOLDER/checkout.json --order FOLDER/order.json --batch --envelopes",
                    "the step search takes no token; leave out --batch."
                ),
            ] {
                let refused = try folder.run("request \(words)")
                #expect(refused.status == 2 && refused.output.isEmpty, "\(words) \(refused.error)")
                #expect(refused.error.contains(sentence), "\(words): \(refused.error)")
            }
        }
    }

    @Test(
        "reports wrong keys, files and variables, with exit 3, or 2 for a member of a file"
    )
    func means() throws {
        try withFiles { folder in
            _ = try folder.file(
                "oops.json",
                Self.files["checkout.json"]?.replacing("SECRET", with: "sk_live_oops") ?? "")
            _ = try folder.file("broken.json", "{")
            for (words, sentence) in [
                (
                    "status --gateway FOLDER/paypal.json --order FOLDER/order.json --payment-id o "
                        + "--access-token-env sk_live_oops",
                    "the named variable is not set or is empty; its name is not repeated here"
                ),
                (
                    "search --gateway FOLDER/oops.json --order FOLDER/order.json",
                    "its member credentials.secretKey names an environment variable that is not set or is empty; set it for this command"
                ),
                ("search --gateway /nowhere --order FOLDER/order.json", "/nowhere cannot be read"),
                (
                    "search --gateway FOLDER/broken.json --order FOLDER/order.json",
                    "broken.json is not a gateway file: "
                ),
                (
                    "search --gateway FOLDER/order.json --order FOLDER/order.json",
                    "order.json is not a gateway file: its member gateway must be "
                        + "\(DeclaredGateway.all.map(\.name).alternatives)."
                ),
                (
                    "search --gateway FOLDER/checkout.json --order FOLDER/unnamed.json",
                    "unnamed.json is not an order: its member reference is missing"
                ),
                (
                    "search --gateway FOLDER/checkout.json --order FOLDER/operations.json",
                    "is not an order: its member operations is unknown; this file can have reference, amount,"
                ),
            ] {
                let failed = try folder.run("request \(words)")
                let isWrongFile =
                    ["is not a gateway file", "is not an order", "cannot be used: its member"]
                    .contains(where: failed.error.contains)
                    && !failed.error.contains(" names ")
                #expect(
                    failed.status == (isWrongFile ? 2 : 3) && failed.output.isEmpty,
                    "\(words) \(failed.output)")
                #expect(failed.error.contains(sentence), "\(words): \(failed.error)")
                #expect(!failed.error.contains("sk_live_oops"), "\(words)")
            }
        }
    }

    @Test("refuses an answer to the step before that does not name the address for the token")
    func previous() throws {
        try withFiles { folder in
            for file in ["web.json", "one.pem", "order.json"] {
                let refused = try folder.run(
                    "request payment --gateway FOLDER/dintero.json --order FOLDER/order.json "
                        + "--previous FOLDER/\(file)", more: folder.token)
                #expect(refused.status == 2 && refused.output.isEmpty)
                let fault =
                    file == "one.pem"
                    ? "The text is not JSON."
                    : "The member operations.submit-dintero-psp-applepay is missing."
                #expect(
                    refused.error.contains(
                        "/\(file) is not the body of the answer to the step operations: \(fault)"),
                    "\(refused.error)")
            }
        }
    }

    @Test("names each line's order as its envelope does, or refuses the envelope")
    func references() throws {
        try RequestFolder.with { folder in
            let token = try String(contentsOfFile: "\(folder.path)/token.json", encoding: .utf8)
            let time = TestPKI.useTime.formatted(.iso8601)
            let order =
                #""amount":3000,"currency":"EUR","description":"d","returnURL":"https://a.example""#
            let input = [
                #"{"id":1,"reference":"N-1","order":{\#(order)}"#,
                #"{"id":2,"order":{"reference":"N-2",\#(order)}"#,
                #"{"id":3,"order":{\#(order)}"#, #"{"id":4,"reference":"N-4""#,
                #"{"id":5,"reference":"N\u0001","order":{\#(order)}"#,
            ].map { #"\#($0),"at":"\#(time)","token":\#(token)}"# }.joined(separator: "\n")
            let examples = Self.examples.filter {
                $0.step == "payment" && $0.takesToken && $0.gateway != "dintero"
            }
            for example in examples {
                let words = [
                    "payment", "--gateway", try folder.file("gateway.json", example.account),
                    "--batch", "--envelopes", "--test-trust-anchor", "\(folder.path)/root.pem",
                ]
                let batch = try Command(
                    ["request"] + words + folder.keys, input: input,
                    environment: RequestFolder.environment)
                let lines = batch.output.split(separator: "\n")
                try #require(lines.count == 5, "\(words) \(batch.error)")
                for (line, name) in zip(lines, ["N-1", "N-2"]) {
                    #expect(line.contains(#""status":"ok""#), "\(words) \(line)")
                    #expect(line.contains(#""\#(name)""#), "\(line)")
                }
                #expect(
                    lines[2].contains(
                        "The envelope's reference is missing; each line is another order"))
                #expect(lines[3].contains("The envelope's order is missing"), "\(lines[3])")
                for line in lines[2...3] {
                    #expect(line.contains(#""stage":"json","code":"invalid-envelope""#), "\(line)")
                }
                #expect(
                    lines[4].contains(#""stage":"order","code":"invalid-reference""#),
                    "\(lines[4])")
            }
        }
    }

    @Test("compares an encrypted token with the order if keys decrypt it, and warns if none do")
    func comparison() throws {
        try withFiles { folder in
            let words = "request payment --gateway FOLDER/direct.json --order FOLDER/"
            let other = #"{"reference":"r","amount":1,"currency":"USD"}"#
            _ = try folder.file("other.json", other)
            let closed = try folder.run(words + "order.json", more: folder.token)
            #expect(closed.status == 0 && closed.error.contains("not compared with the order"))
            let unknown = try folder.run(words + "other.json", more: folder.token)
            #expect(unknown.status == 0)
            #expect(unknown.output.contains(#""amount":1,"currencyCode":"USD""#))
            let opened = try folder.run(words + "order.json", more: folder.token + folder.keys)
            #expect(opened.status == 0 && !opened.error.contains("compared"))
            #expect(opened.output == closed.output)
            for example in Self.examples
            where example.step == "payment" && example.order?.contains("3000") == true {
                let order = try #require(example.order).replacing("3000", with: "2999")
                var words = try folder.words(example, keys: true)
                let index = try #require(words.firstIndex(of: "--order"))
                words[index + 1] = try folder.file("less.json", order)
                let refused = try Command(
                    ["request"] + words, environment: RequestFolder.environment)
                #expect(refused.status == 1, "\(example.gateway) \(refused.error)")
                #expect(refused.output.contains(#""stage":"order","code":"order-mismatch""#))
            }
        }
    }

    @Test("writes the former code of the ruble only if the file requests it")
    func formerCurrencyCodes() throws {
        let payload = RequestFolder.payload.replacing(#""978""#, with: #""643""#)
        try RequestFolder.with(payload: payload) { folder in
            func run(_ member: String) throws -> Command {
                _ = try folder.file(
                    "rbs.json",
                    #"{"gateway":"rbs","origin":"https://pay.example","credentials":{"userName":"u","#
                        + #""password":{"env":"SECRET"}},"payment":{"paysWithToken":true\#(member)}}"#
                )
                _ = try folder.file(
                    "rubles.json",
                    #"{"reference":"1","amount":3000,"currency":"RUB","returnURL":"a:b"}"#)
                return try folder.run(
                    "request payment --gateway FOLDER/rbs.json --order FOLDER/rubles.json",
                    more: folder.token + folder.keys)
            }
            let usual = try run("")
            let former = try run(#","sendsFormerCurrencyCodes":true"#)
            #expect(usual.output.contains("643") && !usual.output.contains("810"), "\(usual.error)")
            #expect(former.output == usual.output.replacing("643", with: "810"))
        }
    }

    @Test("refuses a token that is not Apple's, encrypted or not, with exit 1")
    func refusal() throws {
        try withFiles { folder in
            for gateway in ["direct", "checkout"] {
                let refused = try folder.run(
                    "request payment FOLDER/token.json --any-age --gateway FOLDER/\(gateway).json "
                        + "--order FOLDER/order.json", more: folder.keys)
                #expect(refused.status == 1 && refused.output.contains(#""stage":"chain""#))
            }
        }
    }

    @Test("reads a secret from a file, without the end of its last line")
    func secretFile() throws {
        try withFiles { folder in
            let account =
                #"{"gateway":"checkout","environment":"test","credentials":{"secretKey":{"file":"PATH"}}}"#
            let words = "request search --gateway FOLDER/file.json --order FOLDER/order.json --curl"
            for text in ["top-secret", "top-secret\n", "top-secret\r\n"] {
                let path = try folder.file("key", text)
                _ = try folder.file("file.json", account.replacing("PATH", with: path))
                let run = try folder.run(words)
                #expect(
                    run.output.contains("\"Authorization: Bearer top-secret\"\n"),
                    "\(run.output)\(run.error)")
            }
            for text in ["", "\n", "\r\n"] {
                let path = try folder.file("key", text)
                _ = try folder.file("file.json", account.replacing("PATH", with: path))
                let run = try folder.run(words)
                #expect(run.status == 3)
                #expect(
                    run.error.contains(
                        "its member credentials.secretKey names a file that cannot be used: \(path) is empty; write the secret to it."
                    ),
                    "\(run.error)")
            }
        }
    }
}
