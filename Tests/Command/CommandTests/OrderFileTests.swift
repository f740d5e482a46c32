import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayOrderPrograms
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("An order as JSON")
struct OrderFileTests {
    private func order(_ text: String, needsReference: Bool = false) throws -> Order {
        try KeyFolder.with(["order.json": text]) {
            try OrderFile.order("\($0)/order.json", needsReference: needsReference)
        }
    }

    @Test("has an amount and a currency, and if needed the rest")
    func members() throws {
        let euro = try #require(Currency(alphabetic: "EUR"))
        #expect(
            try orderMembers(order(#"{"amount":0,"currency":"EUR"}"#))
                == orderMembers(Order(reference: "", amount: 0, currency: euro)))
        let yen = try #require(Currency(alphabetic: "JPY"))
        for policy in ["as-ordered", "accepted", "refused"] {
            let whole = try order(
                #"{"zeroAmount":"\#(policy)","merchants":[{"merchantIdentifier":"a","amount":0},"#
                    + #"{"amount":7,"merchantIdentifier":"b"}],"applicationData":"AAEC","currency":"JPY","#
                    + #""reference":"order-1","amount":12}"#)
            #expect(
                orderMembers(whole)
                    == orderMembers(
                        Order(
                            reference: "order-1", amount: 12, currency: yen,
                            applicationData: ApplicationData(base64: "AAEC"),
                            merchants: [
                                MerchantAmount(merchantIdentifier: "a", amount: 0),
                                MerchantAmount(merchantIdentifier: "b", amount: 7),
                            ],
                            zeroAmount: try #require(ZeroAmountPolicy(rawValue: policy)))))
        }
    }

    @Test("has each member that gateways need in its place")
    func gatewayMembers() throws {
        let order = try order(
            #"{"reference":"r","amount":9,"currency":"EUR","description":"d","language":"en","#
                + #""returnURL":"https://a.example/r","notificationURL":"https://a.example/n","#
                + #""customerReference":"c","storedCards":["t1","t2"],"fee":7,"customer":{"givenName":"Jane","emailAddress":"j@a.example"},"#
                + #""customerIP":"192.0.2.1","shipping":{"name":{"givenName":"Joe"},"#
                + #""postalAddress":{"street":"Rue Basse 9","city":"Paris"}},"#
                + #""items":[{"id":"a","lineId":"b","description":"e","amount":1,"quantity":2,"taxAmount":3,"#
                + #""taxBasisPoints":450},{"amount":8,"description":"f","lineId":"g","id":"h"}]}"#)
        #expect(order.description == "d" && order.language == "en")
        #expect(order.returnURL == "https://a.example/r")
        #expect(order.notificationURL == "https://a.example/n")
        #expect(order.customerReference == "c" && order.customerIP == "192.0.2.1")
        #expect(order.storedCards == ["t1", "t2"] && order.fee == 7)
        #expect(order.customer?.givenName == "Jane")
        #expect(order.customer?.emailAddress == "j@a.example")
        #expect(order.shipping?.givenName == "Joe" && order.shipping?.locality == "Paris")
        try #require(order.items.count == 2)
        let (first, second) = (order.items[0], order.items[1])
        #expect(first.id == "a" && first.lineId == "b" && first.description == "e")
        #expect(first.amount == 1 && first.quantity == 2)
        #expect(first.taxAmount == 3 && first.taxBasisPoints == 450)
        #expect(second.id == "h" && second.lineId == "g" && second.description == "f")
        #expect(second.amount == 8 && second.quantity == 1)
        #expect(second.taxAmount == nil && second.taxBasisPoints == nil)
    }

    @Test("needs a reference for a payment, and none for a comparison")
    func reference() throws {
        let text = #"{"amount":1,"currency":"EUR"}"#
        #expect(try order(text).reference.isEmpty)
        let failure = #expect(throws: CommandFailure.self) {
            try order(text, needsReference: true)
        }
        #expect(
            failure?.message.contains(
                "its member reference is missing: what the merchant calls the order.") == true)
    }

    private static let form =
        #"An order is JSON such as {"reference":"order-1001","amount":1099,"currency":"EUR"}."#

    private static let minorUnits = "a whole number of minor units, such as 1099 for 10.99 EUR"
    private static let noPoint = "without a decimal point or an exponent"

    private static let names =
        "reference, amount, currency, applicationData, merchants, zeroAmount, description, language, "
        + "returnURL, notificationURL, customerReference, storedCards, fee, created, customer, customerIP, shipping, items"

    @Test(
        "is refused with the member at fault",
        arguments: [
            ("[]", "the order must be an object"),
            ("null", "the order must be an object"),
            (#"{"amount":1}"#, "its member currency is missing: the currency, a code of ISO 4217"),
            (
                #"{"currency":"EUR"}"#,
                "its member amount is missing: the amount in minor units, such as 1099 for 10.99 EUR"
            ),
            (#"{"reference":1}"#, "its member reference must be a string"),
            (#"{"reference":""}"#, "its member reference must not be empty"),
            (#"{"amount":-1}"#, "its member amount must be at least 0"),
            (
                #"{"amount":"1"}"#,
                "its member amount must be \(minorUnits), without quotation marks"
            ),
            (#"{"amount":true}"#, "its member amount must be \(minorUnits)"),
            (#"{"amount":1.5}"#, "its member amount must be \(minorUnits), \(noPoint)"),
            (#"{"amount":5.00}"#, "its member amount must be \(minorUnits), \(noPoint)"),
            (#"{"amount":1099.0}"#, "its member amount must be \(minorUnits), \(noPoint)"),
            (#"{"amount":1e-2}"#, "its member amount must be \(minorUnits), \(noPoint)"),
            (
                #"{"amount":9223372036854775808}"#,
                "its member amount must be at most 9223372036854775807"
            ),
            (#"{"amount":-9223372036854775809}"#, "its member amount must be at least 0"),
            (
                #"{"currency":978}"#,
                "its member currency must be a currency code of ISO 4217 in capitals, such as EUR"
            ),
            (
                #"{"currency":"eur"}"#,
                "its member currency must be a currency code of ISO 4217 in capitals, such as EUR"
            ),
            (
                #"{"applicationData":1}"#,
                "its member applicationData must be a string with at most 65536 characters of base64"
            ),
            (
                #"{"applicationData":"?"}"#,
                "its member applicationData must be a string with at most 65536 characters of base64"
            ),
            (
                #"{"zeroAmount":"none"}"#,
                "its member zeroAmount must be as-ordered, accepted or refused"
            ),
            (
                #"{"zeroAmount":true}"#,
                "its member zeroAmount must be as-ordered, accepted or refused"
            ),
            (#"{"merchants":{}}"#, "its member merchants must be an array of objects"),
            (#"{"merchants":[1]}"#, "its member merchants[0] must be an object"),
            (
                #"{"merchants":[{}]}"#,
                "its member merchants[0].merchantIdentifier is missing: the merchant's identifier"
            ),
            (
                #"{"merchants":[{"merchantIdentifier":"a"}]}"#,
                "its member merchants[0].amount is missing: the merchant's part in minor units"
            ),
            (
                #"{"merchants":[{"merchantIdentifier":1,"amount":1}]}"#,
                "its member merchants[0].merchantIdentifier must be a string"
            ),
            (
                #"{"merchants":[{"merchantIdentifier":"a","amount":-1}]}"#,
                "its member merchants[0].amount must be at least 0"
            ),
            (
                #"{"merchants":[{"merchantIdentifier":"a","amount":1,"tip":1}]}"#,
                "its member merchants[0].tip is unknown; merchants[0] can have merchantIdentifier, amount"
            ),
            (#"{"description":1}"#, "its member description must be a string"),
            (#"{"language":""}"#, "its member language must not be empty"),
            (#"{"returnURL":[]}"#, "its member returnURL must be a string"),
            (#"{"notificationURL":true}"#, "its member notificationURL must be a string"),
            (#"{"customerReference":{}}"#, "its member customerReference must be a string"),
            (#"{"customerIP":null}"#, "its member customerIP must be a string"),
            (#"{"storedCards":"a"}"#, "its member storedCards must be an array of strings"),
            (#"{"storedCards":[1]}"#, "its member storedCards must be an array of strings"),
            (#"{"fee":"1"}"#, "its member fee must be \(minorUnits), without quotation marks"),
            (#"{"fee":-1}"#, "its member fee must be at least 0"),
            (#"{"items":{}}"#, "its member items must be an array of objects"),
            (#"{"items":["a"]}"#, "its member items[0] must be an object"),
            (
                #"{"items":[{"id":"a"}]}"#,
                "its member items[0].lineId is missing: the line's identifier in the order"
            ),
            (
                #"{"items":[{"id":"a","lineId":"1","description":"d","amount":1,"quantity":0}]}"#,
                "its member items[0].quantity must be at least 1"
            ),
            (
                #"{"items":[{"id":"a","lineId":"1","description":"d","amount":1},{"amount":1.5}]}"#,
                "its member items[1].amount must be \(minorUnits), \(noPoint)"
            ),
            (
                #"{"items":[{"taxBasisPoints":"25"}]}"#,
                "its member items[0].taxBasisPoints must be a whole number, without quotation marks"
            ),
            (#"{"items":[{"taxAmount":-1}]}"#, "its member items[0].taxAmount must be at least 0"),
            (
                #"{"items":[{"line_id":"1"}]}"#,
                "its member items[0].line_id is unknown; did you mean lineId? items[0] can have id, lineId, description, "
                    + "amount, quantity, taxAmount, taxBasisPoints"
            ),
            (
                #"{"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnm":1}"#,
                "its member nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is unknown; "
                    + "this file can have \(names)"
            ),
        ])
    func faults(_ text: String, _ fault: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try order(text) }
        #expect(failure?.status == .usage)
        let message = try #require(failure?.message)
        #expect(
            message.hasSuffix("order.json is not an order: \(fault). \(Self.form)"), "\(message)")
    }

    @Test(
        "is refused for a contact in another form than Apple's",
        arguments: [
            ("customer", "[]", "customer must be a contact in Apple's form"),
            ("shipping", "1", "shipping must be a contact in Apple's form"),
            (
                "customer", #"{"givenName":1}"#,
                "customer.givenName must have the type that it has in Apple's form"
            ),
            (
                "shipping", #"{"postalAddress":[]}"#,
                "shipping.postalAddress must have the type that it has in Apple's form"
            ),
        ])
    func contacts(_ name: String, _ value: String, _ fault: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try order("{\"\(name)\":\(value)}") }
        let end = "order.json is not an order: its member \(fault). \(Self.form)"
        #expect(failure?.message.hasSuffix(end) == true, "\(failure?.message ?? "")")
    }

    @Test("is named if it is not JSON, with its recognized kind")
    func noJSON() throws {
        for (text, sentence) in [
            ("", "is not an order; it is empty. "),
            ("{", "is not an order: The JSON text ends too early"),
            ("-----BEGIN CERTIFICATE-----\n", "is not an order; it is PEM with a certificate. "),
            (#"{"amount":1,"amount":2,"currency":"EUR"}"#, "is not an order: "),
        ] {
            let failure = #expect(throws: CommandFailure.self) { try order(text) }
            #expect(failure?.status == .usage)
            #expect(failure?.message.contains(sentence) == true, "\(failure?.message ?? "")")
        }
    }

    /// Members that no request contains, with the reason.
    private static let idle = [
        "applicationData": "compared with the token", "merchants": "compared with the token",
        "zeroAmount": "decides whether a token for 0 is accepted",
        "created": "decides whether attempts may have been lost with the ledger",
    ]

    private static let values: [String: [String]] = [
        "amount": ["3000", "2999"], "currency": [#""EUR""#, #""USD""#],
        "language": [#""en""#, #""fr""#],
        "returnURL": [#""https://a.example/1""#, #""https://a.example/2""#],
        "notificationURL": [#""https://a.example/1""#, #""https://a.example/2""#],
        "customer": [
            #"{"givenName":"Jane","familyName":"Doe"}"#, #"{"givenName":"Joe","familyName":"Doe"}"#,
        ],
        "shipping": [#"{"givenName":"Jane"}"#, #"{"givenName":"Joe"}"#],
        "storedCards": [#"["a"]"#, #"["b"]"#], "fee": ["7", "8"],
        "customerIP": [#""192.0.2.1""#, #""192.0.2.2""#],
        "items": [1, 2].map { #"[{"id":"\#($0)","lineId":"1","description":"d","amount":3000}]"# },
    ]

    @Test("changes some gateway's request with each member, and each value differently")
    func effects() throws {
        try RequestFolder.with { folder in
            let accounts = try ExampleAccounts(folder)
            let examples = ExampleGateway.all.flatMap(\.requests)
            for member in OrderFile.members {
                let values = Self.values[member.name] ?? [#""A-1""#, #""A-2""#]
                var isEffective = false
                for example in examples where Self.idle[member.name] == nil {
                    let base = try JSONDecoder().decode(
                        JSONTree.self, from: Data(ExampleRequest.describedOrder.utf8))
                    let results = try values.map { text in
                        let value = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
                        return accounts.text(
                            example, order: base.with(value, at: [member.name]).text)
                    }
                    isEffective =
                        Set(results).count == values.count
                        && results.allSatisfy { !$0.hasPrefix("refused") }
                    if isEffective { break }
                }
                #expect(isEffective == (Self.idle[member.name] == nil), "\(member.name)")
            }
        }
    }

    @Test("is stated in parts or as a whole, not both")
    func stated() throws {
        func stated(_ words: [String]) throws {
            _ = try StatedOrder(Arguments(words, StatedOrder.options))
        }
        let parts = [["--amount", "0"], ["--currency", "EUR"], ["--application-data", "AAAA"]]
        try stated([])
        for part in parts { try stated(part) }
        try KeyFolder.with(["order.json": #"{"amount":1,"currency":"EUR"}"#]) { folder in
            let path = "\(folder)/order.json"
            try stated(["--order", path])
            for part in parts {
                let failure = #expect(throws: CommandFailure.self) {
                    try stated(["--order", path] + part)
                }
                #expect(failure?.status == .usage)
                #expect(
                    failure?.message
                        == "--order states the whole order; leave out --amount, --currency and --application-data."
                )
            }
        }
    }
}

/// Returns all members of an order with their values, for comparisons; of contacts only whether they are there.
func orderMembers(_ order: Order) -> String {
    var text = ""
    dump(order, to: &text)
    return text
}
