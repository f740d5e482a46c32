import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayPrograms
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
        "order.json": #"{"reference":"order-1","amount":3000,"currency":"EUR"}"#,
        "unnamed.json": #"{"amount":3000,"currency":"EUR"}"#,
    ]

    /// The secrets in the environment of the command.
    static let environment = ["SECRET": "top-secret", "SECRET_BASE64": "dG9wLXNlY3JldA=="]

    /// The folder's path.
    let path: String

    /// Creates the folder for the length of a call, with the token of a name.
    static func with<Result>(
        named name: String = "token", _ body: (RequestFolder) throws -> Result
    ) throws -> Result {
        let pki = TestPKI(seed: "request")
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant, named: name) {
            $0.payload.text = Array(payload.utf8)
        }
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

    /// Returns the words after `request` for an example, with its files.
    func words(_ example: ExampleRequest) throws -> [String] {
        [
            "--gateway", try file("gateway.json", example.account), "--order",
            try file("stated.json", example.order),
        ] + token + keys
    }

    /// Runs `request` for an example.
    func run(_ example: ExampleRequest, more: [String] = []) throws -> Command {
        // A body contains no secret, so the command reads none.
        try Command(["request"] + words(example) + more)
    }

    /// Runs words in which FOLDER is this folder.
    func run(_ words: String, more: [String] = [], input: String = "") throws -> Command {
        try Command(
            words.split(separator: " ").map { String($0).replacing("FOLDER", with: path) } + more,
            input: input, environment: Self.environment)
    }

    /// The token of this folder, decrypted.
    ///
    /// - Parameter isWrapped: Whether the token is in PassKit's object, with the card's network.
    /// - Returns: The payment.
    /// - Throws: An error if the token is refused.
    func payment(isWrapped: Bool = false) throws -> Payment {
        let anchor = try TrustAnchor(
            testRootCertificate: TestPKI(seed: "request").root.certificate.der)
        let token = try String(contentsOfFile: "\(path)/token.json", encoding: .utf8)
        let whole = #"{"paymentData":\#(token),"paymentMethod":{"network":"Visa"}}"#
        let decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: ["\(path)/one.pem"]), anchor: anchor)
        return try decryptor.decrypt(
            Array((isWrapped ? whole : token).utf8), agePolicy: .anyAge)
    }
}
