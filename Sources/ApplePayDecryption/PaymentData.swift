public import ApplePayPrimitives
package import ApplePayWire

/// What an Apple Pay token holds once it is opened, typed.
///
/// The secrets in it share one buffer, which is wiped when the last of them is dropped.
///
/// Source: Apple, *Payment token format reference*, "payment data keys".
public struct PaymentData: Sendable {
    /// `applicationPrimaryAccountNumber`: the device account number, or a merchant token's number.
    public let accountNumber: AccountNumber

    /// `applicationExpirationDate`.
    public let expiration: ExpirationDate

    /// `currencyCode`: three digits, such as `978` or `036`, with the leading zeros that Apple may leave out.
    public var currencyCode: String {
        String(repeating: "0", count: 3 - "\(currencyNumber)".utf8.count) + "\(currencyNumber)"
    }

    /// The currency; nil if ISO 4217 does not list ``currencyCode``.
    public var currency: Currency? { Currency(numeric: currencyCode) }

    /// From 0 to 999.
    private let currencyNumber: Int

    /// `transactionAmount`: minor units of the currency, 0 or more, exactly.
    public let amount: Int64

    /// `cardholderName`, as UTF-8; usually absent.
    public let cardholderName: SensitiveBytes?

    /// `deviceManufacturerIdentifier`: hexadecimal, in practice 12 digits; nil when it is missing or empty.
    public var deviceManufacturerIdentifier: String? { deviceIdentifier?.revealText() }

    private let deviceIdentifier: SensitiveBytes?

    /// `paymentDataType`.
    public let type: PaymentDataType

    /// `paymentData.onlinePaymentCryptogram`; absent for EMV, and it may be absent where
    /// ``authenticationResponses`` is not empty.
    public let cryptogram: SensitiveBase64?

    /// `paymentData.eciIndicator`; must be passed on when it is there, never invented when not.
    ///
    /// An empty string counts as absent.
    public let eciIndicator: ElectronicCommerceIndicator?

    /// `paymentData.emvData`: BER-TLV, with the account number inside; present for EMV.
    public let emvData: SensitiveBase64?

    /// `paymentData.encryptedPINData`: hexadecimal text; EMV only, often absent.
    public let encryptedPINData: SensitiveBytes?

    /// `authenticationResponses`: one for each merchant, in an order that means nothing.
    public let authenticationResponses: [AuthenticationResponse]

    /// `merchantTokenIdentifier`, as UTF-8: present when the account number is a merchant token's.
    public let merchantTokenIdentifier: SensitiveBytes?

    /// `merchantTokenMetadata`: of the card behind a merchant token.
    public let merchantTokenMetadata: MerchantTokenMetadata?

    /// The paths of members inside `merchantTokenMetadata` that are of another type than the documented one.
    ///
    /// They are in the order of Apple's table, such as `merchantTokenMetadata.cardArt`. They are left out of
    /// ``merchantTokenMetadata``, and only ``rawPayload`` contains them.
    public let omittedMembers: [String]

    /// The whole payload as Apple wrote it: strict JSON, UTF-8, unknown members included.
    public let rawPayload: SensitiveBytes

