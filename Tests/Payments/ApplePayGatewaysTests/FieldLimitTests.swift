import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayOrders
import ApplePayOtherGateways
import ApplePayTokenTesting
import TestVectors
import Testing

/// A text of an order or of the options for all orders, and the lengths that the gateway accepts.
private struct LimitedField: Sendable, CustomTestStringConvertible {
    let field: String
    let counts: ClosedRange<Int>
    let character: Character
    let make: @Sendable (String) throws -> (gateway: any TestedGateway, order: Order)
    /// Whether an empty text counts as missing.
    var isOfContact = false

    var testDescription: String { "\(field) \(counts)" }

    init(
        _ field: String,
        _ counts: ClosedRange<Int>,
        _ character: Character = "é",
        _ make: @escaping @Sendable (String) throws -> (any TestedGateway, Order)
    ) {
        self.field = field
        self.counts = counts
        self.character = character
        self.make = { text in
            let (gateway, order) = try make(text)
            return (gateway, order)
        }
    }

    /// Creates a field of an order.
    init(
        _ gateway: any TestedGateway,
        _ field: String,
        _ counts: ClosedRange<Int>,
        _ set: @escaping @Sendable (inout Order, String) -> Void
    ) {
        self.init(field, counts) { text in
            (gateway, try GatewayFixture.order { set(&$0, text) })
        }
    }

    /// Creates a field of a contact, for the customer's contact and the shipping contact if the gateway gets both.
    static func contact(
        _ gateway: any TestedGateway,
        _ field: String,
        _ counts: ClosedRange<Int>,
        hasShipping: Bool = true,
        _ set: @escaping @Sendable (inout PaymentContact, String) -> Void
    ) -> [LimitedField] {
        let customer = LimitedField(gateway, field, counts) { order, text in
            order.customer = with(PaymentContact()) { set(&$0, text) }
        }
        let shipping = LimitedField(gateway, field, counts) { order, text in
            order.shipping = with(PaymentContact()) { set(&$0, text) }
        }
        return (hasShipping ? [customer, shipping] : [customer]).map { field in
            with(field) { $0.isOfContact = true }
        }
    }
}

@Suite("The limits of an order's texts")
struct FieldLimitTests {
    private static let merchant = ExampleMerchant.example
    private static let most = 2000

    private static let worldline: [LimitedField] =
        [
            (merchant.worldlineConnect, [15, 70, 50, 50, 35]),
            (merchant.worldlineDirect, [most, most, most, most, most]),
        ].flatMap { (gateway: any TestedGateway, limits: [Int]) -> [LimitedField] in
            LimitedField.contact(gateway, "firstName", 1...limits[0]) { $0.givenName = $1 }
                + LimitedField.contact(gateway, "surname", 1...limits[1]) { $0.familyName = $1 }
                + LimitedField.contact(gateway, "street", 1...limits[2]) { $0.addressLines = [$1] }
                + LimitedField.contact(gateway, "additionalInfo", 1...limits[3]) {
                    $0.addressLines = ["x", $1]
                }
                + LimitedField.contact(gateway, "additionalInfo", 1...limits[3]) {
                    $0.subLocality = $1
                }
                + LimitedField.contact(gateway, "state", 1...limits[4]) {
                    $0.administrativeArea = $1
                }
                + LimitedField.contact(gateway, "countryCode", 2...2) { $0.countryCode = $1 }
        }

    private static let rbs: [LimitedField] = [RBS.Kind.encrypted, .decrypted].flatMap { kind in
        let gateway = merchant.rbs(kind)
        return [
            LimitedField(gateway, "description", 0...598) { $0.description = $1 },
            LimitedField(merchant.russianBank(kind), "description", 0...1024) {
                $0.description = $1
            },
            LimitedField(gateway, "language", 2...2) { $0.language = $1 },
            LimitedField(gateway, "clientId", 0...255) { $0.customerReference = $1 },
        ]
            + LimitedField.contact(gateway, "email", 1...40, hasShipping: false) {
                $0.emailAddress = $1
            }
    }

    private static let phones: [LimitedField] = ["", "+"].map { sign in
        LimitedField("phone", 7...15, "1") { text in
            let order = try GatewayFixture.order {
                $0.customer = with(PaymentContact()) { $0.phoneNumber = sign + text }
            }
            return (merchant.rbs(.encrypted), order)
        }
    }

    private static func billTo(
        _ field: String,
        _ counts: ClosedRange<Int>,
        _ set: @escaping @Sendable (inout PaymentContact, String) -> Void
    ) -> [LimitedField] {
        LimitedField.contact(merchant.cyberSource, field, counts, hasShipping: false, set)
    }

