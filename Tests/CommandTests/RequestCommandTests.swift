import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken request")
struct RequestCommandTests {
    /// A step as it is asked for, where the request goes, and a part of its body.
    private struct Row: Sendable {
        let words: [String]
        let line: String
        let fragment: String?

        init(_ words: String, _ line: String, _ fragment: String? = nil) {
            self.words = words.split(separator: " ").map(String.init)
            self.line = line
            self.fragment = fragment
        }

        /// Gateway, step and input, as the command names them.
        var step: String {
            let name =
                words.firstIndex(of: "--step").map { words[$0 + 1] } ?? Gateway.defaultStep
            return "\(words[0]) \(name) \(words.contains("--encrypted"))"
        }
    }

    private static let payload =
        #"{"applicationPrimaryAccountNumber":"4761120010000492","applicationExpirationDate":"#
        + #""251231","currencyCode":"978","transactionAmount":3000,"#
        + #""deviceManufacturerIdentifier":"040010030273","paymentDataType":"3DSecure","#
        + #""paymentData":{"onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","#
        + #""eciIndicator":"7"}}"#

    private static let files: [String: String] = [
        "operations.json":
            #"{"operations":[{"href":"https://psp.dintero.example/s?access_token=top-secret","#
            + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#,
        "web.json":
            #"{"givenName":"Jane","familyName":"Doe","emailAddress":"jane@example.com","#
            + #""addressLines":["Rue Haute 1"],"locality":"Bruxelles","countryCode":"BE"}"#,
        "native.json":
            #"{"name":{"givenName":"Jane"},"postalAddress":{"street":"Rue Basse 9"}}"#,
    ]

    private static let direct = "https://payment.direct.worldline-solutions.com/v2"
    private static let connect = "https://world.api-ingenico.com/v1"

