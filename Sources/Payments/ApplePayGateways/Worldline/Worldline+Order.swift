internal import ApplePayAcceptance
internal import ApplePayPrimitives

extension Worldline.Gateway {
    func charge(
        _ attempt: PaymentAttempt, _ request: GatewayRequest
    ) -> PaymentCall {
        call(attempt, canMoveMoney: true, request) { response in
            .outcome(
                OrderOutcome(
                    report: Worldline.paymentReport(response, Self.platform), attempt: attempt))
        }
    }

    /// Whether the token is sent encrypted.
    func isEncrypted(_ input: PaymentInput) -> Bool {
        options.sendsEncrypted || input.payment == nil
    }

    /// Returns `decryptedPaymentData`; nil for a token that is sent encrypted.
    ///
    /// - Throws: `gateway` with code `unsupported-emv` or `cryptogram-missing`.
    func decryptedData(
        _ input: PaymentInput
    ) throws(PaymentError) -> DecryptedPaymentData? {
        guard !isEncrypted(input) else { return nil }
        return try DecryptedPaymentData(
            try input.decrypted("decryptedPaymentData"), eciForm: options.eciForm)
    }

    /// Returns the CreatePayment request; `writeMeans` writes what pays the order.
    func paymentRequest(
        _ order: Order, _ attempt: PaymentAttempt, _ writeMeans: (inout JSONBody) -> Void
    ) throws(PaymentError) -> GatewayRequest {
        let input = try Worldline.OrderInput(
            order, attempt, Self.platform, options.addressIndicator)
        let body = JSONBody.object { body in
            input.write(into: &body)
            writeMeans(&body)
        }
        return try post("payments", key: attempt.key, body)
    }

    /// Writes `mobilePaymentMethodSpecificInput`; `members` writes the members that differ between the platforms.
    func writeMobileInput(into body: inout JSONBody, _ members: (inout JSONBody) -> Void) {
        body.object("mobilePaymentMethodSpecificInput") { body in
            body.integer("paymentProductId", Worldline.paymentProductId)
            body.string("authorizationMode", options.authorizationMode?.rawValue)
            body.boolean("requiresApproval", options.requiresApproval)
            members(&body)
        }
    }
}

extension Worldline {
    /// Writes `amountOfMoney`, with the platform's units.
    static func write(_ amount: Int64, _ currency: Currency, into body: inout JSONBody) {
        body.object("amountOfMoney") { body in
            body.integer("amount", amount)
            body.string("currencyCode", currency.alphabetic)
        }
    }

    /// The member `order` of a request.
    struct OrderInput {
        private let order: Order
        private let amount: Int64
        private let reference: ExactText
        private let mark: ExactText?
        private let addressIndicator: String?

        /// Creates the member; a text that is too long is refused, not truncated.
        ///
        /// - Throws: `gateway` with code `unsupported-amount` (`amount`), `unsupported-length` (`merchantReference`), then
        ///   `unsupported-length` for the members of the contacts.
        init(
            _ order: Order, _ attempt: PaymentAttempt, _ platform: Platform,
            _ addressIndicator: String?
        ) throws(PaymentError) {
            guard order.amount >= 0 else { throw .gateway(.unsupportedAmount, "amount") }
            self.order = order
            amount = try platform.scale.amount(order.amount, of: order.currency, "amount")
            reference = attempt.reference
            // Connect has no such member.
            mark = platform.isDirect ? attempt.mark : nil
            self.addressIndicator = addressIndicator
            let length = platform.lengths["merchantReference"] ?? .max
            try FieldLength.check(reference, "merchantReference", 1...length)
            for contact in [order.customer, order.shipping].compactMap({ $0 }) {
                let names = [
                    ("firstName", contact.givenName), ("surname", contact.familyName),
                ]
                for (name, value) in names + Self.address(contact) {
                    let counts =
                        name == "countryCode" ? 2...2 : 0...(platform.lengths[name] ?? .max)
                    try FieldLength.check(value, name, counts)
                }
            }
        }

        /// Writes the member.
        func write(into body: inout JSONBody) {
            body.object("order") { body in
                Worldline.write(amount, order.currency, into: &body)
                body.object("references") { body in
                    body.string("merchantReference", reference)
                    body.string("merchantParameters", mark)
                }
                writeCustomer(into: &body)
                writeShipping(into: &body)
            }
        }

        /// Writes `customer`, from the billing contact; the payment sheet asks for email address and phone number with the
        /// shipping contact.
        private func writeCustomer(into body: inout JSONBody) {
            let (billing, shipping) = (order.customer, order.shipping)
            let email = billing?.emailAddress ?? shipping?.emailAddress
            let phone = billing?.phoneNumber ?? shipping?.phoneNumber
            let address = billing.map(Self.address) ?? []
            let hasName = billing?.givenName != nil || billing?.familyName != nil
            let hasAddress = address.contains { $0.value != nil }
            guard email != nil || phone != nil || hasName || hasAddress else { return }
            body.object("customer") { body in
                if email != nil || phone != nil {
                    body.object("contactDetails") { body in
                        body.string("emailAddress", email)
                        body.string("phoneNumber", phone)
                    }
                }
                if hasName, let billing {
                    body.object("personalInformation") { Self.writeName(billing, into: &$0) }
                }
                if hasAddress {
                    body.object("billingAddress") { body in
                        for member in address { body.string(member.name, member.value) }
                    }
                }
            }
        }

        private func writeShipping(into body: inout JSONBody) {
            let contact = order.shipping ?? PaymentContact()
            let address = Self.address(contact)
            let hasName = contact.givenName != nil || contact.familyName != nil
            let hasAddress = hasName || address.contains { $0.value != nil }
            guard contact.emailAddress != nil || addressIndicator != nil || hasAddress else {
                return
            }
            body.object("shipping") { body in
                body.string("emailAddress", contact.emailAddress)
                body.string("addressIndicator", addressIndicator)
                guard hasAddress else { return }
                body.object("address") { body in
                    if hasName { Self.writeName(contact, into: &body) }
                    for member in address { body.string(member.name, member.value) }
                }
            }
        }

        private static func writeName(_ contact: PaymentContact, into body: inout JSONBody) {
            body.object("name") { body in
                body.string("firstName", contact.givenName)
                body.string("surname", contact.familyName)
            }
        }

        /// Returns the members of an address.
        ///
        /// The first line becomes `street`. Further lines and the district become `additionalInfo`. The county is left out.
        private static func address(_ contact: PaymentContact) -> [(name: String, value: String?)] {
            let rest = contact.addressLines.dropFirst() + [contact.subLocality].compactMap { $0 }
            return [
                ("street", contact.addressLines.first), ("houseNumber", contact.houseNumber),
                ("additionalInfo", rest.isEmpty ? nil : rest.joined(separator: ", ")),
                ("zip", contact.postalCode), ("city", contact.locality),
                ("state", contact.administrativeArea), ("countryCode", contact.countryCode),
            ]
        }
    }
}
