import ApplePayGatewaysTesting
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken request")
struct RequestCommandTests {
    /// Returns the gateway, step and input of a row, as the command names them.
    private static func step(_ words: [String]) -> String {
        let name = words.firstIndex(of: "--step").map { words[$0 + 1] } ?? Gateway.defaultStep
        return "\(words[0]) \(name) \(words.contains("--encrypted"))"
    }

    static let payload =
        #"{"applicationPrimaryAccountNumber":"4761120010000492","applicationExpirationDate":"#
        + #""251231","currencyCode":"978","transactionAmount":3000,"#
        + #""deviceManufacturerIdentifier":"040010030273","paymentDataType":"3DSecure","#
        + #""paymentData":{"onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","#
        + #""eciIndicator":"7"}}"#

    private static let files: [String: String] = [
        "operations.json":
            #"{"operations":[{"href":"https://psp.dintero.example/s?access_token=top-secret","#
            + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#,
        "items.json":
            #"[{"id":"i1","line_id":"1","description":"Item","amount":20100,"quantity":2,"#
            + #""vat_amount":4020,"vat":25.5}]"#,
        "web.json":
            #"{"givenName":"Jane","familyName":"Doe","emailAddress":"jane@example.com","#
            + #""addressLines":["Rue Haute 1"],"locality":"Bruxelles","countryCode":"BE"}"#,
        "native.json":
            #"{"name":{"givenName":"Jane"},"postalAddress":{"street":"Rue Basse 9"}}"#,
        "order.json": #"{"reference":"order-1","amount":3000,"currency":"EUR"}"#,
        "unnamed.json": #"{"amount":3000,"currency":"EUR"}"#,
        "session.json": #"{"reference":"o1","amount":20100,"currency":"NOK"}"#,
        "other-session.json": #"{"reference":"o2","amount":20100,"currency":"NOK"}"#,
    ]

    /// In each row, SECRET is the name of an environment variable, and FOLDER is the folder with
    /// the files.
    private static let rows = ExampleGateway.all.flatMap(\.commands)

    /// Creates a folder with a key, a root, a token for the key and the gateways' responses.
    private func withFolder(_ body: (String) throws -> Void) throws {
        try Self.withRequestFolder(body)
    }

