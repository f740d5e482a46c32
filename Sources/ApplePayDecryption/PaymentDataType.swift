internal import ApplePayPrimitives

/// How the payment is authenticated, which decides what the payment data holds.
public enum PaymentDataType: String, Hashable, Sendable {
    /// A cryptogram and perhaps an electronic commerce indicator.
    case threeDSecure = "3DSecure"

    /// A chip's data as BER-TLV, perhaps with an encrypted PIN.
    case emv = "EMV"

    /// Reads the text of `paymentDataType`; nil for any other.
    init?(_ text: Span<UInt8>) {
        if ByteComparison.areEqual(text, Self.threeDSecure.rawValue.utf8.span) {
            self = .threeDSecure
        } else if ByteComparison.areEqual(text, Self.emv.rawValue.utf8.span) {
            self = .emv
        } else {
            return nil
        }
    }
}
