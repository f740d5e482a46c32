import FoundationEssentials

/// The wrappers that client libraries and payment pages put around a token.
public enum TokenWrapper: String, Sendable, CaseIterable {
    /// The PKPaymentToken, whose member `paymentData` is the token.
    case token
    /// The payment, whose member `token` is the PKPaymentToken.
    case payment
    /// The details of a PaymentResponse of a web page.
    case details
    /// The token as JSON in a JSON string.
    case string
    /// A PKPaymentToken with `paymentData` as JSON in a string.
    case stringInside = "string-inside"
    /// The token in base64.
    case base64
    /// The form of bePaid's gateway.
    case beGateway = "begateway"

    /// A description in a few words.
    package var comment: String {
        switch self {
        case .token: "the PKPaymentToken"
        case .payment: "the payment"
        case .details: "a response's details"
        case .string: "the token as JSON in a string"
        case .stringInside: "paymentData as JSON in a string"
        case .base64: "base64 of the token"
        case .beGateway: "bePaid's prefix"
        }
    }

    /// Returns a token's text inside the wrapper.
    package func text(around token: [UInt8]) -> [UInt8] {
        let token = String(decoding: token, as: UTF8.self)
        let text =
            switch self {
            case .token: #"{"paymentData":\#(token)}"#
            case .payment: #"{"token":{"paymentData":\#(token)}}"#
            case .details: #"{"details":{"token":{"paymentData":\#(token)}}}"#
            case .string: Self.string(token)
            case .stringInside: #"{"paymentData":\#(Self.string(token))}"#
            case .base64: Self.base64(token)
            case .beGateway:
                "$begateway_apple_pay_1_0_0$" + Self.base64(#"{"paymentData":\#(token)}"#)
            }
        return Array(text.utf8)
    }

    /// Returns the text's UTF-8 in base64.
    static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    /// Returns the text as a JSON string.
    static func string(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
