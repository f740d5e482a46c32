public import ApplePayPrimitives
public import ApplePayWire

/// The decrypted contents of an Apple Pay token.
///
/// All secrets share one buffer, which is wiped with its last reference.
///
/// Source: Apple, *Payment token format reference*, "payment data keys".
public struct PaymentData: Sendable {
    /// `applicationPrimaryAccountNumber`: the device account number, or a merchant token's number.
    public let accountNumber: AccountNumber

    /// `applicationExpirationDate`.
    public let expiration: ExpirationDate

    /// `currencyCode`: three digits, such as `978` or `036`.
    ///
    /// Leading zeros that Apple omits are restored.
    public var currencyCode: ExactText {
        let digits = String(currencyNumber)
        return "\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)"
    }

    /// The currency; nil if ISO 4217 does not list ``currencyCode``.
    public var currency: Currency? { Currency(numeric: currencyCode) }

    /// The numeric currency code, from 0 to 999.
    private let currencyNumber: Int

    /// `transactionAmount`: the amount in minor units of the currency, 0 or more, without rounding.
    public let amount: Int64

    /// `cardholderName`, as UTF-8; usually absent.
    public let cardholderName: SensitiveBytes?

    /// `deviceManufacturerIdentifier`: in practice 12 hexadecimal digits; nil when it is missing or empty.
    public var deviceManufacturerIdentifier: String? { deviceIdentifier?.revealText() }

    private let deviceIdentifier: SensitiveBytes?

    /// `paymentDataType`.
    public let type: PaymentDataType

    /// `paymentData.onlinePaymentCryptogram`.
    ///
    /// It is absent for EMV, and may be absent when ``authenticationResponses`` is not empty.
    public let cryptogram: SensitiveBase64?

    /// `paymentData.eciIndicator`: if present, pass it on; if absent, do not invent one.
    ///
    /// An empty string counts as absent.
    public let eciIndicator: ElectronicCommerceIndicator?

    /// `paymentData.emvData`: BER-TLV that contains the account number; present for EMV.
    public let emvData: SensitiveBase64?

    /// `paymentData.encryptedPINData`: hexadecimal text; EMV only, often absent.
    public let encryptedPINData: SensitiveBytes?

    /// `authenticationResponses`: one for each merchant, in arbitrary order.
    public let authenticationResponses: [AuthenticationResponse]

    /// `merchantTokenIdentifier`, as UTF-8: present when the account number belongs to a merchant token.
    public let merchantTokenIdentifier: SensitiveBytes?

    /// `merchantTokenMetadata`: describes the card that a merchant token represents.
    public let merchantTokenMetadata: MerchantTokenMetadata?

    /// The paths of members inside `merchantTokenMetadata` whose type is not the documented one.
    ///
    /// They follow the order of Apple's table; an example is `merchantTokenMetadata.cardArt`. These members
    /// are missing from ``merchantTokenMetadata``, and only ``rawPayload`` contains them.
    public let omittedMembers: [String]

    /// The whole payload as Apple wrote it: strict JSON in UTF-8, including unknown members.
    public let rawPayload: SensitiveBytes

    /// Reads a decrypted payload.
    ///
    /// Apple has signed and encrypted the payload, so faults that do not affect the payment are tolerated: an optional
    /// member that is null counts as absent, and a member of the wrong type inside `merchantTokenMetadata` is left out.
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
        // Unlike other optional members, a cryptogram that is null is refused.
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
            merchantIdentifier: try members.value("merchantIdentifier") {
                ExactText($0.revealText())
            },
            authenticationData: try members.value("authenticationData", SensitiveBase64.init),
            // Apple documents this amount as a string of digits, and the payment's own amount as a number.
            amount: try members.amount("transactionAmount", allowingText: true)
        )
    }

    /// Returns the number of one to three ASCII digits; nil for anything else.
    ///
    /// Apple may omit leading zeros.
    private static func currencyNumber(_ digits: Span<UInt8>) -> Int? {
        guard (1...3).contains(digits.count) else { return nil }
        return DecimalDigits.integer(digits).map { Int($0) }
    }

    /// Returns whether the text is the hexadecimal encoding of at least one byte.
    private static func isHexadecimal(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && Hexadecimal.isDecodable(text)
    }
}

/// The method of authentication, which determines the contents of the payment data.
public enum PaymentDataType: String, Hashable, Sendable {
    /// A cryptogram, optionally with an electronic commerce indicator.
    case threeDSecure = "3DSecure"

    /// A chip's data as BER-TLV, optionally with an encrypted PIN.
    case emv = "EMV"

    /// Creates a type from the text of `paymentDataType`; returns nil for any other text.
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

/// One merchant's part of a payment that was authorized for several merchants.
public struct AuthenticationResponse: Sendable {
    /// The merchant's identifier from Apple, in practice 64 hexadecimal digits.
    public let merchantIdentifier: ExactText

    /// The cryptogram for this merchant.
    public let authenticationData: SensitiveBase64

    /// The merchant's amount in minor units of the payment's currency.
    public let amount: Int64
}
