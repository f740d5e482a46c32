internal import ApplePayPrimitives
internal import ApplePayToken

extension Worldline {
    /// Returns the body of CreatePayment.
    ///
    /// - Parameters:
    ///   - order: The member `order`.
    ///   - authorizationMode: How the amount is authorized.
    ///   - requiresApproval: Whether an approval must follow.
    ///   - members: Writes the other members of `mobilePaymentMethodSpecificInput`, which differ between the platforms.
    /// - Returns: Compact UTF-8 JSON.
    static func paymentBody(
        _ order: OrderInput,
        _ authorizationMode: AuthorizationMode?,
        _ requiresApproval: Bool?,
        _ members: (inout JSONBody) -> Void
    ) -> SensitiveBytes {
        JSONBody.object { body in
            order.write(into: &body)
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.integer("paymentProductId", paymentProductId)
                body.string("authorizationMode", authorizationMode?.rawValue)
                body.boolean("requiresApproval", requiresApproval)
                members(&body)
            }
        }
    }

    /// Checks that an amount is not negative.
    ///
    /// - Throws: `gateway` with code `unsupported-amount` (`amount`).
    static func checkAmount(_ order: Order) throws(PaymentTokenError) {
        guard order.amount >= 0 else {
            throw PaymentTokenError(.unsupportedAmount, member: "amount")
        }
    }

    /// The member `order` of a request.
    struct OrderInput {
        private let amount: Int64
        private let currency: Currency
        private let merchantReference: String?
        private let customer: Customer?
        private let shipping: Shipping?

        /// Creates the member from an order and the customer's data; a text that is too long is refused, not truncated.
        ///
        /// - Parameters:
        ///   - order: The order, whose amount was checked before.
        ///   - scale: The decimals that the API uses.
        ///   - merchantReference: The merchant's identifier of the order.
        ///   - customer: The customer.
        ///   - shipping: The shipping address.
        ///   - lengths: The maximum number of characters of each member, by name.
        /// - Throws: `gateway` with code `unsupported-amount` (`amount`), then `unsupported-length`.
        init(
            _ order: Order,
            _ scale: CurrencyScale,
            _ merchantReference: String?,
            _ customer: Customer?,
            _ shipping: Shipping?,
            lengths: [String: Int]
        ) throws(PaymentTokenError) {
            amount = try scale.amount(order, "amount")
            currency = order.currency
            self.merchantReference = merchantReference
            self.customer = customer
            self.shipping = shipping
            try check(lengths)
        }

        private func check(_ lengths: [String: Int]) throws(PaymentTokenError) {
            let names = [
                ("firstName", customer?.firstName), ("surname", customer?.surname),
                ("firstName", shipping?.firstName), ("surname", shipping?.surname),
            ]
            let addresses = [customer?.billingAddress, shipping?.address].compactMap { $0 }
            for (name, value) in names + addresses.flatMap(\.members) {
                let counts = name == "countryCode" ? 2...2 : 0...(lengths[name] ?? .max)
                try FieldLength.check(value, name, counts)
            }
        }

        /// Writes the member.
        func write(into body: inout JSONBody) {
            body.object("order") { body in
                body.object("amountOfMoney") { body in
                    body.integer("amount", amount)
                    body.string("currencyCode", currency.alphabetic)
                }
                if let merchantReference {
                    body.object("references") { $0.string("merchantReference", merchantReference) }
                }
                if let customer, !customer.isEmpty { Self.write(customer, into: &body) }
                if let shipping, !shipping.isEmpty { Self.write(shipping, into: &body) }
            }
        }

        private static func write(_ customer: Customer, into body: inout JSONBody) {
            body.object("customer") { body in
                if customer.emailAddress != nil || customer.phoneNumber != nil {
                    body.object("contactDetails") { body in
                        body.string("emailAddress", customer.emailAddress)
                        body.string("phoneNumber", customer.phoneNumber)
                    }
                }
                if customer.firstName != nil || customer.surname != nil {
                    body.object("personalInformation") { body in
                        write(name: customer.firstName, customer.surname, into: &body)
                    }
                }
                if let address = customer.billingAddress, !address.isEmpty {
                    body.object("billingAddress") { body in
                        for member in address.members { body.string(member.name, member.value) }
                    }
                }
            }
        }

        private static func write(_ shipping: Shipping, into body: inout JSONBody) {
            body.object("shipping") { body in
                body.string("emailAddress", shipping.emailAddress)
                body.string("addressIndicator", shipping.addressIndicator)
                guard shipping.hasAddress else { return }
                body.object("address") { body in
                    write(name: shipping.firstName, shipping.surname, into: &body)
                    for member in shipping.address?.members ?? [] {
                        body.string(member.name, member.value)
                    }
                }
            }
        }

        private static func write(
            name firstName: String?,
            _ surname: String?,
            into body: inout JSONBody
        ) {
            guard firstName != nil || surname != nil else { return }
            body.object("name") { body in
                body.string("firstName", firstName)
                body.string("surname", surname)
            }
        }
    }
}

extension Worldline {
    /// The permitted lengths of a cardholder name, in characters, from Connect's documentation; Direct documents none.
    private static var cardholderNameCounts: ClosedRange<Int> { 2...51 }

    /// The member `decryptedPaymentData`.
    struct DecryptedPaymentData {
        private let data: PaymentData
        private let cryptogram: SensitiveBytes
        private let cardholderName: SensitiveBytes?
        private let eciForm: ECIForm

        /// Creates the member from a payment.
        ///
        /// - Throws: `gateway` with code `cryptogram-missing`.
        init(_ payment: Payment, _ eciForm: ECIForm) throws(PaymentTokenError) {
            data = payment.data
            cryptogram = try payment.requiredCryptogram("cryptogram").text
            cardholderName = payment.cardholderName(cardholderNameCounts)
            self.eciForm = eciForm
        }

        /// Writes the member.
        func write(into body: inout JSONBody) {
            body.object("decryptedPaymentData") { body in
                body.secret("dpan", data.accountNumber.digits)
                body.secret("cryptogram", cryptogram)
                body.string("expiryDate", data.expiration.monthAndYear)
                body.secret("cardholderName", cardholderName)
                switch eciForm {
                case .number: body.integer("eci", data.eciIndicator.map { Int64($0.integer) })
                case .string: body.string("eci", data.eciIndicator?.text)
                }
            }
        }
    }
}
