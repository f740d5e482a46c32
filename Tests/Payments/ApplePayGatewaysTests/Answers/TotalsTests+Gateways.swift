import ApplePayGateways
import ApplePayOtherGateways
import ApplePayToken
import TestVectors
import Testing

extension TotalsTests {
    /// Returns an answer with transactions of bePaid, each as `UID PARENT TYPE STATUS AMOUNT`, where `-` leaves a member
    /// out; the payments have the reference, in euros.
    private static func bePaid(
        _ state: OrderOutcome.State, _ totals: String, _ rows: String...
    ) -> TotalsCase {
        let transactions = rows.map { row in
            let values = row.split(separator: " ").map(String.init)
            let members = zip(["uid", "parent_uid", "type", "status", "amount"], values)
                .filter { $1 != "-" }
                .map {
                    Int($1) == nil || $0 != "amount" ? #""\#($0)":"\#($1)""# : #""\#($0)":\#($1)"#
                }
            let reference = values[1] == "-" ? #","tracking_id":"order-1001""# : ""
            return #"{\#(members.joined(separator: ",")),"currency":"EUR"\#(reference)}"#
        }
        return TotalsCase(
            "bepaid", "status", #"{"transactions":[\#(transactions.joined(separator: ","))]}"#,
            state, totals)
    }

    private static let authorization = "1 - authorization successful 3000"
    private static let payment = "1 - payment successful 3000"