    private static let others: [LimitedField] =
        [
            LimitedField(merchant.bePaid, "description", 1...255) { $0.description = $1 },
            LimitedField(merchant.dintero, "return_url", 1...most) { $0.returnURL = $1 },
            LimitedField(merchant.rbs(.token), "returnUrl", 1...most) { $0.returnURL = $1 },
            LimitedField("processing_channel_id", 1...most) { text in
                let gateway = try with(merchant.checkout()) {
                    $0.options.processingChannelID = text
                }
                return (gateway, try GatewayFixture.order { _ in })
            },
            LimitedField("merchantAccount", 1...most) { text in
                (
                    try with(merchant.adyen()) { $0.merchantAccount = text },
                    try GatewayFixture.order { _ in }
                )
            },
            LimitedField("shopperReference", 3...256) { text in
                (try merchant.adyen(), try GatewayFixture.order { $0.customerReference = text })
            },
            LimitedField("returnUrl", 1...most) { text in
                (try merchant.adyen(), try GatewayFixture.order { $0.returnURL = text })
            },
            LimitedField(merchant.payPal, "description", 1...127) { $0.description = $1 },
            LimitedField("custom_id", 1...255) { text in
                (
                    with(merchant.payPal) { $0.options.customID = text },
                    try GatewayFixture.order { _ in }
                )
            },
        ]
        + LimitedField.contact(merchant.payPal, "email_address", 3...254, hasShipping: false) {
            $0.emailAddress = $1
        }
        + billTo("firstName", 1...60) { $0.givenName = $1 }
        + billTo("lastName", 1...60) { $0.familyName = $1 }
        + billTo("address1", 1...60) { $0.addressLines = [$1] }
        + billTo("locality", 1...50) { $0.locality = $1 }
        + billTo("administrativeArea", 1...20) { $0.administrativeArea = $1 }
        + billTo("postalCode", 1...10) { $0.postalCode = $1 }
        + billTo("country", 2...2) { $0.countryCode = $1 }
        + billTo("email", 1...255) { $0.emailAddress = $1 }

    @Test(
        "permit the shortest and the longest documented text, and refuse shorter and longer ones, before a claim and in the request",
        arguments: worldline + rbs + phones + others)
    private func lengths(_ row: LimitedField) throws {
        func text(_ count: Int) -> String { String(repeating: row.character, count: count) }
        for count in [row.counts.lowerBound, row.counts.upperBound] {
            let (gateway, order) = try row.make(text(count))
            #expect(try gateway.body(order).contains(text(count)))
        }
        for count in [row.counts.lowerBound - 1, row.counts.upperBound + 1]
        where ((row.isOfContact ? 1 : 0)...Self.most).contains(count) {
            let (gateway, order) = try row.make(text(count))
            gateway.expectRefusal(.unsupportedLength, row.field, of: order)
        }
    }

