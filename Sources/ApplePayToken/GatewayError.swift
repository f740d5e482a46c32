/// Why a payment cannot be said in a gateway's words; refused before anything is sent.
public struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, one code for each check.
    public enum Code: String, CaseIterable, Sendable {
        /// The gateway wants a cryptogram and the payment has none, as with EMV.
        case cryptogramMissing = "cryptogram-missing"

        /// A text is longer or shorter than the gateway takes.
        case unsupportedLength = "unsupported-length"

        /// The token's currency is not one of ISO 4217.
        case unknownCurrency = "unknown-currency"

        /// The gateway does not take an amount of this size or with these decimals.
        case unsupportedAmount = "unsupported-amount"

        /// A text holds a character that cannot be sent where it belongs.
        case unsupportedCharacter = "unsupported-character"

        /// A value is none of those that the gateway takes.
        case unsupportedValue = "unsupported-value"

        /// The gateway does not take encrypted tokens of this version.
        case unsupportedVersion = "unsupported-version"

        /// libcrypto failed, so the request cannot be signed.
        case libraryFailure = "library-failure"
    }

    /// What is wrong.
    public let code: Code

    /// The gateway's field at fault.
    public let field: String

    /// Makes an error.
    package init(_ code: Code, field: String) {
        self.code = code
        self.field = field
    }

    /// One sentence for people.
    public var description: String {
        switch code {
        case .cryptogramMissing: "The payment has no cryptogram, which \(field) must hold."
        case .unsupportedLength: "The gateway does not take a \(field) of this length."
        case .unknownCurrency: "The payment's currency is not known, so \(field) cannot be filled."
        case .unsupportedAmount: "The gateway does not take this amount as its \(field)."
        case .unsupportedCharacter: "\(field) holds a character that cannot be sent there."
        case .unsupportedValue: "The gateway does not take this value as its \(field)."
        case .unsupportedVersion:
            "The gateway does not take a token of this version, which has nothing for its \(field)."
        case .libraryFailure: "libcrypto failed, so the request's \(field) cannot be made."
        }
    }
}