    /// A transaction without `type`, which the section of its kind states.
    private static func section(
        _ name: String, _ state: OrderOutcome.State, _ totals: String
    ) -> TotalsCase {
        TotalsCase(
            "bepaid", "status",
            #"{"transactions":[{"uid":"1","status":"successful","amount":3000,"currency":"EUR","#
                + #""tracking_id":"order-1001","\#(name)":{"auth_code":"1"}}]}"#, state, totals)
    }

    static let bePaid: [TotalsCase] = [
        section("authorization", .authorized, "A3000"), section("payment", .paid, "C3000"),
        bePaid(.paid, "C3000", payment), bePaid(.authorized, "A3000", authorization),
        bePaid(.paid, "C3000", "1 - charge successful 3000"),
        bePaid(.paid, "C3000", authorization, "2 1 capture successful 3000"),
        bePaid(.partlyPaid, "A1000 C2000", authorization, "2 1 capture successful 2000"),
        bePaid(
            .paid, "C3000", authorization, "2 1 capture successful 2000",
            "3 1 capture successful 1000"),
        bePaid(.authorized, "c3000", authorization, "2 1 capture pending 3000"),
        bePaid(.authorized, "A3000", authorization, "2 1 capture failed 3000"),
        bePaid(.returned, "", authorization, "2 1 void successful 3000"),
        bePaid(.partlyAuthorized, "A2000", authorization, "2 1 void successful 1000"),
        bePaid(.authorized, "A3000", authorization, "2 1 void failed 3000"),
        bePaid(
            .partlyPaid, "C2000", authorization, "2 1 capture successful 2000",
            "3 1 void successful 1000"),
        bePaid(.returned, "C3000 G3000", payment, "2 1 refund successful 3000"),
        bePaid(.partlyReturned, "C3000 G1000", payment, "2 1 refund successful 1000"),
        bePaid(
            .returned, "C3000 G3000", payment, "2 1 refund successful 1000",
            "3 1 refund successful 2000"),
        bePaid(.paid, "C3000", payment, "2 1 refund failed 3000"),
        bePaid(.returning, "C3000 g3000", payment, "2 1 refund pending 3000"),
        // A refund of a capture.
        bePaid(
            .returned, "C3000 G3000", authorization, "2 1 capture successful 3000",
            "3 2 refund successful 3000"),
        // All that was captured was given back, but the rest is still reserved.
        bePaid(
            .returning, "A1000 C2000 G2000", authorization, "2 1 capture successful 2000",
            "3 2 refund successful 2000"),
        bePaid(.returned, "C3000 G3000", payment, "2 1 chargeback successful 3000"),
        bePaid(.partlyReturned, "C3000 g1000", payment, "2 1 chargeback pending 1000"),
        // A payment that was refused counts only if it is the only one.
        bePaid(.refused, "", "1 - payment failed 3000"),
        bePaid(.paid, "C3000", "1 - payment failed 3000", "2 - payment successful 3000"),
        bePaid(.refused, "", "1 - payment failed 3000", "2 - payment failed 3000"),
        bePaid(.pending, "", "1 - payment failed 3000", "2 - payment pending 3000"),
        // Whose payments they are is decided by their marks.
        bePaid(.paid, "C3000", payment, "2 - payment successful 3000"),
        bePaid(.paid, "C3000", payment, "2 - payment error 3000"),
        bePaid(.unknown, ""),
        // An effect that is not known: another type, a word that is not documented, a code that decides nothing.
        bePaid(.unknown, "", payment, "2 1 other successful 3000"),
        bePaid(.unknown, "", payment, "2 1 refund error 3000"),
        bePaid(.unknown, "", payment, "2 1 capture successful 3000"),
        bePaid(.unknown, "", payment, "2 1 void successful 3000"),
        // A void of a capture.
        bePaid(
            .unknown, "", authorization, "2 1 capture successful 3000", "3 2 void successful 3000"),
        // A child without an amount, or whose parent, type or own parent is missing.
        bePaid(.unknown, "", payment, "2 1 refund successful -"),
        bePaid(.unknown, "", payment, "2 1 refund successful -1"),
        bePaid(.unknown, "", payment, "2 9 refund successful 3000"),
        bePaid(.unknown, "", payment, "2 - refund successful 3000"),
        bePaid(.unknown, "", payment, "2 1 - successful 3000"),
        bePaid(.unknown, "", "1 - - successful 3000"),
        // More is captured than was authorized.
        bePaid(.unknown, "C4000", authorization, "2 1 capture successful 4000"),
        bePaid(
            .unknown, "C3000 G\(Int64.max)", payment, "2 1 refund successful \(Int64.max)",
            "3 1 refund successful 1"),
        // Ten may not be all of them.
        bePaid(
            .paid, "C3000", payment, "2 1 refund failed 1", "3 1 refund failed 1",
            "4 1 refund failed 1", "5 1 refund failed 1", "6 1 refund failed 1",
            "7 1 refund failed 1", "8 1 refund failed 1", "9 1 refund failed 1"),
        bePaid(
            .unknown, "", payment, "2 1 refund failed 1", "3 1 refund failed 1",
            "4 1 refund failed 1", "5 1 refund failed 1", "6 1 refund failed 1",
            "7 1 refund failed 1", "8 1 refund failed 1", "9 1 refund failed 1",
            "10 1 refund failed 1"),
    ]

    /// Returns an order of RBS with its amounts: approved, deposited and refunded; the first answer, or a later one.
    private static func rbs(
        _ step: String, _ state: Int, _ amounts: String, _ outcome: OrderOutcome.State,
        _ totals: String = "", more: String = ""
    ) -> TotalsCase {
        let names = ["approvedAmount", "depositedAmount", "refundedAmount"]
        let members = zip(names, amounts.split(separator: " ")).filter { $1 != "-" }
            .map { #""\#($0)":\#($1)"# }
        let info =
            amounts == "" ? "" : #","paymentAmountInfo":{\#(members.joined(separator: ","))}"#
        let order =
            #"{"errorCode":"0","orderNumber":"order-1001","orderStatus":\#(state),"amount":3000,"#
            + #""currency":"978"\#(info)\#(more)}"#
        let body = step == "status" ? order : #"{"success":true,"orderStatus":\#(order)}"#
        return TotalsCase("rbs", step, body, outcome, totals)
    }

    static let rbs: [TotalsCase] = [
        rbs("payment", 1, "", .authorized, "A3000"), rbs("payment", 2, "", .paid, "C3000"),
        rbs("payment", 8, "", .authorized, "A3000"),
        rbs("payment", 1, "2000 0 0", .partlyAuthorized, "A2000"),
        rbs("payment", 2, "3000 3000 0", .paid, "C3000"),
        rbs("payment", 2, "3000 0 0", .unknown),
        rbs("status", 1, "", .unknown), rbs("status", 2, "", .unknown),
        rbs("status", 1, "3000 0 0", .authorized, "A3000"),
        rbs("status", 1, "1500 0 0", .partlyAuthorized, "A1500"),
        rbs("status", 1, "- 0 0", .authorized, "A3000"),
        // The reserved amount is 3000, of which 1000 was deposited: the rest is released with status 2, and open with status 8.
        rbs("status", 2, "3000 1000 0", .partlyPaid, "C1000"),
        rbs("status", 8, "3000 1000 0", .partlyPaid, "A2000 C1000"),
        rbs("status", 8, "3000 3000 0", .paid, "C3000"),
        // The deposited amount is net of refunds.
        rbs("status", 4, "3000 0 3000", .returned, "C3000 G3000"),
        rbs("status", 4, "3000 2000 1000", .partlyReturned, "C3000 G1000"),
        rbs("status", 7, "3000 2000 1000", .partlyReturned, "C3000 G1000"),
        rbs("status", 2, "3000 2000 1000", .partlyReturned, "C3000 G1000"),
        rbs("status", 4, "3000 0 1000", .returned, "C1000 G1000"),
        rbs("status", 4, "", .unknown), rbs("status", 7, "3000 0 0", .pending),
        rbs("status", 7, "", .pending),
        rbs("status", 2, "3000 4000 0", .unknown, "C4000"),
        rbs("status", 2, "3000 \(Int64.max) 1", .unknown, "C\(Int64.max) G1"),
        rbs("status", 3, "3000 0 0", .returned),
        rbs("status", 3, "3000 1000 0", .partlyPaid, "C1000"),
        // Money that is reserved contradicts a refusal.
        rbs("status", 6, "3000 0 0", .unknown, "A3000"), rbs("status", 6, "0 0 0", .refused),
        rbs("status", 2, "3000 -1 0", .unknown), rbs("status", 1, "-1 0 0", .unknown),
        rbs("status", 2, "3000 3000 0", .returning, "C3000 g3000", more: #","chargeback":true"#),
        rbs(
            "status", 2, "3000 2000 1000", .partlyReturned, "C3000 G1000",
            more: #","chargeback":true"#),
        rbs("status", 2, "3000 3000 0", .paid, "C3000", more: #","chargeback":false"#),
    ]

    /// Returns a transaction of Dintero with events, each as `EVENT:AMOUNT`, with `!` for one that failed, `#ID` for its
    /// request and `@ID` for the request that it ends.
    private static func dintero(
        _ status: String, _ events: String, _ outcome: OrderOutcome.State, _ totals: String = ""
    ) -> TotalsCase {
        let list = events.split(separator: " ").map { item in
            var text = String(item)
            func cut(_ mark: Character) -> String? {
                guard let start = text.firstIndex(of: mark) else { return nil }
                defer { text = String(text[..<start]) }
                return String(text[text.index(after: start)...])
            }
            let ended = cut("@").map { #","correlation_request_id":"\#($0)""# } ?? ""
            let request = cut("#").map { #","request_id":"\#($0)""# } ?? ""
            let isSuccess = !text.hasPrefix("!")
            let parts = text.drop { $0 == "!" }.split(separator: ":")
            let amount = parts.count > 1 ? #","amount":\#(parts[1])"# : ""
            return
                #"{"event":"\#(parts[0])","success":\#(isSuccess)\#(amount)\#(request)\#(ended)}"#
        }
        return TotalsCase(
            "dintero", "transaction",
            #"{"id":"P00000000.t1","status":"\#(status)","amount":3000,"currency":"EUR","#
                + #""merchant_reference":"order-1001","events":[\#(list.joined(separator: ","))]}"#,
            outcome, totals)
    }

    static let dintero: [TotalsCase] = [
        dintero("AUTHORIZED", "INITIALIZE AUTHORIZE:3000", .authorized, "A3000"),
        dintero("CAPTURED", "AUTHORIZE:3000 CAPTURE:3000", .paid, "C3000"),
        dintero("CAPTURED", "CAPTURE:1000 CAPTURE:2000", .paid, "C3000"),
        dintero("CAPTURED", "CAPTURE:3000 !CAPTURE:3000", .paid, "C3000"),
        dintero("PARTIALLY_CAPTURED", "CAPTURE:1000", .partlyPaid, "A2000 C1000"),
        // The rest was voided.
        dintero("PARTIALLY_CAPTURED", "CAPTURE:1000 VOID", .partlyPaid, "C1000"),
        dintero("PARTIALLY_CAPTURED", "CAPTURE:1000 !VOID", .partlyPaid, "A2000 C1000"),
        dintero(
            "PARTIALLY_CAPTURED_REFUNDED", "CAPTURE:1000 REFUND:1000", .returning,
            "A2000 C1000 G1000"),
        dintero("PARTIALLY_REFUNDED", "CAPTURE:3000 REFUND:1000", .partlyReturned, "C3000 G1000"),
        dintero("REFUNDED", "CAPTURE:3000 REFUND:1000 REFUND:2000", .returned, "C3000 G3000"),
        dintero("AUTHORIZATION_VOIDED", "AUTHORIZE:3000 VOID", .returned),
        dintero("AUTHORIZED", "INITIATE_CAPTURE:3000#r1", .authorized, "c3000"),
        dintero("CAPTURED", "INITIATE_CAPTURE:3000#r1 CAPTURE:3000@r1", .paid, "C3000"),
        dintero("AUTHORIZED", "INITIATE_CAPTURE:3000#r1 !CAPTURE:3000@r1", .authorized, "A3000"),
        dintero("CAPTURED", "CAPTURE:3000 INITIATE_REFUND:3000#r1", .returning, "C3000 g3000"),
        dintero(
            "REFUNDED", "CAPTURE:3000 INITIATE_REFUND:3000#r1 REFUND:3000@r1", .returned,
            "C3000 G3000"),
        // Another request ended it.
        dintero("CAPTURED", "CAPTURE:3000@r2 INITIATE_REFUND:3000#r1", .returning, "C3000 g3000"),
        // The sums do not fit the word, or an amount is missing.
        dintero("CAPTURED", "AUTHORIZE:3000", .unknown),
        dintero("REFUNDED", "CAPTURE:3000", .unknown),
        dintero("AUTHORIZED", "CAPTURE:3000", .unknown),
        dintero("CAPTURED", "CAPTURE:3000 REFUND:1000", .unknown),
        dintero("CAPTURED", "CAPTURE", .unknown),
        dintero("REFUNDED", "CAPTURE:3000 REFUND", .unknown),
        dintero("CAPTURED", "CAPTURE:3000 INITIATE_REFUND#r1", .unknown),
        dintero("AUTHORIZED", "INITIATE_CAPTURE#r1", .unknown),
        dintero("CAPTURED", "CAPTURE:\(Int64.max) CAPTURE:1", .unknown),
        dintero("CAPTURED", "CAPTURE:4000", .unknown, "C4000"),
        dintero("CAPTURED", "CAPTURE:-1", .unknown),
        dintero(
            "PARTIALLY_CAPTURED", "CAPTURE:1000 INITIATE_CAPTURE:500#r1", .partlyPaid,
            "A1500 c500 C1000"),
        // Refused with money.
        dintero("FAILED", "CAPTURE:3000", .unknown, "C3000"),
        dintero("DECLINED", "!AUTHORIZE", .refused),
    ]

    /// Returns a payment of Checkout.com with balances: available, captured and refunded.
    private static func checkout(
        _ step: String, _ status: String, _ balances: String, _ outcome: OrderOutcome.State,
        _ totals: String = "", more: String = ""
    ) -> TotalsCase {
        let names = ["available_to_capture", "total_captured", "total_refunded"]
        let members = zip(names, balances.split(separator: " ")).filter { $1 != "-" }
            .map { #""\#($0)":\#($1)"# }
        let object = balances == "" ? "" : #","balances":{\#(members.joined(separator: ","))}"#
        return TotalsCase(
            "checkout", step,
            #"{"id":"pay_1","status":"\#(status)","approved":true,"amount":3000,"currency":"EUR","#
                + #""reference":"order-1001"\#(object)\#(more)}"#, outcome, totals)
    }

    static let checkout: [TotalsCase] = [
        checkout("payment", "Authorized", "", .authorized, "c3000"),
        checkout("payment", "Authorized", "3000 0 0", .authorized, "c3000"),
        checkout(
            "payment", "Authorized", "", .unknown, "c3000", more: #","amount_requested":4000"#),
        checkout("payment", "Captured", "0 3000 0", .paid, "C3000"),
        checkout("status", "Authorized", "3000 0 0", .authorized, "A3000"),
        checkout("status", "Authorized", "", .unknown),
        checkout("status", "Partially Captured", "2000 1000 0", .partlyPaid, "A2000 C1000"),
        checkout("status", "Captured", "0 3000 0", .paid, "C3000"),
        checkout("status", "Captured", "- 3000 0", .paid, "C3000"),
        checkout("status", "Partially Refunded", "0 3000 1000", .partlyReturned, "C3000 G1000"),
        checkout("status", "Refunded", "0 3000 3000", .returned, "C3000 G3000"),
        checkout("status", "Voided", "0 0 0", .returned),
        checkout("status", "Expired", "0 0 0", .returned),
        checkout("status", "Voided", "0 1000 0", .partlyPaid, "C1000"),
        // A refund that the totals do not contain.
        checkout("status", "Refunded", "0 3000 0", .unknown),
        checkout("status", "Partially Refunded", "0 3000 0", .unknown),
        checkout("status", "Captured", "0 3000 -", .unknown),
        checkout("status", "Declined", "3000 0 0", .unknown, "A3000"),
        checkout("status", "Voided", "3000 0 0", .unknown, "A3000"),
    ]

    /// Returns an order of PayPal with payments, each as `LIST:STATUS:VALUE`; `*` ends a final capture, and a reason
    /// follows a slash.
    static func payPal(
        _ payments: String, _ outcome: OrderOutcome.State, _ totals: String = "",
        order: String = "COMPLETED"
    ) -> TotalsCase {
        let items = payments.split(separator: " ").map { $0.split(separator: ":") }
        let lists = ["authorizations", "captures", "refunds"].map { name in
            let list = items.filter { $0[0] == name.prefix(1) }.map { parts in
                let words = parts[1].split(separator: "/")
                let reason = words.count > 1 ? #","status_details":{"reason":"\#(words[1])"}"# : ""
                let isFinal = parts[2].hasSuffix("*") ? #","final_capture":true"# : ""
                let value = parts[2].replacing("*", with: "")
                return
                    #"{"status":"\#(words[0])","amount":{"currency_code":"EUR","value":"\#(value)"}"#
                    + "\(reason)\(isFinal)}"
            }
            return #""\#(name)":[\#(list.joined(separator: ","))]"#
        }
        return TotalsCase(
            "paypal", "status",
            #"{"id":"1","status":"\#(order)","purchase_units":[{"reference_id":"order-1001","#
                + #""amount":{"currency_code":"EUR","value":"30.00"},"#
                + #""payments":{\#(lists.joined(separator: ","))}}]}"#, outcome, totals)
    }

    static let payPal: [TotalsCase] = [
        payPal("c:COMPLETED:30.00", .paid, "C3000"),
        payPal("a:CREATED:30.00", .authorized, "A3000"),
        payPal("a:CREATED:10.00", .partlyAuthorized, "A1000"),
        payPal("a:PARTIALLY_CAPTURED:30.00 c:COMPLETED:10.00", .partlyPaid, "A2000 C1000"),
        payPal("a:PARTIALLY_CAPTURED:30.00 c:COMPLETED:10.00*", .partlyPaid, "C1000"),
        payPal(
            "a:PARTIALLY_CAPTURED:30.00 c:DECLINED:30.00* c:COMPLETED:10.00", .partlyPaid,
            "A2000 C1000"),
        payPal("a:CAPTURED:30.00 c:COMPLETED:10.00 c:COMPLETED:20.00", .paid, "C3000"),
        payPal("a:CAPTURED:30.00 c:PENDING:30.00", .authorized, "c3000"),
        payPal("c:PENDING/ECHECK:30.00", .authorized, "c3000"),
        payPal("c:PENDING/REFUNDED:30.00", .pending),
        // A capture that the customer disputes.
        payPal("c:PENDING/CHARGEBACK:30.00", .pending),
        payPal("c:PENDING/BUYER_COMPLAINT:30.00", .pending),
        payPal("c:PARTIALLY_REFUNDED:30.00 r:COMPLETED:10.00", .partlyReturned, "C3000 G1000"),
        payPal("c:REFUNDED:30.00 r:COMPLETED:10.00 r:COMPLETED:20.00", .returned, "C3000 G3000"),
        payPal("c:COMPLETED:30.00 r:PENDING:30.00", .returning, "C3000 g3000"),
        payPal("c:COMPLETED:30.00 r:FAILED:30.00", .paid, "C3000"),
        payPal("c:COMPLETED:30.00 r:CANCELLED:30.00", .paid, "C3000"),
        payPal("c:DECLINED:30.00", .refused), payPal("c:FAILED:30.00", .refused),
        payPal("c:DECLINED:30.00", .pending, order: "CREATED"),
        payPal("c:DECLINED:30.00 c:COMPLETED:30.00", .paid, "C3000"),
        payPal("a:VOIDED:30.00", .returned),
        payPal("a:VOIDED:30.00 c:COMPLETED:10.00", .partlyPaid, "C1000"),
        payPal("a:DENIED:30.00", .refused), payPal("a:PENDING:30.00", .pending),
        payPal("a:VOIDED:30.00 c:DECLINED:30.00", .returned),
        // Captures or refunds that the answer does not contain.
        payPal("a:CAPTURED:30.00", .unknown), payPal("a:PARTIALLY_CAPTURED:30.00", .unknown),
        payPal("c:REFUNDED:30.00", .unknown), payPal("c:PARTIALLY_REFUNDED:30.00", .unknown),
        payPal("c:COMPLETED:40.00", .unknown, "C4000"),
        payPal("c:COMPLETED:30.00 c:NEW:1.00", .unknown), payPal("", .unknown),
        payPal("c:COMPLETED:30.001", .unknown), payPal("c:COMPLETED:-30.00", .unknown),
        payPal("c:COMPLETED:92233720368547758.07 c:COMPLETED:0.01", .unknown, "C\(Int64.max)"),
    ]

    static let others: [TotalsCase] = [
        TotalsCase(
            "cybersource", "payment",
            #"{"id":"1","status":"PARTIAL_AUTHORIZED","clientReferenceInformation":{"code":"order-1001"},"#
                + #""orderInformation":{"amountDetails":{"authorizedAmount":"10","totalAmount":"30.00","#
                + #""currency":"eur"}}}"#, .partlyAuthorized, "A1000"),
        TotalsCase(
            "cybersource", "payment",
            #"{"id":"1","status":"AUTHORIZED","clientReferenceInformation":{"code":"order-1001"},"#
                + #""orderInformation":{"amountDetails":{"authorizedAmount":"30.00","totalAmount":"40.00","#
                + #""currency":"EUR"}}}"#, .unknown, "A3000"),
        TotalsCase(
            "adyen", "payment",
            #"{"resultCode":"PartiallyAuthorised","merchantReference":"order-1001","#
                + #""amount":{"value":1000,"currency":"EUR"}}"#, .partlyAuthorized, "A1000"),
        TotalsCase(
            "adyen", "payment",
            #"{"resultCode":"Authorised","additionalData":{"merchantReference":"order-1001","#
                + #""authorisedAmountValue":"3000","authorisedAmountCurrency":"eur"}}"#,
            .authorized,
            "A3000"),
        TotalsCase(
            "adyen", "payment", #"{"resultCode":"Authorised","merchantReference":"order-1001"}"#,
            .unknown),
    ]
}
