import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The options of requests")
struct RequestOptionTests {
    /// Values for options that do not take any text; each must make another request, or another refusal.
    private static let values: [String: [String]] = [
        "--additional-parameter": ["a=1", "b=1"],
        "--amount": ["7", "3000"],
        "--authorized-amount": ["1000", "2000"],
        "--auto-reverse-date": ["2026-12-31T12:00:00", "2026-12-31T12:00:01"],
        "--autocompletion-date": ["2026-12-31T12:00:00", "2026-12-31T12:00:01"],
        "--bill-to-country": ["BE", "FR"],
        "--billing-contact": ["FOLDER/web.json", "FOLDER/native.json"],
        "--currency": ["EUR", "nothing"],
        "--items": ["FOLDER/items.json", "FOLDER/web.json"],
        "--language": ["en", "fr"],
        "--operations": ["FOLDER/operations.json", "FOLDER/web.json"],
        "--order": ["FOLDER/session.json", "FOLDER/other-session.json"],
        "--phone": ["32255512340", "32255512341"],
        "--prefix": ["/a", "/b"],
        "--return-url": ["https://shop.example/1", "https://shop.example/2"],
        "--shipping-contact": ["FOLDER/web.json", "FOLDER/native.json"],
    ]

    /// Options that a step takes although they do not change its request, because all steps of the kind take them: the
    /// request has no key or no amount, or the token's currency has no former code.
    private static let idle: [String: Set<String>] = [
        "rbs deposit": ["--reference", "--operation"],
        "rbs reverse": ["--reference", "--operation"],
        "rbs payment --encrypted": ["--amount"], "rbs token-payment": ["--former-currency-codes"],
        "dintero void": ["--reference", "--operation"], "dintero payment --encrypted": ["--amount"],
    ]

    /// The other words that an option needs, and the options that it cannot be combined with; only for steps that have the
    /// first of these words.
    private static let company: [String: (words: String, without: [CommandOption])] = [
        "--address-indicator": ("--shipping-contact FOLDER/native.json", []),
        "--amount": ("", [.items]), "--authorized-amount": ("--amount 2000", []),
        // Longer than Russian banks permit.
        "--limits": (
            "--order-number 123456789012345678901234567890123 --user-name u --password-env SECRET "
                + "--merchant-login m", [.orderID, .userToken]
        ),
        "--order": ("", [.amount, .currency, .merchantReference, .orderCode]),
        "--merchant-login": (
            "--order-number 1 --user-name u --password-env SECRET", [.orderID, .userToken]
        ),
        "--order-number": (
            "--user-name u --password-env SECRET --merchant-login m", [.orderID, .userToken]
        ),
        "--password-env": ("--user-name u", [.userToken]),
        "--preproduction": ("", [.sandbox, .origin]),
        "--sandbox": ("", [.preproduction, .origin]),
        "--token-env": ("", [.userName, .password]),
        "--user-name": ("--password-env SECRET", [.userToken]),
    ]

    /// Options that are needed together, by the beginning of those that need them.
    private static let groups = [
        (
            ["--api-key-id", "--date", "--secret-api-key-env", "--worldline-merchant-id"],
            "--worldline-merchant-id m --api-key-id k --secret-api-key-env SECRET "
                + "--date 2026-05-04T09:30:00Z"
        ),
        (
            ["--api-key-id", "--cybersource-merchant-id", "--date", "--shared-secret-env"],
            "--cybersource-merchant-id m --api-key-id k --shared-secret-env SECRET_BASE64 "
                + "--date 2026-05-04T09:30:00Z"
        ),
        (["--trial-billing-"], "--trial-billing-amount 1 --trial-billing-label T"),
        (["--regular-billing-"], "--regular-billing-amount 1 --regular-billing-label T"),
    ]

    /// Returns the values with which an option is tried; nil for a flag.
    private static func values(_ option: CommandOption) -> [String]? {
        if let values = values[option.name] { return values }
        return switch option.kind {
        case .flag: nil
        case .boolean: ["true", "false"]
        case .choice(let choices): choices
        case .number: ["7", "8"]
        case .time: ["2026-05-04T09:30:00Z", "2026-05-04T09:30:01Z"]
        case .secret: ["SECRET", "SECRET_BASE64"]
        case .text, .file: ["A-1", "A-2"]
        }
    }

    /// Returns the words without an option and its values.
    private static func without(_ option: CommandOption, _ words: [String]) -> [String] {
        var (rest, kept) = (words[...], [String]())
        while let word = rest.popFirst() {
            if word != option.name {
                kept.append(word)
            } else if option.kind != .flag {
                rest = rest.dropFirst()
            }
        }
        return kept
    }

