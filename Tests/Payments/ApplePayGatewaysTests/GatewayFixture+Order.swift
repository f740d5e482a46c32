import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTesting
import ApplePayWire
import Foundation
import TestVectors
import Testing

extension GatewayFixture {
    private static let opened = Result { try payment() }

    /// Returns an order with the members that some gateways require, which every gateway accepts.
    static func order(
        _ amount: Int64 = 3000,
        _ currency: String = "EUR",
        reference: String = "order-1001",
        with change: (inout Order) throws -> Void
    ) throws -> Order {
        var order = try order(amount, currency, reference: reference)
        order.description = "d"
        order.returnURL = "https://shop.example/r"
        try change(&order)
        return order
    }

    /// Returns a payment of the order's amount; that of ``payment(_:_:)`` for a negative amount.
    static func payment(of order: Order) throws -> Payment {
        let currency = order.currency.numeric
        guard order.amount >= 0, order.amount != 3000 || currency != "978" else {
            return try opened.get()
        }
        return try payment(payload(currency: String(currency), amount: "\(order.amount)"))
    }

    /// Returns what a request is written from, for an encrypted token.
    static func input(
        _ token: PaymentToken,
        _ order: Order? = nil
    ) throws -> PaymentInput {
        let order = try order ?? Self.order { _ in }
        return PaymentInput(order, try attempt(order), token)
    }

    /// Returns an attempt to pay an order, with the gateway's identifier of the payment.
    static func attempt(_ order: Order? = nil, paymentID: ExactText?) throws -> PaymentAttempt {
        try with(attempt(order ?? Self.order())) { $0.paymentID = paymentID }
    }

    /// Returns the request for an operation on a payment of which the gateway reported nothing but its identifier.
    static func request(
        _ operation: PaymentOperation,
        at gateway: some PaymentGateway,
        of attempt: PaymentAttempt
    ) throws -> GatewayRequest {
        try gateway.perform(operation, on: PaymentReport(gateway: gateway.name), of: attempt)
            .request(at: Date(timeIntervalSince1970: 1_795_249_800))
    }

    /// Returns a request's body as text; empty without one.
    static func body(_ request: GatewayRequest) -> String { request.body?.revealText() ?? "" }

    /// Returns a payment whose token was received in PassKit's object, with this network and this identifier.
    static func payment(
        _ payload: String = payload(),
        besideNetwork network: String,
        transactionId: [UInt8]? = nil
    ) throws -> Payment {
        let pki = TestPKI(seed: "PassKit")
        let merchant = try pki.merchant("one")
        let token = try pki.token(to: merchant) {
            $0.payload.text = Array(payload.utf8)
            if let transactionId { $0.transactionId = transactionId }
        }
        let decryptor = try KeyFolder.with([merchant]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: pki.root.certificate.der))
        }
        let identifier = Hexadecimal.text(token.transactionId).uppercased()
        let rest =
            #","paymentMethod":{"network":"\#(network)","type":"debit"},"#
            + #""transactionIdentifier":"\#(identifier)"}"#
        return try decryptor.decrypt(
            Array(#"{"paymentData":"#.utf8) + token.json + Array(rest.utf8),
            agePolicy: .received(at: TestPKI.useTime))
    }

    /// Expects a refusal because the payment does not match the order.
    static func expectOrderMismatch<Result>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Result
    ) {
        let error = #expect(throws: PaymentError.self, sourceLocation: sourceLocation) {
            _ = try body()
        }
        #expect(error?.code == .orderMismatch, sourceLocation: sourceLocation)
    }
}
