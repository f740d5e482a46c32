package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayWire

/// CyberSource (Visa Acceptance) REST: payments with Apple Pay data that the merchant decrypted.
///
/// CyberSource keeps no first answer for a key, and its cards have neither messages nor a query that states what was
/// captured. After a lost answer, a cancellation of the whole amount reverses the payment, whatever its state is.
///
/// Source: CyberSource, *Apple Pay Developer Guide*, "merchant decryption", and the vendor's sample
/// `digital-payments-applepay.js`.
package struct CyberSource: PaymentGateway {
    /// The servers that accept requests.
    package enum Environment: String, CaseIterable, Sendable {
        /// Real money.
        case live = "https://api.cybersource.com"
        /// The vendor's test system.
        case test = "https://apitest.cybersource.com"
    }

    /// The choice of `processingInformation.commerceIndicator`, on which CyberSource's pages differ.
    ///
    /// The indicator claims a degree of authentication. By default it therefore claims no more than Apple reported.
    package enum CommerceIndicator: String, CaseIterable, Sendable {
        /// The network's indicator if the payment's ECI means authenticated (5; 2 for Mastercard and Maestro),
        /// otherwise `internet`, also without an ECI.
        case eci
        /// The network's indicator for any ECI, as in the guide's samples: `vbv`, `spa`, `aesk`, `dipb` or `js`;
        /// `internet` for networks for which the guide does not list one.
        case network
        /// `internet`, as in the samples of some CyberSource resellers.
        case internet
    }

    /// The members of a payment that are the same for every order.
    package struct Options: Sendable {
        /// `processingInformation.capture`: true for a sale, false or nil for an authorization only.
        package var capture: Bool?
        /// `processingInformation.commerceIndicator`; nil leaves it out, as the vendor's sample code does.
        package var commerceIndicator: CommerceIndicator? = .eci

        /// Creates options with the defaults.
        package init() {}
    }

    /// The name in reports.
    package static let gatewayName: ExactText = "cybersource"
    /// The key that signs requests.
    package var credentials: Credentials
    /// Scheme and host: those of an ``Environment``, or of a proxy; the host is signed.
    package var origin: String
    /// Whether the account is for tests, as the environment states it.
    package var isTest: Bool
    /// The members of a payment that are the same for every order.
    package var options = Options()

    /// Creates a gateway for a merchant's account.
    package init(credentials: Credentials, environment: Environment) {
        self.credentials = credentials
        origin = environment.rawValue
        isTest = environment != .live
    }

    /// `cybersource`.
    package var name: ExactText { Self.gatewayName }

    /// `merchantID`.
    package var account: ExactText { ExactText(credentials.merchantID) }

    /// Decrypted payments, and the cancellation of one whose answer was lost.
    package var abilities: GatewayAbilities {
        GatewayAbilities([.decrypted], operations: [.cancellation: .whole])
    }

    /// Checks the amount, the reference and the billing contact.
    package func check(_ order: Order, attempt: PaymentAttempt) throws(PaymentError) {
        guard order.amount >= 0 else { throw .gateway(.unsupportedAmount, "totalAmount") }
        try FieldLength.check(attempt.reference, "code", 1...50)
        for member in Self.billTo(order.customer) {
            try FieldLength.check(member.value, member.name, member.counts)
        }
    }

    /// Creates a payment request: `POST /pts/v2/payments` with `tokenizedCard`.
    ///
    /// `totalAmount` is a decimal string with the currency's decimals, `expirationMonth` is MM, `expirationYear` is
    /// YYYY, `paymentSolution` is 001 (Apple Pay) and `transactionType` is 1. The card's type is derived from the range
    /// of the account number. `billTo` is the order's customer, with the first line of the address.
    ///
    /// The cryptogram is sent in `tokenizedCard.cryptogram` and again in another member: for Mastercard in
    /// `ucafAuthenticationData` with `ucafCollectionIndicator` 2, for all other networks in `cavv`. An American Express
    /// cryptogram of 40 bytes is split: the first 20 bytes are sent in `cryptogram` and `cavv`, the last 20 in `xid`,
    /// each in base64. CyberSource's field list calls both parts "block A"; the guide calls them A and B.
    ///
    /// `eciRaw` is Apple's ECI in two digits, left out if Apple gave none; see ``CommerceIndicator`` as well. The
    /// guide's list contains neither the types 005, 042 and 062 nor the rule that Maestro is sent like Mastercard.
    ///
    /// Errors: `gateway` with code `token-not-decrypted`, `unsupported-emv`, `cryptogram-missing`, `unsupported-length` for the
    /// cryptogram, `unsupported-amount`, then `unsupported-length` for `code` and the members of `billTo`, whose
    /// lengths are from the published API reference and were not confirmed.
    ///
    /// Source: CyberSource, *Apple Pay Developer Guide*, "Authorize an Apple Pay payment with merchant
    /// decryption"; its API field reference for `cavv`, `xid` and the UCAF fields; its REST client's
    /// `Ptsv2paymentsConsumerAuthenticationInformation` for `eciRaw` (2026-11-22). The guide lists the commerce
    /// indicator and `billTo` as required "depending on your processor", so state the order's customer unless your
    /// processor does not need it. The number of digits of `eciRaw` could not be confirmed.
    package func payment(_ accepted: AcceptedPayment) throws(PaymentError) -> PaymentCall {
        let (attempt, isSale) = (accepted.attempt, options.capture == true)
        return call(attempt, try paymentRequest(PaymentInput(accepted))) { response in
            .outcome(
                OrderOutcome(
                    report: Self.paymentReport(response, isSale: isSale), attempt: attempt))
        }
    }

    /// Returns the request of ``payment(_:)`` without credentials, for a shop that sends it with a client of its own.
    package func paymentRequest(
        _ payment: Payment, for order: Order
    ) throws(PaymentError) -> GatewayRequest {
        try withoutCredentials(payment, for: order, paymentRequest)
    }

    /// Creates the cancellation of a payment whose answer was lost: `POST /pts/v2/reversals`, or `POST /pts/v2/voids` for a
    /// sale.
    ///
    /// Perform it 60 seconds after the payment or later, as `OrderPayments` does, with the same ``options``. If it is refused, the payment may exist
    /// all the same. `transactionId` is the first 30 characters of the key, which must differ between payments. Errors:
    /// `gateway` with code `unsupported-operation` for a payment whose answer arrived, and for captures and refunds, then
    /// `unsupported-amount` for another amount than the order's.
    ///
    /// Source: CyberSource, *Timeout Reversals*, *Timeout Voids*; its REST client, `MitReversalRequest`,
    /// `MitVoidRequest`.
    package func perform(
        _ operation: PaymentOperation, on payment: PaymentReport, of attempt: PaymentAttempt
    ) throws(PaymentError) -> OperationCall {
        guard operation.kind == .cancellation, (attempt.paymentID ?? payment.paymentID) == nil
        else { throw .gateway(.unsupportedOperation, operation.kind.rawValue) }
        guard operation.amount ?? attempt.amount == attempt.amount else {
            throw .gateway(.unsupportedAmount, "amount")
        }
        return call(attempt, reversalRequest(attempt)) { response in
            .outcome(
                OperationOutcome(
                    Self.reversalReport(response), of: .cancellation, amount: attempt.amount,
                    on: attempt))
        }
    }

    /// Creates a call with a request that is signed when it is sent.
    private func call<Outcome: GatewayOutcome>(
        _ attempt: PaymentAttempt, _ request: GatewayRequest,
        _ read: @escaping @Sendable (GatewayResponse) -> GatewayCall<Outcome>.Reading
    ) -> GatewayCall<Outcome> {
        GatewayCall(
            attempt, at: self, canMoveMoney: true,
            request: { [credentials] date throws(PaymentError) in
                try Self.authorize(request, credentials, date: date)
            }, read: read)
    }
}