    /// Creates the same folder for other suites, with a token for this payload.
    static func withRequestFolder<Result>(
        payload: String = payload,
        _ body: (String) throws -> Result
    ) throws -> Result {
        let pki = TestPKI(seed: "request")
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant) { $0.payload.text = Array(payload.utf8) }
        var files = Self.files
        files["one.pem"] = merchant.keyPEM + merchant.certificatePEM
        files["root.pem"] = try pki.root.certificate.pem
        files["token.json"] = token.text
        return try KeyFolder.with(files) { try body($0) }
    }

    /// Runs a row's words with the input that they need.
    private func run(
        _ words: [String],
        _ folder: String,
        more: [String] = [],
        keys: Bool = true
    ) throws -> Command {
        try Self.run(words, folder, more: more, keys: keys)
    }

    /// Runs a row's words with the input that they need.
    static func run(
        _ words: [String],
        _ folder: String,
        more: [String] = [],
        keys: Bool = true
    ) throws -> Command {
        let gateway = try #require(Gateway(rawValue: words[0]))
        let arguments = words.dropFirst()
        let name = arguments.firstIndex(of: "--step").map { words[$0 + 1] }
        let takesToken =
            gateway.steps.first { $0.name == name ?? Gateway.defaultStep }?.input
            != GatewayStep
            .Input.none
        let token = [
            "\(folder)/token.json", "--any-age", "--test-trust-anchor", "\(folder)/root.pem",
        ]
        return try Command(
            ["request"] + words.map { $0.replacing("FOLDER", with: folder) } + more
                + (takesToken ? token + (keys ? ["--keys", "\(folder)/one.pem"] : []) : []),
            environment: ["SECRET": "top-secret", "SECRET_BASE64": "dG9wLXNlY3JldA=="])
    }

    @Test("knows rows for every step of every gateway")
    func complete() {
        let steps = Gateway.allCases.flatMap { gateway in
            gateway.steps.map { "\(gateway.rawValue) \($0.name) \($0.input == .verified)" }
        }
        #expect(Set(Self.rows.map { Self.step($0.words) }) == Set(steps))
    }

    @Test("makes every request of every gateway, masked when it is printed whole")
    func steps() throws {
        try withFolder { folder in
            for row in Self.rows {
                let isEncrypted = row.words.contains("--encrypted")
                let order = isEncrypted ? ["--amount", "3000", "--currency", "EUR"] : []
                let printed = try run(row.words, folder, more: order, keys: !isEncrypted)
                #expect(printed.status == 0, "\(row.words) \(printed.error) \(printed.output)")
                if let fragment = row.fragment {
                    #expect(printed.output.contains(fragment), "\(row.words) \(printed.output)")
                    #expect(!printed.output.hasSuffix("\n"), "\(row.words)")
                } else {
                    #expect(printed.output.isEmpty, "\(row.words)")
                    #expect(printed.error.contains("no body"), "\(row.words)")
                }
                let whole = try run(
                    Self.completed(row.words), folder, more: order + ["--dry-run-http"],
                    keys: !isEncrypted)
                #expect(whole.output.hasPrefix("\(row.line)\n"), "\(row.words) \(whole.output)")
                for secret in ["top-secret", "4761120010000492", "jiSRYgf6G2rj", "eyJ"] {
                    #expect(!whole.output.contains(secret), "\(row.words)")
                }
            }
        }
    }

    @Test("says what is wrong with the words, with exit 2")
    func usage() throws {
        try withFolder { folder in
            for (words, sentence) in [
                ("intergiro", "--step takes login, refresh, tokenize, consent."),
                (
                    "adyen --encrypted",
                    "the step payment decrypts the token; leave out --encrypted."
                ),
                (
                    "dintero --reference r",
                    "the step payment sends the encrypted token; add --encrypted."
                ),
                ("paypal --step get --encrypted", "takes no token; leave out --encrypted"),
                (
                    "paypal --step get --intent CAPTURE",
                    "--intent is not an option of the step get; `paytoken request paypal --step get --help` lists"
                ),
                ("paypal --step get --amount 1", "--amount is not an option of the step get;"),
                ("adyen --nonsense", "--nonsense is not an option here"),
                ("adyen --step payment --step payment", "--step was given 2 times; give it once."),
                (
                    "bepaid --step validate-merchant",
                    "bepaid validate-merchant needs --checkout-token-env VARIABLE and --url URL."
                ),
                (
                    "worldline-direct --merchant-reference r --date 2026-11-21T08:30:00Z --curl",
                    "worldline-direct payment needs --worldline-merchant-id ID, --api-key-id ID and "
                        + "--secret-api-key-env VARIABLE."
                ),
                (
                    "worldline-direct --merchant-reference r --address-indicator x",
                    "--address-indicator needs --shipping-contact."
                ),
                (
                    "worldline-direct --regular-billing-label x",
                    "--regular-billing-label is not an option of the step payment;"
                ),
                (
                    "worldline-direct --step hosted-checkout --amount 1 --currency EUR "
                        + "--merchant-reference r --return-url a:b --regular-billing-label x",
                    "needs --regular-billing-amount"
                ),
                (
                    "worldline-direct --curl",
                    "worldline-direct payment needs --worldline-merchant-id ID, --api-key-id ID, "
                        + "--secret-api-key-env VARIABLE and --merchant-reference TEXT (or --order)."
                ),
                (
                    "rbs --encrypted --merchant m --order-number n --curl",
                    "rbs payment needs --origin URL."
                ),
                ("paypal --step get --order-id o --curl", "needs --access-token-env VARIABLE."),
                ("adyen --curl --dry-run-http", "needs --api-key-env"),
                (
                    "paypal --step get --order-id o --access-token-env SECRET --curl "
                        + "--dry-run-http", "give only one of --dry-run-http and --curl"
                ),
                (
                    "paypal --step get --order-id o --origin http://gateway.example",
                    "plain http is for loopback addresses only"
                ),
                (
                    "worldline-connect --merchant-reference r --sandbox --preproduction",
                    "give only one of"
                ),
                (
                    "worldline-direct --merchant-reference r --api-key-id k "
                        + "--secret-api-key-env SECRET --dry-run-http",
                    "needs --worldline-merchant-id"
                ),
                (
                    "worldline-direct --merchant-reference r --worldline-merchant-id m "
                        + "--api-key-id k --secret-api-key-env SECRET --date now",
                    "--date takes a time"
                ),
                (
                    "checkout --reference r --order FOLDER/order.json",
                    "--reference r differs from the reference in the order's file, order-1."
                ),
                (
                    "checkout --order FOLDER/unnamed.json",
                    "unnamed.json has no reference; add the member reference, or give --reference TEXT."
                ),
                (
                    "dintero --step session --return-url a:b --order FOLDER/unnamed.json",
                    "unnamed.json has no reference; add the member reference, or give "
                        + "--merchant-reference TEXT."
                ),
                (
                    "dintero --step session --return-url a:b --order FOLDER/order.json --amount 1",
                    "--order states the whole order; leave out --amount and --currency."
                ),
                (
                    "checkout --reference r --batch",
                    "each line of --batch is another order, with a reference of its own; add --envelopes, and "
                        + "state the reference in each line."
                ),
                (
                    "checkout --reference r --batch --envelopes",
                    "--reference is the reference of one order, but each line of --batch is another one; leave "
                        + "out --reference, and state the reference in each line."
                ),
            ] {
                let refused = try run(words.split(separator: " ").map(String.init), folder)
                #expect(refused.status == 2 && refused.output.isEmpty, "\(words)")
                #expect(refused.error.contains(sentence), "\(words): \(refused.error)")
            }
            for words in [
                "adyen --idempotency-key k", "checkout --idempotency-key k",
                "checkout --key-form bare", "worldline-direct --idempotence-key k",
                "worldline-connect --encrypted --date 2026-11-21T08:30:00Z",
                "bepaid --api-version 3", "paypal --request-id r",
            ] {
                let refused = try run(
                    words.split(separator: " ").map(String.init), folder, more: ["--batch"])
                #expect(refused.status == 2 && refused.output.isEmpty, "\(words)")
                #expect(
                    refused.error.contains(" sets a header, and --batch writes only bodies; "),
                    "\(words): \(refused.error)")
            }
            let operand = try Command(["request", "paypal", "--step", "get", "token.json"])
            #expect(
                operand.status == 2
                    && operand.error.contains("takes no token; leave out token.json."))
        }
    }

    /// Returns a row's words with the options that are needed only to send the request.
    static func completed(_ words: [String]) -> [String] {
        var words = words
        let step = Self.step(words)
        let options =
            Gateway(rawValue: words[0])?.steps.first {
                step.hasPrefix("\(words[0]) \($0.name) ")
            }?.options ?? []
        for option in options where option.isNeededToSend && !words.contains(option.name) {
            let secret = option.name == "--shared-secret-env" ? "SECRET_BASE64" : "SECRET"
            words += [option.name, option.kind == .secret ? secret : "unset"]
        }
        return words
    }

    /// The options that contain the merchant's reference for the order.
    private static let references = [
        "--reference", "--merchant-reference", "--tracking-id", "--order-number", "--code",
        "--reference-id",
    ]

    /// Returns a row's words without the reference and without options that a batch does not
    /// accept.
    private static func batched(_ words: [String]) -> [String] {
        var words = words[...]
        var rest: [String] = []
        while let word = words.popFirst() {
            let headers = (WorldlineOption.paymentAccount + [.requestID.inHeader])
                .filter(\.isInHeader).map(\.name)
            if references.contains(word) || headers.contains(word) {
                _ = words.popFirst()
            } else {
                rest.append(word)
            }
        }
        return rest
    }

    @Test("names each line's order as its envelope does, or refuses the envelope")
    func references() throws {
        try withFolder { folder in
            let token = try String(contentsOfFile: "\(folder)/token.json", encoding: .utf8)
            let time = TestPKI.useTime.formatted(.iso8601)
            let stated = #""at":"\#(time)","order":{"amount":3000,"currency":"EUR"}"#
            let input = ["N-1", "N-2"].map {
                #"{"id":"\#($0)","reference":"\#($0)",\#(stated),"token":\#(token)}"#
            }.joined(separator: "\n")
            for row in Self.rows {
                let gateway = try #require(Gateway(rawValue: row.words[0]))
                let step = try #require(
                    gateway.steps.first {
                        Self.step(row.words)
                            == "\(gateway.rawValue) \($0.name) \($0.input == .verified)"
                    })
                guard step.input != .none else { continue }
                let words = Self.batched(row.words).map { $0.replacing("FOLDER", with: folder) }
                let batch = try Command(
                    ["request"] + words + [
                        "--batch", "--envelopes", "--test-trust-anchor", "\(folder)/root.pem",
                        "--keys", "\(folder)/one.pem",
                    ], input: input, environment: ["SECRET": "top-secret"])
                let lines = batch.output.split(separator: "\n")
                try #require(lines.count == 2, "\(words) \(batch.error)")
                for (line, name) in zip(lines, ["N-1", "N-2"]) {
                    if step.referenceOption == nil {
                        #expect(line.contains(#""stage":"json","code":"invalid-envelope""#))
                        #expect(line.contains("The envelope's reference must be left out"))
                    } else {
                        #expect(line.contains(#""status":"ok""#), "\(words) \(line)")
                        #expect(line.split(separator: #""\#(name)""#).count == 3, "\(line)")
                    }
                }
            }
        }
    }

    @Test("says what is wrong with keys, files and the environment, with exit 3")
    func means() throws {
        try withFolder { folder in
            for (words, sentence) in [
                (
                    "paypal --step get --order-id o --access-token-env sk_live_oops",
                    "the named variable is not set or is empty; its name is not repeated here"
                ),
                (
                    "worldline-direct --merchant-reference r --billing-contact /nowhere",
                    "/nowhere cannot be read"
                ),
                (
                    "worldline-direct --merchant-reference r --billing-contact FOLDER/one.pem",
                    "(--billing-contact): The text is not JSON."
                ),
                ("dintero --encrypted --reference r --operations FOLDER/one.pem", "is not JSON"),
                (
                    "dintero --encrypted --reference r --operations FOLDER/web.json",
                    "The member operations.submit-dintero-psp-applepay is missing."
                ),
                ("checkout --order FOLDER/items.json", "the order must be a JSON object"),
            ] {
                let failed = try run(words.split(separator: " ").map(String.init), folder)
                #expect(failed.status == 3 && failed.output.isEmpty, "\(words) \(failed.output)")
                #expect(failed.error.contains(sentence), "\(words): \(failed.error)")
                #expect(!failed.error.contains("sk_live_oops"), "\(words)")
            }
        }
    }

    @Test("compares an encrypted token with the order when keys open it, and says when none do")
    func comparison() throws {
        try withFolder { folder in
            let words = ["worldline-direct", "--encrypted", "--merchant-reference", "r"]
            let order = ["--amount", "3000", "--currency", "EUR"]
            let closed = try run(words, folder, more: order, keys: false)
            #expect(closed.status == 0 && closed.error.contains("not compared with the order"))
            let other = try run(
                words, folder, more: ["--amount", "1", "--currency", "USD"], keys: false)
            #expect(other.status == 0 && other.output.contains(#""amount":1,"currencyCode":"USD""#))
            let unstated = try run(words, folder, keys: false)
            #expect(unstated.status == 2)
            #expect(
                unstated.error.contains(
                    "the order needs --amount MINOR and --currency ALPHA3, or --order FILE."))
            let opened = try run(words, folder, more: order)
            #expect(opened.status == 0 && !opened.error.contains("compared"))
            #expect(opened.output == closed.output)
            for words in [
                words, ["worldline-direct", "--merchant-reference", "r"],
                [
                    "rbs", "--encrypted", "--origin", "https://a", "--merchant", "m",
                    "--order-number", "n",
                ],
            ] {
                let refused = try run(words, folder, more: ["--amount", "2999"])
                #expect(refused.status == 1)
                #expect(refused.output.contains(#""stage":"order","code":"order-mismatch""#))
            }
        }
    }

    @Test("writes the former code of the ruble only with --former-currency-codes")
    func formerCurrencyCodes() throws {
        let payload = Self.payload.replacing(#""978""#, with: #""643""#)
        try Self.withRequestFolder(payload: payload) { folder in
            let words = [
                "rbs", "--step", "token-payment", "--origin", "https://pay.example", "--user-name",
                "u", "--password-env", "SECRET", "--order-number", "1", "--return-url", "a:b",
            ]
            let usual = try run(words, folder)
            let former = try run(words, folder, more: ["--former-currency-codes"])
            #expect(usual.output.contains("643") && !usual.output.contains("810"))
            #expect(former.output == usual.output.replacing("643", with: "810"))
        }
    }

    @Test("refuses a token that is not Apple's, encrypted or not, with exit 1")
    func refusal() throws {
        try withFolder { folder in
            let refused = try Command([
                "request", "worldline-direct", "\(folder)/token.json", "--encrypted", "--any-age",
                "--merchant-reference", "r", "--amount", "3000", "--currency", "EUR",
            ])
            #expect(refused.status == 1 && refused.output.contains(#""stage":"chain""#))
        }
    }

    @Test("lists a gateway's steps with their options", arguments: Gateway.allCases)
    func help(_ gateway: Gateway) throws {
        let help = try Command(["request", gateway.rawValue, "--help"])
        #expect(help.status == 0 && help.error.isEmpty)
        #expect(help.output.hasPrefix("paytoken request \(gateway.rawValue): "))
        for step in gateway.steps {
            if step.name != Gateway.defaultStep {
                #expect(help.output.contains("--step \(step.name)\n"))
            }
        }
        #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(try Command(["--help"]).output.contains(gateway.rawValue))
    }
}
