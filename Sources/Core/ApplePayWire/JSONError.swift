/// The first fault in a JSON text, and its position.
///
/// The JSON reader is used for tokens, key requests, order files and gateways' answers.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults.
    ///
    /// Source: RFC 8259; RFC 3629 §3 for UTF-8. The limits and the refusal of repeated names are rules of this library.
    package enum Fault: CaseIterable, Sendable {
        case textTooLong, invalidUTF8, unexpectedEnd, unexpectedCharacter, invalidEscape
        case loneSurrogate, controlCharacter, invalidNumber, jsonDepthExceeded, duplicateKey
        case trailingText
    }

    package let fault: Fault

    /// The fault's position in the text, in bytes from its start.
    ///
    /// For `textTooLong` it is the limit, for `unexpectedEnd` the length of the text.
    package let offset: Int

    /// Creates the error for a fault at a byte offset.
    package init(_ fault: Fault, at offset: Int) {
        self.fault = fault
        self.offset = offset
    }

    /// One sentence for people, without any content of the text.
    package var description: String { PaymentTokenError(self).description }
}

extension PaymentTokenError {
    /// Creates the error for a token whose JSON has a fault.
    ///
    /// - Parameters:
    ///   - error: The fault.
    ///   - reason: What changed the text, without a full stop; nil if that is not known.
    package init(_ error: JSONError, reason: String? = nil) {
        let code: Code =
            switch error.fault {
            case .textTooLong: .textTooLong
            case .invalidUTF8: .invalidUTF8
            case .unexpectedEnd: .unexpectedEnd
            case .unexpectedCharacter: .unexpectedCharacter
            case .invalidEscape: .invalidEscape
            case .loneSurrogate: .loneSurrogate
            case .controlCharacter: .controlCharacter
            case .invalidNumber: .invalidNumber
            case .jsonDepthExceeded: .jsonDepthExceeded
            case .duplicateKey: .duplicateKey
            case .trailingText: .trailingText
            }
        self.init(code, offset: error.offset, reason: reason)
    }
}
