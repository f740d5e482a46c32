import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("An order as JSON")
struct OrderFileTests {
    private func order(_ text: String) throws -> Order {
        try KeyFolder.with(["order.json": text]) { try OrderFile.order("\($0)/order.json") }
    }

    @Test("has an amount and a currency, and if needed the rest")
    func members() throws {
        let euro = try #require(Currency(alphabetic: "EUR"))
        #expect(
            try order(#"{"amount":0,"currency":"EUR"}"#)
                == Order(reference: "", amount: 0, currency: euro))
        let yen = try #require(Currency(alphabetic: "JPY"))
        for policy in ["as-ordered", "accepted", "refused"] {
            let whole = try order(
                #"{"zeroAmount":"\#(policy)","merchants":[{"merchantIdentifier":"a","amount":0},"#
                    + #"{"amount":7,"merchantIdentifier":"b"}],"applicationData":"AAEC","currency":"JPY","#
                    + #""reference":"order-1","amount":12}"#)
            #expect(
                whole
                    == Order(
                        reference: "order-1", amount: 12, currency: yen,
                        applicationData: ApplicationData(base64: "AAEC"),
                        merchants: [
                            MerchantAmount(merchantIdentifier: "a", amount: 0),
                            MerchantAmount(merchantIdentifier: "b", amount: 7),
                        ],
                        zeroAmount: try #require(ZeroAmountPolicy(rawValue: policy))))
        }
    }

    private static let merchants =
        "its member merchants must be an array of objects that have merchantIdentifier and amount only"

    @Test(
        "is refused with the member at fault",
        arguments: [
            ("[]", "the order must be a JSON object"),
            (#"{"amount":1}"#, "its member currency is missing"),
            (#"{"currency":"EUR"}"#, "its member amount is missing"),
            (#"{"reference":1}"#, "its member reference must be a string that is not empty"),
            (#"{"reference":""}"#, "its member reference must be a string that is not empty"),
            (#"{"amount":-1}"#, "its member amount must be a whole number of minor units"),
            (#"{"amount":"1"}"#, "its member amount must be a whole number of minor units"),
            (#"{"amount":1.5}"#, "its member amount must be a whole number of minor units"),
            (
                #"{"currency":978}"#,
                "its member currency must be a currency code of ISO 4217 such as EUR"
            ),
            (
                #"{"currency":"eur"}"#,
                "its member currency must be a currency code of ISO 4217 such as EUR"
            ),
            (#"{"applicationData":1}"#, "its member applicationData must be a string with base64"),
            (
                #"{"applicationData":"?"}"#,
                "its member applicationData must be a string with base64"
            ),
            (
                #"{"zeroAmount":"none"}"#,
                "its member zeroAmount must be as-ordered, accepted or refused"
            ),
            (
                #"{"zeroAmount":true}"#,
                "its member zeroAmount must be as-ordered, accepted or refused"
            ),
            (#"{"merchants":{}}"#, merchants), (#"{"merchants":[1]}"#, merchants),
            (#"{"merchants":[{}]}"#, merchants), (#"{"merchants":[{"amount":1}]}"#, merchants),
            (#"{"merchants":[{"merchantIdentifier":"a"}]}"#, merchants),
            (#"{"merchants":[{"merchantIdentifier":1,"amount":1}]}"#, merchants),
            (#"{"merchants":[{"merchantIdentifier":"a","amount":-1}]}"#, merchants),
            (#"{"merchants":[{"merchantIdentifier":"a","amount":"1"}]}"#, merchants),
            (#"{"merchants":[{"merchantIdentifier":"a","amount":1,"tip":1}]}"#, merchants),
            (#"{"merchants":[{"merchantIdentifier":"a","tip":1}]}"#, merchants),
            (#"{"merchants":[{"tip":"a","amount":1}]}"#, merchants),
            (
                #"{"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnm":1}"#,
                "its member nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is unknown; "
                    + "an order has reference, amount, currency, applicationData, merchants and zeroAmount"
            ),
        ])
    func faults(_ text: String, _ fault: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try order(text) }
        #expect(failure?.status == .means)
        let form =
            #"An order is JSON such as {"reference":"order-1001","amount":1099,"currency":"EUR"}."#
        let message = try #require(failure?.message)
        #expect(message.hasSuffix("order.json is not an order: \(fault). \(form)"), "\(message)")
    }

    @Test("is stated in parts or as a whole, not both")
    func stated() throws {
        func stated(_ words: [String]) throws -> Bool {
            try StatedOrder(Arguments(words, StatedOrder.options)).isStated
        }
        let parts = [["--amount", "0"], ["--currency", "EUR"], ["--application-data", "AAAA"]]
        #expect(try stated([]) == false)
        for part in parts { #expect(try stated(part)) }
        try KeyFolder.with(["order.json": #"{"amount":1,"currency":"EUR"}"#]) { folder in
            let path = "\(folder)/order.json"
            let whole = try stated(["--order", path])
            #expect(whole)
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
