import ApplePayGatewaysTesting
import ApplePayToken
import Testing

@testable import ApplePayGateways

/// A text of a request, and the lengths that the gateway accepts.
private struct LimitedField: Sendable, CustomTestStringConvertible {
    let gateway: String
    let field: String
    let counts: ClosedRange<Int>
    let make: @Sendable (String) throws -> GatewayRequest

    var testDescription: String { "\(gateway) \(field)" }

    init(
        _ gateway: String,
        _ field: String,
        _ counts: ClosedRange<Int>,
        _ make: @escaping @Sendable (String) throws -> GatewayRequest
    ) {
        self.gateway = gateway
        self.field = field
        self.counts = counts
        self.make = make
    }
}

@Suite("Limits of fields")
struct FieldLimitTests {
    private static let opened = Result { try GatewayFixture.payment() }

    static func adyen(
        account: String = "a",
        reference: String = "r",
        key: String = "k",
        endpoint: Adyen.Endpoint = .test,
        _ change: (inout Adyen.PaymentOptions) -> Void = { _ in }
    ) throws -> GatewayRequest {
        try Adyen.createPayment(
            opened.get(), order: GatewayFixture.order(), merchantAccount: account,
            reference: reference, apiKey: GatewayFixture.secret(key),
            options: with(Adyen.PaymentOptions(), change), endpoint: endpoint)
    }

    static func checkout(
        key: String = "k",
        endpoint: Checkout.Endpoint = .live,
        _ change: (inout Checkout.PaymentOptions) -> Void = { _ in }
    ) throws -> GatewayRequest {
        try Checkout.createPayment(
            opened.get(), order: GatewayFixture.order(), secretKey: GatewayFixture.secret(key),
            options: with(Checkout.PaymentOptions(), change), endpoint: endpoint)
    }

    static func cyberSource(
        _ change: (inout CyberSource.PaymentOptions) -> Void
    ) throws -> GatewayRequest {
        try CyberSource.createPayment(
            opened.get(), order: GatewayFixture.order(),
            options: with(CyberSource.PaymentOptions(), change))
    }

    private static func billTo(
        _ member: @escaping @Sendable (inout CyberSource.BillTo, String) -> Void
    ) -> @Sendable (String) throws -> GatewayRequest {
        { text in
            try cyberSource { $0.billTo = with(CyberSource.BillTo()) { member(&$0, text) } }
        }
    }

    static func payPal(
        id: String = "i",
        token: String = "t",
        _ change: (inout PayPal.OrderOptions) -> Void = { _ in }
    ) throws -> GatewayRequest {
        try PayPal.createOrder(
            opened.get(), order: GatewayFixture.order(), accessToken: GatewayFixture.secret(token),
            requestID: id, options: with(PayPal.OrderOptions(), change))
    }

    private static func direct(
        _ change: (inout WorldlineDirect.CreatePaymentOptions) -> Void
    ) throws -> GatewayRequest {
        try WorldlineDirect.createPayment(
            opened.get(), order: GatewayFixture.order(),
            options: with(WorldlineDirect.CreatePaymentOptions(), change))
    }

    private static func address(_ countryCode: String) -> Worldline.Address {
        with(Worldline.Address()) { $0.countryCode = countryCode }
    }

