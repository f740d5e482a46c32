package import ApplePayAcceptance
package import ApplePayGateways
internal import ApplePayPrimitives

extension CyberSource {
    /// Returns the request of ``payment(_:)``, without its signature.
    package func paymentRequest(_ input: PaymentInput) throws(PaymentError) -> GatewayRequest {
        let payment = try input.decrypted("tokenizedCard")
        let (data, order) = (payment.data, input.order)
        let brand = CardBrand(data.accountNumber)
        let cryptogram = try Self.blocks(try payment.requiredCryptogram("cryptogram"), brand)
        try check(order, attempt: input.attempt)
        let network = Self.network(brand)
        let isAuthenticated = data.eciIndicator?.integer == (network.usesUCAF ? 2 : 5)
        let commerceIndicator: String? =
            switch options.commerceIndicator {
            case .eci: isAuthenticated ? network.indicator : "internet"
            case .network: network.indicator
            case .internet: "internet"
            case nil: nil
            }

        let body = JSONBody.object { body in
            body.object("clientReferenceInformation") { body in
                body.string("code", input.attempt.reference)
                body.string("transactionId", Self.transactionID(input.attempt))
            }
            body.object("processingInformation") { body in
                body.boolean("capture", options.capture)
                body.string("commerceIndicator", commerceIndicator)
                body.string("paymentSolution", "001")
            }
            body.object("paymentInformation") { body in
                body.object("tokenizedCard") { body in
                    body.secret("number", data.accountNumber.digits)
                    body.string("expirationMonth", data.expiration.twoDigitMonth)
                    body.string("expirationYear", data.expiration.fourDigitYear)
                    body.secret("cryptogram", cryptogram.blockA)
                    body.string("transactionType", "1")
                    body.string("type", network.type)
                }
            }
            body.object("orderInformation") { body in
                body.object("amountDetails") { body in
                    body.string("totalAmount", DecimalAmount.text(order.amount, order.currency))
                    body.string("currency", order.currency.alphabetic)
                }
                let billTo = Self.billTo(order.customer)
                guard !billTo.isEmpty else { return }
                body.object("billTo") { body in
                    for member in billTo { body.string(member.name, member.value) }
                }
            }
            body.object("consumerAuthenticationInformation") { body in
                if network.usesUCAF {
                    body.secret("ucafAuthenticationData", cryptogram.blockA)
                    body.string("ucafCollectionIndicator", "2")
                } else {
                    body.secret("cavv", cryptogram.blockA)
                    body.secret("xid", cryptogram.blockB)
                }
                body.string("eciRaw", data.eciIndicator?.twoDigits)
            }
        }
        return post("payments", body)
    }

    /// Returns the request of ``perform(_:on:of:)``, without its signature.
    package func reversalRequest(_ attempt: PaymentAttempt) -> GatewayRequest {
        let isSale = options.capture == true
        let body = JSONBody.object { body in
            body.object("clientReferenceInformation") {
                $0.string("transactionId", Self.transactionID(attempt))
            }
            guard !isSale else { return }
            body.object("reversalInformation") { body in
                body.object("amountDetails") { body in
                    body.string("totalAmount", DecimalAmount.text(attempt.amount, attempt.currency))
                    body.string("currency", attempt.currency.alphabetic)
                }
            }
        }
        return post(isSale ? "voids" : "reversals", body)
    }

    private func post(_ resource: String, _ body: SensitiveBytes) -> GatewayRequest {
        GatewayRequest(origin, "/pts/v2/\(resource)", headers: [.contentType()], body: body)
    }

    /// Returns the identifier with which a payment is reversed: a part of the key, because it is unique for 180 days
    /// and has at most 30 characters.
    private static func transactionID(_ attempt: PaymentAttempt) -> String {
        String(String(attempt.key).prefix(30))
    }

    /// Returns the members of `billTo` that a contact has, in the order of CyberSource's samples, with their lengths.
    static func billTo(
        _ customer: PaymentContact?
    ) -> [(name: String, value: String?, counts: ClosedRange<Int>)] {
        guard let customer else { return [] }
        return [
            ("firstName", customer.givenName, 1...60), ("lastName", customer.familyName, 1...60),
            ("address1", customer.addressLines.first, 1...60),
            ("locality", customer.locality, 1...50),
            ("administrativeArea", customer.administrativeArea, 1...20),
            ("postalCode", customer.postalCode, 1...10), ("country", customer.countryCode, 2...2),
            ("email", customer.emailAddress, 1...255),
        ].filter { $0.value?.isEmpty == false }
    }

    /// Returns the base64 of a cryptogram, and of the second 20 bytes if it has 40.
    private static func blocks(
        _ cryptogram: SensitiveBase64, _ brand: CardBrand?
    ) throws(PaymentError) -> (blockA: SensitiveBytes, blockB: SensitiveBytes?) {
        if brand == .americanExpress, cryptogram.byteCount == 40 {
            let bytes = cryptogram.decoded()
            if let first = bytes.slice(0..<20), let second = bytes.slice(20..<40) {
                return (first.base64(), second.base64())
            }
        }
        // The guide requires 28 characters: 19 or 20 bytes.
        guard cryptogram.text.count == 28 else { throw .gateway(.unsupportedLength, "cryptogram") }
        return (cryptogram.text, nil)
    }

    /// Returns `tokenizedCard.type` (three digits), the commerce indicator of an authenticated payment, and whether the
    /// cryptogram is sent in the UCAF fields and ECI 2 instead of 5 means authenticated.
    private static func network(
        _ brand: CardBrand?
    ) -> (type: String?, indicator: String, usesUCAF: Bool) {
        switch brand {
        case .visa: ("001", "vbv", false)
        case .mastercard: ("002", "spa", true)
        case .americanExpress: ("003", "aesk", false)
        case .discover: ("004", "dipb", false)
        case .dinersClub: ("005", "internet", false)
        case .jcb: ("007", "js", false)
        case .maestro: ("042", "spa", true)
        case .unionPay: ("062", "internet", false)
        case .mir, nil: (nil, "internet", false)
        }
    }
}
