internal import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension CyberSource {
    /// The number of base64 characters that the guide requires of a cryptogram: 19 or 20 bytes.
    private static var cryptogramTextCount: Int { 28 }

    /// The number of bytes in each of the two blocks of a long American Express cryptogram.
    private static var blockCount: Int { 20 }

    /// Creates a payment request: `POST /pts/v2/payments` with `tokenizedCard`.
    ///
    /// `totalAmount` is a decimal string with the currency's decimals, `expirationMonth` is MM, `expirationYear` is
    /// YYYY, `paymentSolution` is 001 (Apple Pay) and `transactionType` is 1. The card's type is derived from the range
    /// of the account number.
    ///
    /// The cryptogram is sent in `tokenizedCard.cryptogram` and again in another member: for Mastercard in
    /// `ucafAuthenticationData` with `ucafCollectionIndicator` 2, for all other networks in `cavv`. An American Express
    /// cryptogram of 40 bytes is split: the first 20 bytes are sent in `cryptogram` and `cavv`, the last 20 in `xid`,
    /// each in base64. CyberSource's field list calls both parts "block A"; the guide calls them A and B.
    ///
    /// `eciRaw` is Apple's ECI in two digits, left out if Apple gave none; see ``CommerceIndicator`` as well. The
    /// guide's list contains neither the types 005, 042 and 062 nor the rule that Maestro is sent like Mastercard.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - order: The order, whose amount and currency must be those of the payment.
    ///   - options: The optional members.
    ///   - environment: The server that receives the request.
    /// - Returns: The request, without authentication; its body is compact UTF-8 JSON.
    /// - Throws: ``PaymentTokenError``: `order` if the amount or the currency differs, then `gateway` with
    ///   code `cryptogram-missing`, then `unsupported-length` for the cryptogram, `code` and the members
    ///   of `billTo`, whose lengths are from the published API reference and were not confirmed.
    ///
    /// Source: CyberSource, *Apple Pay Developer Guide*, "Authorize an Apple Pay payment with merchant
    /// decryption"; its API field reference for `cavv`, `xid` and the UCAF fields; its REST client's
    /// `Ptsv2paymentsConsumerAuthenticationInformation` for `eciRaw` (2026-11-22). The guide lists the commerce
    /// indicator, a reference code and `billTo` as required "depending on your processor", so set
    /// ``PaymentOptions/code`` and ``PaymentOptions/billTo`` unless your processor does not need them. The number of
    /// digits of `eciRaw` could not be confirmed.
    public static func createPayment(
        _ payment: Payment,
        order: Order,
        options: PaymentOptions = PaymentOptions(),
        environment: Environment = .live
    ) throws(PaymentTokenError) -> GatewayRequest {
        try order.check(payment)
        let cryptogram = try payment.requiredCryptogram("cryptogram")
        let brand = CardBrand(payment.data.accountNumber)
        let (blockA, blockB) = try blocks(cryptogram, brand)
        try FieldLength.check(options.code, "code", 1...50)
        for member in options.billTo?.members ?? [] {
            try FieldLength.check(member.value, member.name, member.counts)
        }

        let network = Network(brand)
        let body = JSONBody.object { body in
            if let code = options.code {
                body.object("clientReferenceInformation") { $0.string("code", code) }
            }
            body.object("processingInformation") { body in
                body.boolean("capture", options.capture)
                body.string(
                    "commerceIndicator",
                    network.commerceIndicator(
                        options.commerceIndicator, eci: payment.data.eciIndicator?.integer))
                body.string("paymentSolution", "001")
            }
            body.object("paymentInformation") { body in
                body.object("tokenizedCard") { body in
                    body.secret("number", payment.data.accountNumber.digits)
                    body.string("expirationMonth", payment.data.expiration.twoDigitMonth)
                    body.string("expirationYear", payment.data.expiration.fourDigitYear)
                    body.secret("cryptogram", blockA)
                    body.string("transactionType", "1")
                    body.string("type", network.type)
                }
            }
            body.object("orderInformation") { body in
                body.object("amountDetails") { body in
                    body.string("totalAmount", DecimalAmount.text(order.amount, order.currency))
                    body.string("currency", order.currency.alphabetic)
                }
                if let billTo = options.billTo {
                    body.object("billTo") { body in
                        for member in billTo.members { body.string(member.name, member.value) }
                    }
                }
            }
            body.object("consumerAuthenticationInformation") { body in
                if network.usesUCAF {
                    body.secret("ucafAuthenticationData", blockA)
                    body.string("ucafCollectionIndicator", "2")
                } else {
                    body.secret("cavv", blockA)
                    body.secret("xid", blockB)
                }
                body.string("eciRaw", payment.data.eciIndicator?.twoDigits)
            }
        }
        return GatewayRequest(
            environment.rawValue, "/pts/v2/payments", headers: [.contentType()], body: body)
    }

    /// Returns the base64 of a cryptogram, and of its second block if it has two.
    private static func blocks(
        _ cryptogram: SensitiveBase64,
        _ brand: CardBrand?
    ) throws(PaymentTokenError) -> (SensitiveBytes, SensitiveBytes?) {
        if brand == .americanExpress, cryptogram.byteCount == 2 * blockCount {
            let bytes = cryptogram.decoded()
            if let first = bytes.slice(0..<blockCount),
                let second = bytes.slice(blockCount..<2 * blockCount)
            {
                return (base64(first), base64(second))
            }
        }
        guard cryptogram.text.count == cryptogramTextCount else {
            throw PaymentTokenError(.unsupportedLength, member: "cryptogram")
        }
        return (cryptogram.text, nil)
    }

    private static func base64(_ bytes: SensitiveBytes) -> SensitiveBytes {
        var text = SecretBuffer()
        bytes.withRevealedBytes { Base64.encode($0, into: &text) }
        return text.sensitiveBytes()
    }
}

extension CyberSource {
    /// CyberSource's names for a network, and the ECI that means authenticated.
    struct Network {
        /// `tokenizedCard.type`: three digits.
        let type: String?

        /// The commerce indicator of an authenticated payment; nil if the guide does not list one.
        let indicator: String?

        /// The ECI that means authenticated.
        let authenticatedECI: Int

        /// Whether the cryptogram is sent in the UCAF fields instead of `cavv`.
        let usesUCAF: Bool

        /// Creates the network of a brand; without a type if the brand is unknown.
        init(_ brand: CardBrand?) {
            switch brand {
            case .visa: self.init("001", "vbv")
            case .mastercard: self.init("002", "spa", 2, ucaf: true)
            case .americanExpress: self.init("003", "aesk")
            case .discover: self.init("004", "dipb")
            case .dinersClub: self.init("005", nil)
            case .jcb: self.init("007", "js")
            case .maestro: self.init("042", "spa", 2, ucaf: true)
            case .unionPay: self.init("062", nil)
            case .mir, nil: self.init(nil, nil)
            }
        }

        private init(_ type: String?, _ indicator: String?, _ eci: Int = 5, ucaf: Bool = false) {
            self.type = type
            self.indicator = indicator
            authenticatedECI = eci
            usesUCAF = ucaf
        }

        /// Returns `commerceIndicator` for a payment with this ECI.
        func commerceIndicator(_ choice: CommerceIndicator?, eci: Int?) -> String? {
            switch choice {
            case .eci: eci == authenticatedECI ? indicator ?? "internet" : "internet"
            case .network: indicator ?? "internet"
            case .internet: "internet"
            case nil: nil
            }
        }
    }
}