    @Test(
        "are stated by the refusal",
        arguments: [
            (1...255, 0, "missing", "1 to 255"), (0...598, 599, "too long", "0 to 598"),
            (28...28, 27, "too short", "28"), (1...Int.max, 0, "missing", "at least 1"),
        ])
    func statedLengths(_ counts: ClosedRange<Int>, _ count: Int, _ fault: String, _ range: String) {
        let text = String(repeating: "é", count: count)
        let error = #expect(throws: PaymentError.self) {
            try FieldLength.check(text, "description", counts)
        }
        #expect(
            error?.description
                == "The gateway does not accept this description: it is \(fault), and must have "
                + "\(range) characters.")
    }

    @Test("are checked before a token is claimed, like the order's amount")
    func claims() async throws {
        let pki = TestPKI()
        let shop = try pki.testMerchant("shop")
        let (ledger, decryptor) = (InMemoryLedger(), try pki.decryptor(for: shop))
        let transport = ScriptedTransport([])
        let currency = try GatewayFixture.order().currency
        let token = try pki.testToken(for: shop, TestTokenOptions(amount: 3000, currency: currency))
        let transaction = ClaimRequest(try decryptor.decrypt(token)).transaction
        for gateway in try Self.merchant.gateways() {
            let long = try GatewayFixture.order(reference: String(repeating: "1", count: 255)) {
                $0.description = String(repeating: "d", count: 2000)
            }
            for order in [try GatewayFixture.order(-1) { _ in }, long] {
                guard gateway.name != "dintero" || order.amount < 0 else { continue }
                let payments = try OrderPayments(
                    decryptor: decryptor, ledger: ledger, gateway: gateway, transport: transport)
                let error = await #expect(throws: PaymentError.self) {
                    _ = try await payments.pay(token, for: order)
                }
                #expect(error?.name.hasPrefix("gateway/") == true)
            }
        }
        #expect(await ledger.record(of: transaction) == nil)
        #expect(transport.requests.isEmpty)
        let answering = ScriptedTransport([
            .answer(401, #"{"name":"AUTHENTICATION_FAILURE","message":"m","debug_id":"d"}"#)
        ])
        let payments = try OrderPayments(
            decryptor: decryptor, ledger: ledger, gateway: Self.merchant.payPal,
            transport: answering)
        _ = try await payments.pay(token, for: GatewayFixture.order { _ in })
        #expect(await ledger.record(of: transaction) != nil)
    }

    @Test("refuse an order without a text that the gateway requires")
    func mandatory() throws {
        let (order, rows): (Order, [(String, any TestedGateway)]) = (
            try GatewayFixture.order(),
            [
                ("description", Self.merchant.bePaid), ("return_url", Self.merchant.dintero),
                ("returnUrl", Self.merchant.rbs(.token)), ("returnUrl", try Self.merchant.adyen()),
            ]
        )
        for (field, gateway) in rows {
            gateway.expectRefusal(.unsupportedLength, field, of: order)
        }
    }

    @Test(
        "permit references of a documented length, counted with the suffix of a later slot",
        arguments: [
            (merchant.worldlineDirect, "merchantReference", 40),
            (merchant.worldlineConnect, "merchantReference", 30),
            (merchant.bePaid, "tracking_id", 255), (merchant.dintero, "", .max),
            (merchant.rbs(.encrypted), "orderNumber", 36),
            (merchant.rbs(.decrypted), "orderNumber", 36),
            (merchant.rbs(.token), "orderNumber", 36),
            (merchant.russianBank(.encrypted), "orderNumber", 32),
            (merchant.cyberSource, "code", 50), (merchant.payPal, "reference_id", 256),
            (with(merchant.payPal) { $0.options.sendsInvoiceID = true }, "invoice_id", 127),
        ] as [(any TestedGateway, String, Int)])
    func references(_ gateway: any TestedGateway, _ field: String, _ limit: Int) throws {
        try expectReferences(gateway, field, limit)
    }

    @Test("permit references of at most 80 characters at Checkout.com and Adyen")
    func longReferences() throws {
        try expectReferences(Self.merchant.checkout(), "reference", 80)
        try expectReferences(Self.merchant.adyen(), "reference", 80)
    }

    private func expectReferences(
        _ gateway: any TestedGateway, _ field: String, _ limit: Int
    ) throws {
        // An order's reference has at most 255 characters, whatever the gateway accepts.
        for (slot, suffix) in [(1, ""), (2, ".r2"), (10, ".r10")] {
            let longest = min(limit.subtractingReportingOverflow(suffix.count).partialValue, 255)
            for count in [1, longest, longest + 1] where count <= 255 {
                let reference = String(repeating: "é", count: count)
                let order = try GatewayFixture.order(reference: reference) { _ in }
                if count <= longest {
                    let body = try gateway.body(order, slot: slot)
                    #expect(body.contains(#":"\#(reference)\#(suffix)""#))
                } else {
                    gateway.expectRefusal(.unsupportedLength, field, of: order, slot: slot)
                }
            }
        }
    }

    @Test("permit references of a documented length in queries by reference")
    func queries() throws {
        func attempt(_ count: Int, slot: Int = 1) throws -> PaymentAttempt {
            try GatewayFixture.attempt(
                GatewayFixture.order(reference: String(repeating: "1", count: count)), slot: slot)
        }
        let (bpc, bank) = (Self.merchant.rbs(.token), Self.merchant.russianBank(.token))
        for (gateway, limit) in [(bpc, 36), (bank, 32)] {
            #expect(throws: Never.self) { try gateway.status(of: attempt(limit)) }
            GatewayFixture.expectRefusal(.unsupportedLength, "orderNumber") {
                try gateway.statusRequest(attempt(limit + 1))
            }
        }
        #expect(throws: Never.self) { try Self.merchant.bePaid.status(of: attempt(252, slot: 2)) }
        GatewayFixture.expectRefusal(.unsupportedLength, "tracking_id") {
            try Self.merchant.bePaid.statusRequest(attempt(253, slot: 2))
        }
    }
}