    /// Returns the words of a row without an option, but with the other words that it needs.
    private static func words(
        _ option: CommandOption,
        _ words: [String],
        of step: GatewayStep
    ) -> [String] {
        var words = without(option, words)
        func add(_ text: String) {
            let added = text.split(separator: " ").map(String.init)
            for (name, value) in zip(added, added.dropFirst()) where name.hasPrefix("--") {
                guard let other = step.options.first(where: { $0.name == name }),
                    name != option.name
                else { continue }
                words = without(other, words) + [name, value]
            }
        }
        if step.input == .verified { add("--amount 3000 --currency EUR") }
        // Otherwise two requests differ if a second passes between them.
        add("--date 2026-11-21T08:30:00Z")
        for (names, group) in groups where names.contains(where: option.name.hasPrefix) {
            add(group)
        }
        let first = company[option.name]?.words.split(separator: " ").first ?? ""
        if let company = company[option.name],
            first.isEmpty || step.options.contains(where: { $0.name == first })
        {
            for other in company.without { words = without(other, words) }
            add(company.words)
        }
        return words
    }

    /// Returns a step's name as in ``idle``.
    private static func name(_ step: GatewayStep, of gateway: String) -> String {
        "\(gateway) \(step.name)\(step.input == .verified ? " --encrypted" : "")"
    }

    @Test("all have an effect, and each value another", arguments: ExampleGateway.all.map(\.name))
    func effects(_ name: String) throws {
        let gateway = try #require(Gateway(rawValue: name))
        try Maker.with { maker in
            for row in ExampleGateway.all.flatMap(\.commands) where row.words[0] == name {
                let words = RequestCommandTests.completed(row.words)
                let step = try maker.step(gateway, words)
                for option in step.options {
                    let base = Self.words(option, words, of: step)
                    let variants =
                        Self.values(option)?.map { [option.name, $0] } ?? [[], [option.name]]
                    let results = try variants.map { try maker.text(gateway, base + $0) }
                    let isIdle = Self.idle[Self.name(step, of: name)]?.contains(option.name) == true
                    // The indicator of a payment is the network's or that of the internet.
                    let equal =
                        isIdle ? results.count - 1 : option.name == "--commerce-indicator" ? 1 : 0
                    #expect(Set(results).count == results.count - equal, "\(base) \(option)")
                    #expect(!results.allSatisfy { $0.hasPrefix("refused") }, "\(base) \(option)")
                }
            }
        }
    }
}

/// Creates requests in this process, so that their secrets can be compared.
private struct Maker {
    let folder: String
    let payment: Payment
    let token: VerifiedToken

    static func with(_ body: (Maker) throws -> Void) throws {
        try RequestCommandTests.withRequestFolder { folder in
            let anchor = try TrustAnchor(
                testRootCertificate: TestPKI(seed: "request").root.certificate.der)
            let bare = try String(contentsOfFile: "\(folder)/token.json", encoding: .utf8)
            let text = Array(#"{"paymentData":\#(bare),"paymentMethod":{"network":"Visa"}}"#.utf8)
            let decryptor = try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: ["\(folder)/one.pem"]), anchor: anchor)
            let payment = try decryptor.decrypt(text, agePolicy: .anyAge)
            let token = try PaymentTokenVerifier(anchor: anchor)
                .verify(PaymentToken(parsing: text), agePolicy: .anyAge)
            try body(Maker(folder: folder, payment: payment, token: token))
        }
    }

    private func arguments(_ gateway: Gateway, _ words: [String]) throws -> Arguments {
        // This process's own environment.
        let secrets = ["SECRET": "HOME", "SECRET_BASE64": "PATH"]
        let words = words.dropFirst().map {
            secrets[$0] ?? $0.replacing("FOLDER", with: folder)
        }
        return try Arguments(words, gateway.steps.flatMap(\.options) + RequestCommand.options)
    }

    func step(_ gateway: Gateway, _ words: [String]) throws -> GatewayStep {
        try gateway.step(arguments(gateway, words))
    }

    /// Returns the whole request, secrets included, or the reason of a refusal.
    func text(_ gateway: Gateway, _ words: [String]) throws -> String {
        if words.contains("--shared-secret-env") {
            // This secret must be base64, which no variable of this process certainly is.
            let command = try RequestCommandTests.run(words, folder, more: ["--curl"])
            return command.status == 0 ? command.output : "refused: \(command.error)"
        }
        let arguments = try arguments(gateway, words)
        let step = try gateway.step(arguments)
        let isOpened = step.input == .opened
        let order =
            isOpened
            ? Order(
                reference: "", amount: 3000, currency: try #require(Currency(alphabetic: "EUR")))
            : nil
        let input = StepInput(
            payment: isOpened ? payment : nil, token: step.input == .verified ? token : nil,
            order: order)
        do {
            return try CurlConfiguration.text(step.make(arguments, input)).revealText()
        } catch {
            return "refused: \(error.message)"
        }
    }
}
