/// The first fault in a JSON text, and its position.
///
/// The JSON reader is used for tokens, key requests and gateways' answers. For tokens,
/// ``PaymentTokenError/init(_:)`` converts its errors.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault: one of the codes of the stage `json`.
    ///
    /// Source: RFC 8259; RFC 3629 §3 for UTF-8. The limits and the refusal of repeated names are rules of
    /// this library.
    package let code: PaymentTokenError.Code

    /// The fault's position in the text, in bytes from its start.
    ///
    /// For `text-too-long` it is the limit, for `unexpected-end` the length of the text.
    package let offset: Int

    /// Creates the error for a fault at a byte offset.
    package init(_ code: PaymentTokenError.Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence for people, without any content of the text.
    package var description: String { PaymentTokenError(self).description }
}

extension PaymentTokenError {
    /// Creates the error for a token whose JSON has a fault.
    package init(_ error: JSONError) {
        self.init(error.code, offset: error.offset)
    }
}