    private static let fields: [LimitedField] = [
        .init("Adyen", "merchantAccount", 1...2000) { try adyen(account: $0) },
        .init("Adyen", "reference", 1...80) { try adyen(reference: $0) },
        .init("Adyen", "shopperReference", 3...256) { text in
            try adyen { $0.shopperReference = text }
        },
        .init("Adyen", "prefix", 1...63) { try adyen(endpoint: .live(prefix: $0)) },
        .init("Adyen", "apiKey", 1...2000) { try adyen(key: $0) },
        .init("Adyen", "Idempotency-Key", 1...64) { text in try adyen { $0.idempotencyKey = text }
        },
        .init("Checkout.com", "reference", 1...80) { text in try checkout { $0.reference = text } },
        .init("Checkout.com", "processing_channel_id", 1...2000) { text in
            try checkout { $0.processingChannelID = text }
        },
        .init("Checkout.com", "subdomain", 1...63) {
            try checkout(endpoint: .sandbox(subdomain: $0))
        },
        .init("Checkout.com", "secretKey", 1...2000) { try checkout(key: $0) },
        .init("Checkout.com", "Cko-Idempotency-Key", 1...80) { text in
            try checkout { $0.idempotencyKey = text }
        },
        .init("CyberSource", "code", 1...50) { text in try cyberSource { $0.code = text } },
        .init("CyberSource", "firstName", 1...60, billTo { $0.firstName = $1 }),
        .init("CyberSource", "lastName", 1...60, billTo { $0.lastName = $1 }),
        .init("CyberSource", "address1", 1...60, billTo { $0.address1 = $1 }),
        .init("CyberSource", "locality", 1...50, billTo { $0.locality = $1 }),
        .init("CyberSource", "administrativeArea", 1...20, billTo { $0.administrativeArea = $1 }),
        .init("CyberSource", "postalCode", 1...10, billTo { $0.postalCode = $1 }),
        .init("CyberSource", "country", 2...2, billTo { $0.country = $1 }),
        .init("CyberSource", "email", 1...255, billTo { $0.email = $1 }),
        .init("PayPal", "reference_id", 1...256) { text in try payPal { $0.referenceID = text } },
        .init("PayPal", "description", 1...127) { text in try payPal { $0.description = text } },
        .init("PayPal", "custom_id", 1...255) { text in try payPal { $0.customID = text } },
        .init("PayPal", "invoice_id", 1...127) { text in try payPal { $0.invoiceID = text } },
        .init("PayPal", "email_address", 3...254) { text in try payPal { $0.emailAddress = text } },
        .init("PayPal", "PayPal-Request-Id", 1...108) { try payPal(id: $0) },
        .init("PayPal", "accessToken", 1...2000) { try payPal(token: $0) },
        .init("Worldline Direct", "X-GCS-Idempotence-Key", 1...40) { text in
            try direct { $0.idempotenceKey = text }
        },
        .init("Worldline Connect", "X-GCS-Idempotence-Key", 1...40) {
            try WorldlineConnect.cancel("1", idempotenceKey: $0)
        },
        .init("Worldline, customer", "countryCode", 2...2) { text in
            try direct {
                $0.customer = with(Worldline.Customer()) { $0.billingAddress = address(text) }
            }
        },
        .init("Worldline, shipping", "countryCode", 2...2) { text in
            try direct { $0.shipping = with(Worldline.Shipping()) { $0.address = address(text) } }
        },
    ]

    @Test("accept the shortest and the longest text, and no other", arguments: fields)
    private func lengths(_ row: LimitedField) throws {
        func text(_ count: Int) -> String { String(repeating: "a", count: count) }
        for count in [row.counts.lowerBound, row.counts.upperBound] {
            #expect(try GatewayFixture.text(row.make(text(count))).contains(text(count)))
        }
        for count in [row.counts.lowerBound - 1, row.counts.upperBound + 1] where count <= 2000 {
            GatewayFixture.expectRefusal(.unsupportedLength, row.field) {
                try row.make(text(count))
            }
        }
    }

    @Test(
        "of a payment to PayPal, each up to the longest",
        arguments: [
            ("name", 1, 300, 1), ("cryptogram", 4, 2000, 4), ("emv_data", 4, 2000, 4),
            ("pin", 2, 2000, 2),
        ])
    func payPal(_ field: String, _ shortest: Int, _ longest: Int, _ step: Int) throws {
        func request(_ count: Int) throws -> GatewayRequest {
            let text = String(repeating: "A", count: count)
            let payload =
                switch field {
                case "name": GatewayFixture.payload(more: #""cardholderName":"\#(text)","#)
                case "cryptogram":
                    GatewayFixture.payload(authentication: #""onlinePaymentCryptogram":"\#(text)""#)
                case "emv_data":
                    GatewayFixture.payload(type: "EMV", authentication: #""emvData":"\#(text)""#)
                default:
                    GatewayFixture.payload(
                        type: "EMV",
                        authentication: #""emvData":"nyYI","encryptedPINData":"\#(text)""#)
                }
            return try PayPal.createOrder(
                GatewayFixture.payment(payload), order: GatewayFixture.order(),
                accessToken: GatewayFixture.secret("t"), requestID: "1")
        }
        for count in [shortest, longest] {
            let text = String(repeating: "A", count: count)
            #expect(
                try request(count).body?.revealText().contains(#""\#(field)":"\#(text)""#) == true)
        }
        GatewayFixture.expectRefusal(.unsupportedLength, field) { try request(longest + step) }
    }

    @Test("of account numbers at PayPal: 13 to 19 digits", arguments: [12, 13, 19])
    func accountNumber(_ count: Int) throws {
        let account = String("4761120010000492000".prefix(count))
        func request() throws -> GatewayRequest {
            try PayPal.createOrder(
                GatewayFixture.payment(GatewayFixture.payload(account: account)),
                order: GatewayFixture.order(), accessToken: GatewayFixture.secret("t"),
                requestID: "1")
        }
        guard count > 12 else {
            GatewayFixture.expectRefusal(.unsupportedLength, "number", request)
            return
        }
        #expect(try request().body?.revealText().contains(#""number":"\#(account)""#) == true)
    }
}
