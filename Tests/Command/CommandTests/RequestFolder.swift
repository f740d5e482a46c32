import ApplePayGatewayFiles
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

/// A folder with a key, a root, a token for the key and the files that the example command lines need.
struct RequestFolder {
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
        "other-operations.json":
            #"{"operations":[{"href":"https://psp.dintero.example/t?access_token=top-secret","#
            + #""method":"POST","rel":"submit-dintero-psp-applepay"}]}"#,
        "web.json":
            #"{"givenName":"Jane","familyName":"Doe","emailAddress":"jane@example.com","#
            + #""addressLines":["Rue Haute 1"],"locality":"Bruxelles","countryCode":"BE"}"#,
        "order.json": #"{"reference":"order-1","amount":3000,"currency":"EUR"}"#,
        "unnamed.json": #"{"amount":3000,"currency":"EUR"}"#,
        "secret": "top-secret\n",
    ]

    /// The secrets in the environment of the command.
    static let environment = ["SECRET": "top-secret", "SECRET_BASE64": "dG9wLXNlY3JldA=="]

    /// When the requests are signed.
    static let date = ["--date", "2026-11-21T08:30:00Z"]

    /// The folder's path.
    let path: String

    /// Creates the folder for the length of a call, with a token for this payload.
    static func with<Result>(
        payload: String = payload, _ body: (RequestFolder) throws -> Result
    ) throws -> Result {
        let pki = TestPKI(seed: "request")
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant) { $0.payload.text = Array(payload.utf8) }
        var files = Self.files
        files["one.pem"] = merchant.keyPEM + merchant.certificatePEM
        files["root.pem"] = try pki.root.certificate.pem
        files["token.json"] = token.text
        return try KeyFolder.with(files) { try body(RequestFolder(path: $0)) }
    }

    /// Writes a file, and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    /// The words for the token of this folder.
    var token: [String] {
        ["\(path)/token.json", "--any-age", "--test-trust-anchor", "\(path)/root.pem"]
    }

    /// The words for the merchant's key.
    var keys: [String] { ["--keys", "\(path)/one.pem"] }

    /// Returns the words of an example, with its files.
    ///
    /// - Parameters:
    ///   - example: The example.
    ///   - account: Another gateway file.
    ///   - keys: Whether the token is decrypted; nil if the gateway does not decrypt it.
    /// - Returns: The words after `request`.
    /// - Throws: An error if a file cannot be written.
    func words(
        _ example: ExampleCommand, account: String? = nil, keys: Bool? = nil
    ) throws -> [String] {
        var words = [
            example.step, "--gateway", try file("gateway.json", account ?? example.account),
        ]
        if let order = example.order { words += ["--order", try file("stated.json", order)] }
        words += example.options.map { String($0).replacing("FOLDER", with: path) }
        guard example.takesToken else { return words }
        words += token
        return keys ?? !example.isEncrypted ? words + self.keys : words
    }

    /// Runs an example.
    func run(
        _ example: ExampleCommand, account: String? = nil, more: [String] = [], keys: Bool? = nil
    ) throws -> Command {
        try Command(
            ["request"] + words(example, account: account, keys: keys) + more,
            environment: Self.environment)
    }

    /// Runs words in which FOLDER is this folder.
    func run(_ words: String, more: [String] = [], input: String = "") throws -> Command {
        try Command(
            words.split(separator: " ").map { String($0).replacing("FOLDER", with: path) } + more,
            input: input, environment: Self.environment)
    }

    /// The token of this folder, decrypted, and only verified.
    ///
    /// - Parameter isWrapped: Whether the token is in PassKit's object, with the card's network.
    /// - Returns: The payment and the verified token.
    /// - Throws: An error if the token is refused.
    func payments(isWrapped: Bool = false) throws -> (payment: Payment, token: VerifiedToken) {
        let anchor = try TrustAnchor(
            testRootCertificate: TestPKI(seed: "request").root.certificate.der)
        let token = try String(contentsOfFile: "\(path)/token.json", encoding: .utf8)
        let whole = #"{"paymentData":\#(token),"paymentMethod":{"network":"Visa"}}"#
        let text = Array((isWrapped ? whole : token).utf8)
        let decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: ["\(path)/one.pem"]), anchor: anchor)
        let verified = try PaymentTokenVerifier(anchor: anchor)
            .verify(PaymentToken(parsing: text), agePolicy: .anyAge)
        return (try decryptor.decrypt(text, agePolicy: .anyAge), verified)
    }
}

extension ExampleCommand {
    /// The step's declaration.
    var declaration: StepDescription? {
        DeclaredGateway.named(gateway)?.steps.first { $0.name == step }
    }

    /// Whether the step takes a token.
    var takesToken: Bool { declaration?.takesToken == true }

    /// Whether the gateway decrypts the token.
    var isEncrypted: Bool { gateway == "dintero" || account.contains(#""token":"encrypted""#) }
}
