import ApplePayGateways
import ApplePayToken
import Foundation
import TestVectors
import Testing
import TokenMint

@Suite("Worldline Direct's CreatePayment")
struct WorldlineDirectTests {
    private let mint = TokenMint(seed: "worldline")

    private func payment(_ payload: String) throws -> Payment {
        let merchant = try mint.merchant("one")
        let token = try mint.token(to: merchant) { $0.payload.text = Array(payload.utf8) }
        let decryptor = try KeyFolder.with([merchant]) { folder in
            try PaymentTokenDecryptor(
                keyring: MerchantKeyring(contentsOf: [folder]),
                anchor: TrustAnchor(testRootCertificate: mint.root.certificate.der)
            )
        }
        return try decryptor.decrypt(token.json, agePolicy: .received(at: TokenMint.useTime))
    }

    private func payload(
        expiry: String = "251231",
        authentication: String,
        type: String = "3DSecure",
        more: String = ""
    ) -> String {
        #"{"applicationPrimaryAccountNumber":"4761120010000492","#
            + #""applicationExpirationDate":"\#(expiry)","currencyCode":"978","#
            + #""transactionAmount":3000,\#(more)"#
            + #""deviceManufacturerIdentifier":"040010030273","paymentDataType":"\#(type)","#
            + #""paymentData":{\#(authentication)}}"#
    }

    private static let cryptogram = #""onlinePaymentCryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=""#

    private func order() throws -> Order {
        Order(amount: 3000, currency: try #require(Currency(alphabetic: "EUR")))
    }

    @Test("says the payment in Worldline's words, byte for byte")
    func minimal() throws {
        let payment = try payment(
            payload(authentication: Self.cryptogram + #","eciIndicator":"7""#))
        let request = try WorldlineDirect.createPayment(
            payment, order: order(), options: .init(authorizationMode: .finalAuthorization))
        #expect(request.method == "POST")
        #expect(request.path == "/v2/{merchantId}/payments")
        #expect(
            request.body?.revealText()
                == #"{"order":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"}},"#
                + #""mobilePaymentMethodSpecificInput":{"paymentProductId":302,"#
                + #""authorizationMode":"FINAL_AUTHORIZATION","decryptedPaymentData":"#
                + #"{"dpan":"4761120010000492","cryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","#
                + #""expiryDate":"1225","eci":7}}}"#)
        #expect(!"\(request)".contains("4761120010000492"))
    }

    @Test("holds everything that it is given")
    func full() throws {
        let payment = try payment(
            payload(
                authentication: Self.cryptogram + #","eciIndicator":"05""#,
                more: #""cardholderName":"Jane Doe","#))
        let request = try WorldlineDirect.createPayment(
            payment,
            order: order(),
            options: .init(
                authorizationMode: .preAuthorization,
                requiresApproval: true,
                merchantReference: "order-1001"
            )
        )
        #expect(
            request.body?.revealText()
                == #"{"order":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"},"#
                + #""references":{"merchantReference":"order-1001"}},"#
                + #""mobilePaymentMethodSpecificInput":{"paymentProductId":302,"#
                + #""authorizationMode":"PRE_AUTHORIZATION","requiresApproval":true,"#
                + #""decryptedPaymentData":{"dpan":"4761120010000492","#
                + #""cryptogram":"jiSRYgf6G2rjYwAAC0GPAHQAAAA=","expiryDate":"1225","#
                + #""cardholderName":"Jane Doe","eci":5}}}"#)
    }

    @Test("writes the expiry as month and year, and invents no ECI")
    func expiry() throws {
        let payment = try payment(payload(expiry: "301109", authentication: Self.cryptogram))
        let body =
            try WorldlineDirect.createPayment(payment, order: order()).body?.revealText() ?? ""
        #expect(body.contains(#""expiryDate":"1130"}"#))
        #expect(!body.contains(#""eci""#))
    }

    @Test("is refused for another order, before anything is written")
    func otherOrder() throws {
        let payment = try payment(payload(authentication: Self.cryptogram))
        let order = Order(amount: 3001, currency: try self.order().currency)
        let error = #expect(throws: PaymentTokenError.self) {
            try WorldlineDirect.createPayment(payment, order: order)
        }
        #expect(error?.stage == .order)
        #expect(error?.code == "order-mismatch")
    }

    @Test("is refused for EMV data, which has no cryptogram")
    func emv() throws {
        let payment = try payment(payload(authentication: #""emvData":"nyYI""#, type: "EMV"))
        let error = #expect(throws: PaymentTokenError.self) {
            try WorldlineDirect.createPayment(payment, order: order())
        }
        #expect(error?.stage == .gateway)
        #expect(error?.code == "cryptogram-missing")
    }

    @Test(
        "takes a cardholder name of 2 to 51 characters, and leaves an empty one out",
        arguments: [(0, true), (1, false), (2, true), (51, true), (52, false)]
    )
    func cardholderName(_ count: Int, _ isAccepted: Bool) throws {
        let name = String(repeating: "é", count: count)
        let payment = try payment(
            payload(authentication: Self.cryptogram, more: #""cardholderName":"\#(name)","#))
        if isAccepted {
            let body =
                try WorldlineDirect.createPayment(payment, order: order()).body?.revealText() ?? ""
            #expect(body.contains("cardholderName") == (count > 0))
        } else {
            let error = #expect(throws: PaymentTokenError.self) {
                try WorldlineDirect.createPayment(payment, order: order())
            }
            #expect(error?.code == "unsupported-length")
        }
    }
}