    /// Reads a decrypted payload.
    ///
    /// Apple has signed and encrypted it, so nothing that no payment depends on refuses it: an optional member
    /// that is null counts as absent, and inside `merchantTokenMetadata` a member of the wrong type is left out.
    ///
    /// - Throws: `PaymentTokenError`: `invalid-json`, then for each member in the order of Apple's
    ///   table `missing-member`, `wrong-type` or `invalid-value`.
    package init(_ payload: SensitiveBytes) throws(PaymentTokenError) {
        let members = try PayloadObject(payload)
        let accountNumber = try members.value("applicationPrimaryAccountNumber", AccountNumber.init)
        let expiration = try members.reading("applicationExpirationDate", ExpirationDate.init)
        let currencyNumber = try members.reading("currencyCode", Self.currencyNumber)
        let amount = try members.amount("transactionAmount")
        let cardholderName = try members.optionalValue("cardholderName") { $0 }
        let deviceIdentifier =
            members.isEmptyString("deviceManufacturerIdentifier")
            ? nil
            : try members.optionalValue("deviceManufacturerIdentifier") { text in
                text.withRevealedBytes(Self.isHexadecimal) ? text : nil
            }
        let type = try members.reading("paymentDataType", PaymentDataType.init)
        let authentication = try members.object("paymentData")
        // Unlike other members that may be missing, a cryptogram that is null is refused.
        let cryptogram =
            authentication.contains("onlinePaymentCryptogram")
            ? try authentication.value("onlinePaymentCryptogram", SensitiveBase64.init) : nil
        let eciIndicator =
            authentication.isEmptyString("eciIndicator")
            ? nil
            : try authentication.optionalReading("eciIndicator", ElectronicCommerceIndicator.init)
        let emvData = try authentication.optionalValue("emvData", SensitiveBase64.init)
        let encryptedPINData = try authentication.optionalValue("encryptedPINData") { text in
            text.withRevealedBytes(Self.isHexadecimal) ? text : nil
        }
        let authenticationResponses = try members.objects("authenticationResponses")
            .map { response throws(PaymentTokenError) in
                try Self.authenticationResponse(response.get())
            }
        let merchantTokenIdentifier = try members.optionalValue("merchantTokenIdentifier") { $0 }
        var omittedMembers: [String] = []
        let merchantTokenMetadata = try members.optionalObject("merchantTokenMetadata").map {
            MerchantTokenMetadata($0, omitting: &omittedMembers)
        }
        switch type {
        case .threeDSecure:
            guard cryptogram != nil || !authenticationResponses.isEmpty else {
                throw PaymentTokenError(
                    .payloadMemberMissing, member: "paymentData.onlinePaymentCryptogram")
            }
        case .emv:
            guard emvData != nil else {
                throw PaymentTokenError(.payloadMemberMissing, member: "paymentData.emvData")
            }
        }
        // Assign last: if all properties were set before a check that can throw, the compiler would
        // copy the whole value.
        self.accountNumber = accountNumber
        self.expiration = expiration
        self.currencyNumber = currencyNumber
        self.amount = amount
        self.cardholderName = cardholderName
        self.deviceIdentifier = deviceIdentifier
        self.type = type
        self.cryptogram = cryptogram
        self.eciIndicator = eciIndicator
        self.emvData = emvData
        self.encryptedPINData = encryptedPINData
        self.authenticationResponses = authenticationResponses
        self.merchantTokenIdentifier = merchantTokenIdentifier
        self.merchantTokenMetadata = merchantTokenMetadata
        self.omittedMembers = omittedMembers
        rawPayload = payload
    }

    private static func authenticationResponse(
        _ members: PayloadObject
    ) throws(PaymentTokenError) -> AuthenticationResponse {
        AuthenticationResponse(
            merchantIdentifier: try members.value("merchantIdentifier") { $0.revealText() },
            authenticationData: try members.value("authenticationData", SensitiveBase64.init),
            // Documented as digits in a string, where the payment's own amount is a number.
            amount: try members.amount("transactionAmount", allowingText: true)
        )
    }

    /// The number of one to three ASCII digits, since the leading zero may be missing; nil for anything else.
    private static func currencyNumber(_ digits: Span<UInt8>) -> Int? {
        guard (1...3).contains(digits.count) else { return nil }
        return DecimalDigits.integer(digits).map { Int($0) }
    }

    /// Whether the text is hexadecimal for one byte or more.
    private static func isHexadecimal(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && Hexadecimal.isCanonical(text)
    }
}

/// How the payment is authenticated, which decides what the payment data contains.
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

/// One merchant's part of a payment that was authorised for several.
public struct AuthenticationResponse: Sendable {
    /// Which merchant: the text that Apple gives, in practice 64 hexadecimal digits.
    public let merchantIdentifier: String

    /// The cryptogram for this merchant.
    public let authenticationData: SensitiveBase64

    /// The merchant's amount in minor units of the payment's currency.
    public let amount: Int64
}
