/// How the payment is authenticated, which decides what the payment data holds.
public enum PaymentDataType: String, Hashable, Sendable {
    /// A cryptogram and perhaps an electronic commerce indicator.
    case threeDSecure = "3DSecure"

    /// A chip's data as BER-TLV, perhaps with an encrypted PIN.
    case emv = "EMV"
}
