package import ApplePayGateways
package import ApplePayToken
internal import Foundation

/// A gateway as the tests know it: examples of its requests, and what each of them must contain.
///
/// ``all`` is the one list that the suites of the gateways, the canaries, the memory search and the
/// command's tests read.
package struct ExampleGateway: Sendable {
    /// What the command calls the gateway.
    package let name: String

    /// Requests made of an opened token.
    package var opened: [Opened] = []

    /// Requests made of an encrypted token of which nothing is proven.
    package var encrypted: [Encrypted] = []

    /// Requests that need no token, and requests that were signed; at least those that show a secret.
    package var others: @Sendable (Payment, Order, ExampleMerchant) throws -> [GatewayRequest] = {
        _, _, _ in []
    }

    /// Options, credentials and answers with the secret in them, which no description may show.
    package var values: @Sendable (Payment, ExampleMerchant) throws -> [Any] = { _, _ in [] }

    /// Returns whether an answer means success, by the step's name in the vectors.
    package var outcomes: [String: @Sendable (GatewayResponse) throws -> Bool] = [:]

    /// Command lines of `paytoken request`: at least one for each step and input.
    package var commands: [ExampleCommand] = []

    /// Creates a gateway without examples.
    package init(_ name: String) { self.name = name }
}

/// A request made of an opened token, and what its text must contain.
package struct OpenedExample: Sendable {
    /// The amount of a payment in the forms that gateways write.
    package struct Amount: Sendable {
        /// Minor units of ISO 4217.
        package let minorUnits: String

        /// Two decimals whatever the currency, without a point.
        package let twoDecimals: String

        /// With a point before the decimals, if the currency has any.
        package let decimal: String

        /// As PayPal writes it; nil if PayPal does not take the amount.
        package let payPal: String?

        /// Creates the forms of one amount.
        package init(
            minorUnits: String,
            twoDecimals: String,
            decimal: String,
            payPal: String?
        ) {
            self.minorUnits = minorUnits
            self.twoDecimals = twoDecimals
            self.decimal = decimal
            self.payPal = payPal
        }
    }

    /// The gateway, and the step where it has several for opened tokens.
    package let name: String

    /// Makes the request.
    package let make: @Sendable (Payment, Order, ExampleMerchant) throws -> GatewayRequest

    /// Returns the expiry for November 2030; the token's date has this day.
    package let expiry: @Sendable (_ day: String) -> String

    /// Returns the ECI; the token has `eci`, whose last digit is `digit`.
    package let eci: @Sendable (_ eci: String, _ digit: Character) -> String

    /// Returns the amount; nil if the gateway does not take it.
    package let amount: @Sendable (Amount) -> String?

    /// The value of `Authorization` or `X-API-Key` for ``ExampleMerchant``; nil for no such header.
    package var authorization: @Sendable (ExampleMerchant) -> String? = { _ in nil }

    /// The media type of the body.
    package var contentType = "application/json"

    /// Whether the gateway takes EMV data in place of a cryptogram.
    package var takesEMV = false
}

/// A request made of an encrypted token of which nothing is proven.
package struct EncryptedExample: Sendable {
    /// The gateway, and the step where it has several for encrypted tokens.
    package let name: String

    /// Makes the request.
    package let make: @Sendable (PaymentToken, Order, ExampleMerchant) throws -> GatewayRequest

    /// The value of `Authorization` for ``ExampleMerchant``; nil for no such header.
    package var authorization: @Sendable (ExampleMerchant) -> String? = { _ in nil }
}

/// A command line of `paytoken request`, the request line it prints, and a part of the body.
package struct ExampleCommand: Sendable {
    /// The words after `request`; SECRET names an environment variable, FOLDER the folder with the files.
    package let words: [String]

    /// The method and the address.
    package let line: String

    /// A part of the body; nil for a request without one.
    package let fragment: String?

    /// Creates a row; `words` are separated by spaces.
    package init(_ words: String, _ line: String, _ fragment: String? = nil) {
        self.words = words.split(separator: " ").map(String.init)
        self.line = line
        self.fragment = fragment
    }
}

extension ExampleGateway {
    /// ``OpenedExample``.
    package typealias Opened = OpenedExample

    /// ``EncryptedExample``.
    package typealias Encrypted = EncryptedExample
}

/// A merchant whose every secret is the same text.
package struct ExampleMerchant: Sendable {
    /// The secret.
    package let text: String

    /// The secret.
    package var secret: SensitiveBytes { SensitiveBytes(copying: text.utf8.span) }

    /// `Basic`, and base64 of bePaid's shop and the secret.
    package var basicAuthorization: String {
        "Basic \(Data("361:\(text)".utf8).base64EncodedString())"
    }

    /// A login of the RBS family.
    package var user: RBS.User { RBS.User(name: "shop-api", password: secret) }

    /// A shop of bePaid.
    package var shop: BePaid.Shop { BePaid.Shop(identifier: "361", secretKey: secret) }

    /// An API key of Worldline.
    package var apiKey: Worldline.Credentials {
        Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
    }

    /// Creates a merchant; the secret is visible ASCII.
    package init(secret: String) { text = secret }
}

/// Returns a value after changes, for options in the middle of an expression.
package func with<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
    var value = value
    try change(&value)
    return value
}

extension GatewayResponse {
    /// Creates an answer of a text.
    package init(_ body: String, status: Int = 200) {
        self.init(status: status, body: Array(body.utf8))
    }
}
