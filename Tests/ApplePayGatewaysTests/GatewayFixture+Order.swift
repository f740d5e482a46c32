import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import ApplePayTokenTesting
import Testing

extension GatewayFixture {
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
    static func expectOrderMismatch(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> GatewayRequest
    ) {
        let error = #expect(throws: PaymentTokenError.self, sourceLocation: sourceLocation) {
            try body()
        }
        #expect(error?.stage == .order, sourceLocation: sourceLocation)
        #expect(error?.code == .orderMismatch, sourceLocation: sourceLocation)
    }
}