    /// SECRET is the name of an environment variable, FOLDER where the files are.
    private static let rows: [Row] =
        [
            .init(
                "worldline-direct --authorization-mode SALE --requires-approval true "
                    + "--merchant-reference R-1 --billing-contact FOLDER/web.json "
                    + "--shipping-contact FOLDER/native.json --address-indicator ship-to-store",
                "POST \(direct)/{merchantId}/payments",
                #""shipping":{"addressIndicator":"ship-to-store","address":{"name":{"firstName":"Jane"},"#
                    + #""street":"Rue Basse 9"}}},"mobilePaymentMethodSpecificInput":{"#
                    + #""paymentProductId":302,"authorizationMode":"SALE","requiresApproval":true,"#
                    + #""decryptedPaymentData":{"dpan":"4761120010000492""#),
            .init(
                "worldline-direct --encrypted --worldline-merchant-id m1 --preproduction "
                    + "--api-key-id key-1 --secret-api-key-env SECRET --date 2026-11-21T08:30:00Z "
                    + "--tokenize true --is-recurring true --first-recurring --idempotence-key a-1 "
                    + "--payment-description Magazine --regular-billing-amount 999 "
                    + "--regular-billing-label Monthly --regular-billing-interval-unit month "
                    + "--trial-billing-amount 1 --trial-billing-label T "
                    + "--trial-billing-amount-form minorUnits",
                "POST https://payment.preprod.direct.worldline-solutions.com/v2/m1/payments",
                #""paymentDescription":"Magazine","regularBilling":{"amount":"9.99","label":"Monthly","#
                    + #""recurringPaymentIntervalUnit":"month"},"trialBilling":{"amount":"1","#),
            .init(
                "worldline-direct --step hosted-checkout --amount 1000 --currency EUR "
                    + "--return-url https://shop.example/return --session-timeout 30 "
                    + "--allowed-number-of-payment-attempts 3",
                "POST \(direct)/{merchantId}/hostedcheckouts",
                #""allowedNumberOfPaymentAttempts":3"#),
            .init(
                "worldline-direct --step get-payment --payment-id 1_1 --worldline-merchant-id m/1",
                "GET \(direct)/m%2F1/payments/1_1"),
            .init(
                "worldline-direct --step get-hosted-checkout --hosted-checkout-id h",
                "GET \(direct)/{merchantId}/hostedcheckouts/h"),
            .init(
                "worldline-connect --eci-form string --customer-reference c-1 --tokenize false",
                "POST \(connect)/{merchantId}/payments", #""expiryDate":"1225","eci":"7"}}}"#),
            .init(
                "worldline-connect --encrypted --sandbox --recurring-payment-sequence-indicator first",
                "POST https://eu.sandbox.api-ingenico.com/v1/{merchantId}/payments",
                #""encryptedPaymentData":"{\""#),
            .init(
                "worldline-connect --step hosted-checkout --amount 100 --currency JPY "
                    + "--return-url a:b --tokens t1 --tokens t2",
                "POST \(connect)/{merchantId}/hostedcheckouts",
                #""amount":10000,"currencyCode":"JPY"}},"hostedCheckoutSpecificInput":{"returnUrl":"#
                    + #""a:b","tokens":"t1,t2"}"#),
            .init(
                "worldline-connect --step get-payment --payment-id 1 --preproduction",
                "GET https://world.preprod.api-ingenico.com/v1/{merchantId}/payments/1"),
            .init(
                "worldline-connect --step get-hosted-checkout --hosted-checkout-id h "
                    + "--origin https://connect.example",
                "GET https://connect.example/v1/{merchantId}/hostedcheckouts/h"),
        ] + bePaid + rbs + others

    private static let bePaid: [Row] =
        [
            ("payment", "transactions/payments"), ("authorization", "transactions/authorizations"),
            ("charge", "services/credit_cards/charges"),
        ].flatMap { step, path in
            let words =
                "bepaid --step \(step) --shop-id 361 --secret-key-env SECRET --description Order"
            return [
                Row(
                    words, "POST https://gateway.bepaid.by/\(path)",
                    #""token":"$begateway_apple_pay_decrypted_1_0_0$eyJ"#),
                Row(
                    "\(words) --encrypted --async --contract recurring",
                    "POST https://gateway.bepaid.by/async/\(path)",
                    #""token":"$begateway_apple_pay_1_0_0$eyJ"#),
            ]
        } + [
            .init(
                "bepaid --encrypted --step checkout-payment --checkout-token-env SECRET",
                "POST https://checkout.bepaid.by/ctp/api/apple_pay/payment",
                #""token":"top-secret","contract":false"#),
            .init(
                "bepaid --step validate-merchant --checkout-token-env SECRET --url https://a.example",
                "POST https://checkout.bepaid.by/ctp/api/apple_pay/validate",
                #""url":"https://a.example""#),
        ]

    private static let rbs: [Row] = [
        .init(
            "rbs --encrypted --origin https://pay.example --merchant shop --order-number 1001",
            "POST https://pay.example/payment/applepay/payment.do", #""paymentToken":"eyJ"#),
        .init(
            "rbs --origin https://pay.example --user-name shop --password-env SECRET "
                + "--order-number 1001 --prefix /gw",
            "POST https://pay.example/gw/applepay/paymentDirect.do", #""paymentToken":"eyJ"#),
        .init(
            "rbs --step token-payment --origin https://pay.example --user-name shop "
                + "--password-env SECRET --return-url https://shop.example/r",
            "POST https://pay.example/payment/token/payment.do", #""MM":"12","YYYY":"2025""#),
        .init(
            "rbs --step order-status --origin https://pay.example --token-env SECRET --order-id o1",
            "POST https://pay.example/payment/rest/getOrderStatusExtended.do", "token=top-secret"),
        .init(
            "rbs --step deposit --origin https://pay.example --user-name shop "
                + "--password-env SECRET --order-id o1 --all",
            "POST https://pay.example/payment/rest/deposit.do", "amount=0"),
    ]

    private static let others: [Row] = [
        .init(
            "dintero --encrypted --operations FOLDER/operations.json --reference r1",
            "POST https://psp.dintero.example/s", #""reference":"r1""#),
        .init(
            "dintero --step session --amount 20100 --currency NOK --access-token-env SECRET "
                + "--return-url app://r --merchant-reference o1",
            "POST https://checkout.dintero.com/v1/sessions", #""amount":20100,"currency":"NOK""#),
        .init(
            "dintero --step operations --session-id P1 --empty-object",
            "POST https://checkout.dintero.com/v1/view/P1/payments/dintero_psp.applepay", "{}"),
        .init(
            "dintero --step pay --session-id P1 --psp-transaction-id T1",
            "POST https://checkout.dintero.com/v1/sessions/P1/pay", #""psp_transaction_id":"T1""#),
        .init(
            "intergiro --step login --api-key-env SECRET",
            "POST https://3d.intergiro.com/v3/auth/login", #"{"api_key":"top-secret"}"#),
        .init(
            "intergiro --step refresh --refresh-token-env SECRET --staging",
            "POST https://3d.staging.intergiro.tech/v3/auth/refresh", "top-secret"),
        .init(
            "intergiro --step tokenize --access-token-env SECRET --card-id k1",
            "POST https://3d.intergiro.com/v3/cards/k1/apple_pay/tokenize"),
        .init(
            "intergiro --step consent --access-token-env SECRET --consent-id c1",
            "POST https://3d.intergiro.com/v3/consents/c1"),
        .init(
            "cybersource --code R-1 --test --bill-to-last-name Doe",
            "POST https://apitest.cybersource.com/pts/v2/payments", #""totalAmount":"30.00""#),
        .init(
            "checkout --secret-key-env SECRET --reference R-1",
            "POST https://api.checkout.com/payments", #""expiry_month":"12""#),
        .init(
            "adyen --api-key-env SECRET --merchant-account Shop --reference R-1",
            "POST https://checkout-test.adyen.com/v71/payments", #""eci":"07""#),
        .init(
            "paypal --access-token-env SECRET --request-id r1 --test",
            "POST https://api-m.sandbox.paypal.com/v2/checkout/orders", #""expiry":"2025-12""#),
        .init(
            "paypal --step access-token --client-id c1 --client-secret-env SECRET",
            "POST https://api-m.paypal.com/v1/oauth2/token", "grant_type=client_credentials"),
        .init(
            "paypal --step get --access-token-env SECRET --order-id o1",
            "GET https://api-m.paypal.com/v2/checkout/orders/o1"),
        .init(
            "paypal --step capture --access-token-env SECRET --order-id o1 --request-id r1",
            "POST https://api-m.paypal.com/v2/checkout/orders/o1/capture", "{}"),
        .init(
            "paypal --step authorize --access-token-env SECRET --order-id o1 --request-id r1",
            "POST https://api-m.paypal.com/v2/checkout/orders/o1/authorize", "{}"),
    ]

    /// A folder with a key, a root, a token for the key and what gateways answered.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let pki = TestPKI(seed: "request")
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant) { $0.payload.text = Array(Self.payload.utf8) }
        var files = Self.files
        files["one.pem"] = merchant.keyPEM + merchant.certificatePEM
        files["root.pem"] = try pki.root.certificate.pem
        files["token.json"] = token.text
        try KeyFolder.with(files) { try body($0) }
    }

    /// Runs a row's words with what its input needs.
    private func run(
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
            environment: ["SECRET": "top-secret"])
    }

    @Test("knows rows for every step of every gateway")
    func complete() {
        let steps = Gateway.allCases.flatMap { gateway in
            gateway.steps.map { "\(gateway.rawValue) \($0.name) \($0.input == .verified)" }
        }
        #expect(Set(Self.rows.map(\.step)) == Set(steps))
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
                    #expect(printed.output.hasSuffix("\n") && !printed.output.hasSuffix("\n\n"))
                } else {
                    #expect(printed.output.isEmpty, "\(row.words)")
                    #expect(printed.error.contains("no body"), "\(row.words)")
                }
                let whole = try run(
                    row.words, folder, more: order + ["--dry-run-http"], keys: !isEncrypted)
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
                ("adyen --encrypted", "leave --encrypted out"),
                ("dintero --reference r", "add --encrypted"),
                ("paypal --step get --encrypted", "takes no token; leave --encrypted out"),
                ("paypal --step get --intent CAPTURE", "--intent is not an option of this step"),
                ("paypal --step get --amount 1", "--amount is not an option of this step"),
                ("adyen --nonsense", "--nonsense is not an option here"),
                ("adyen --step payment --step payment", "--step may be given once"),
                (
                    "bepaid --step validate-merchant",
                    "bepaid validate-merchant needs --checkout-token-env and --url."
                ),
                ("worldline-direct --date 2026-11-21T08:30:00Z", "go with --api-key-id"),
                ("worldline-direct --address-indicator x", "goes with --shipping-contact"),
                ("worldline-direct --regular-billing-label x", "needs --regular-billing-amount"),
                ("worldline-connect --sandbox --preproduction", "exclude one another"),
                (
                    "worldline-direct --api-key-id k --secret-api-key-env SECRET",
                    "needs --worldline-merchant-id"
                ),
                (
                    "worldline-direct --worldline-merchant-id m --api-key-id k "
                        + "--secret-api-key-env SECRET --date now",
                    "--date takes a time"
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
                #expect(refused.error.contains("goes into a header"), "\(words): \(refused.error)")
            }
            let operand = try Command(["request", "paypal", "--step", "get", "token.json"])
            #expect(operand.status == 2 && operand.error.contains("leave token.json out"))
        }
    }

    /// The options with which a step says what the merchant calls the order.
    private static let references = [
        "--reference", "--merchant-reference", "--tracking-id", "--order-number", "--code",
        "--custom-id", "--request-id",
    ]

    /// A row's words without an order's name, and without what a batch has no place for.
    private static func batched(_ words: [String]) -> [String] {
        var words = words[...]
        var rest: [String] = []
        while let word = words.popFirst() {
            let headers = WorldlineOption.paymentAccount.filter(\.isInHeader).map(\.name)
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
                        row.step == "\(gateway.rawValue) \($0.name) \($0.input == .verified)"
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
                    "--access-token-env names no variable of the environment."
                ),
                ("worldline-direct --billing-contact /nowhere", "/nowhere cannot be read"),
                ("worldline-direct --billing-contact FOLDER/one.pem", "The contact is not JSON."),
                ("dintero --encrypted --reference r --operations FOLDER/one.pem", "is not JSON"),
                ("dintero --encrypted --reference r --operations FOLDER/web.json", "--operations:"),
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
            let words = ["worldline-direct", "--encrypted"]
            let order = ["--amount", "3000", "--currency", "EUR"]
            let closed = try run(words, folder, more: order, keys: false)
            #expect(closed.status == 0 && closed.error.contains("not compared with an order"))
            let other = try run(
                words, folder, more: ["--amount", "1", "--currency", "USD"], keys: false)
            #expect(other.status == 0 && other.output.contains(#""amount":1,"currencyCode":"USD""#))
            let unstated = try run(words, folder, keys: false)
            #expect(unstated.status == 2)
            #expect(unstated.error.contains("this step needs --amount and --currency"))
            let opened = try run(words, folder, more: order)
            #expect(opened.status == 0 && !opened.error.contains("compared"))
            #expect(opened.output == closed.output)
            for words in [
                words, ["worldline-direct"],
                ["rbs", "--encrypted", "--origin", "https://a", "--merchant", "m"],
            ] {
                let refused = try run(words, folder, more: ["--amount", "2999"])
                #expect(refused.status == 1)
                #expect(refused.output.contains(#""stage":"order","code":"order-mismatch""#))
            }
        }
    }

    @Test("refuses a token that is not Apple's, encrypted or not, with exit 1")
    func refusal() throws {
        try withFolder { folder in
            let refused = try Command([
                "request", "worldline-direct", "\(folder)/token.json", "--encrypted", "--any-age",
                "--amount", "3000", "--currency", "EUR",
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
