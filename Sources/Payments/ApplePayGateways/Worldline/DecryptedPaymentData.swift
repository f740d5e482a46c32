public import ApplePayAcceptance
public import ApplePayPrimitives
internal import ApplePayWire

/// The member `decryptedPaymentData` of a payment at Worldline: the card data of a decrypted token.
///
/// ```swift
/// let data = try DecryptedPaymentData(payment)
/// data.dpan.masked, data.expiryDate
/// ```
///
/// Its secrets are wiped with their last holder; its description and its mirror show none of them.
///
/// Source: Worldline Direct, *Apple Pay*, and the server SDKs of Direct and Connect, `DecryptedPaymentData`.
public struct DecryptedPaymentData: Sendable {
    /// `dpan`: the account number, 12 to 19 digits.
    public let dpan: AccountNumber

    /// `cryptogram`: Apple's `onlinePaymentCryptogram`, base64, unchanged.
    public let cryptogram: SensitiveBytes

    /// `expiryDate`: MMYY.
    public let expiryDate: String

    /// `cardholderName`: 2 to 51 characters; nil if Apple gave none, or one of another length.
    ///
    /// The lengths are from Connect's documentation; Direct documents none.
    public let cardholderName: SensitiveBytes?

    /// `eci`; nil if Apple gave none.
    public let eci: ElectronicCommerceIndicator?

    private let eciForm: Worldline.ECIForm

    /// Creates the member from a payment.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - eciForm: The JSON type of `eci`.
    /// - Throws: ``PaymentError``: `gateway` with code `unsupported-emv` or `cryptogram-missing`.
    public init(
        _ payment: Payment, eciForm: Worldline.ECIForm = .number
    ) throws(PaymentError) {
        dpan = payment.data.accountNumber
        cryptogram = try payment.requiredCryptogram("cryptogram").text
        expiryDate = payment.data.expiration.monthAndYear
        cardholderName = payment.cardholderName(2...51)
        eci = payment.data.eciIndicator
        self.eciForm = eciForm
    }

    /// Returns the member's value as JSON in UTF-8, in memory that is wiped: an object with its members in the order above.
    public func revealJSON() -> SensitiveBytes { JSONBody.object { writeMembers(into: &$0) } }

    /// Writes the member.
    func write(into body: inout JSONBody) {
        body.object("decryptedPaymentData") { writeMembers(into: &$0) }
    }

    private func writeMembers(into body: inout JSONBody) {
        body.secret("dpan", dpan.digits)
        body.secret("cryptogram", cryptogram)
        body.string("expiryDate", expiryDate)
        body.secret("cardholderName", cardholderName)
        switch eciForm {
        case .number: body.integer("eci", eci.map { Int64($0.integer) })
        case .string: body.string("eci", eci?.text)
        }
    }
}

extension DecryptedPaymentData: CustomStringConvertible, CustomReflectable {
    /// The masked account number.
    public var description: String { "DecryptedPaymentData(\(dpan.masked))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
