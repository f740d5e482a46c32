import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

/// Payments for the gateways, and comparisons of the resulting requests with the vectors.
enum GatewayFixture {
    private static let pki = TestPKI(seed: "gateways")

    /// Returns the payload of the invented payment in `gateway-vectors.json`; each part can be replaced.
    static func payload(
        account: String = "4761120010000492",
        expiry: String = "251231",
        currency: String = "978",
        amount: String = "3000",
        more: String = "",
        type: String = "3DSecure",
        authentication: String =
            #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","eciIndicator":"7""#
    ) -> String {
        #"{"applicationPrimaryAccountNumber":"\#(account)","applicationExpirationDate":"\#(expiry)","#
            + #""currencyCode":"\#(currency)","transactionAmount":\#(amount),\#(more)"#
            + #""deviceManufacturerIdentifier":"040010030273","paymentDataType":"\#(type)","#
            + #""paymentData":{\#(authentication)}}"#
    }

    /// Returns a verified and decrypted token with this payload.
    static func payment(
        _ payload: String = payload(),
        _ version: TokenVersion = .ec
    ) throws -> Payment {
        let merchant = try pki.merchant("one", version)
        let token = try pki.token(to: merchant) { $0.payload.text = Array(payload.utf8) }
        let decryptor = try KeyFolder.with([merchant]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der)
            )
        }
        return try decryptor.decrypt(token.json, agePolicy: .received(at: TestPKI.useTime))
    }

    /// Returns the order that the payload pays for, with the reference `order-1001`.
    static func order(
        _ amount: Int64 = 3000,
        _ currency: String = "EUR",
        reference: String = "order-1001",
        zeroAmount: ZeroAmountPolicy = .asOrdered
    ) throws -> Order {
        Order(
            reference: ExactText(reference), amount: amount,
            currency: try #require(Currency(alphabetic: ExactText(currency))),
            zeroAmount: zeroAmount)
    }

    /// Returns an order that accepts a token for 0.
    static func zeroTakingOrder(_ amount: Int64 = 3000) throws -> Order {
        try order(amount, zeroAmount: .accepted)
    }

    /// Returns the attempt to pay an order, with the key `attempt-1`.
    static func attempt(_ order: Order, slot: Int = 1) throws -> PaymentAttempt {
        try PaymentAttempt(order, slot: slot, key: "attempt-1")
    }

    /// Returns a payment as a gateway gets it, of the order that the payload pays for, in an object of the gateway's if there is
    /// one.
    static func accepted(
        _ payment: Payment? = nil,
        session: ExactText? = nil,
        _ change: (inout Order) throws -> Void = { _ in }
    ) throws -> AcceptedPayment {
        let payment = try payment ?? Self.payment()
        var order = try order(
            payment.amount, String(try #require(payment.currency).alphabetic))
        try change(&order)
        let attempt = try with(attempt(order)) { $0.sessionID = session }
        return AcceptedPayment(order, attempt, payment.token, payment)
    }

    /// Returns what a request is written from, for a payment that is not compared with the order.
    static func input(
        _ payment: Payment? = nil,
        _ change: (inout Order) throws -> Void = { _ in }
    ) throws -> PaymentInput {
        let payment = try payment ?? Self.payment()
        var order = try order(
            payment.amount, String(try #require(payment.currency).alphabetic))
        try change(&order)
        return PaymentInput(order, try attempt(order), payment.token.parsed, payment)
    }

    /// Returns a payment whose token is for 0.
    static func zeroPayment() throws -> Payment { try payment(payload(amount: "0")) }

    /// Returns a secret for tests.
    static func secret(_ text: String) -> SensitiveBytes { SensitiveBytes(copying: text.utf8.span) }

    /// Returns the whole request as text: the request line, the headers, an empty line and the body.
    static func text(_ request: GatewayRequest) -> String {
        let headers = request.headers.map { "\($0.name): \($0.revealValue())\n" }.joined()
        return "\(request.method) \(request.url)\n\(headers)\n\(request.body?.revealText() ?? "")\n"
    }

    /// Compares a request with `TestVectors/gateways/NAME.http`, byte for byte; then sends it over HTTP and compares
    /// the received request.
    static func expect(
        _ request: GatewayRequest,
        is name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(
            text(request) == (try GatewayVector.request(name)), sourceLocation: sourceLocation)
        try await Exchange(request, sourceLocation).run()
    }

    /// Expects a refusal of the stage `gateway` with this code and this field.
    static func expectRefusal(
        _ code: PaymentError.Code,
        _ field: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> GatewayRequest
    ) {
        let error = #expect(throws: PaymentError.self, sourceLocation: sourceLocation) {
            try body()
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.members == [field], sourceLocation: sourceLocation)
    }
}
