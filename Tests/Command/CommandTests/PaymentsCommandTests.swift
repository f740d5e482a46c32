import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import Foundation
import Testing

@testable import paytoken

@Suite("paytoken payments and receive")
struct PaymentsCommandTests {
    @Test("lists what is not settled, one object a line")
    func list() throws {
        try OrderShop.with { shop in
            #expect(try shop.payments("list").output.isEmpty)
            _ = try shop.pay("paid", 3000)
            let unknown = try shop.pay("unknown", 40_900, at: "adyen")
            let customer = try shop.pay("customer", 30_300)
            let list = try Command(["payments", "list"] + shop.ledger)
            #expect(list.status == 0 && list.error.isEmpty)
            let lines = try list.output.split(separator: "\n").map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(
                Set(lines.compactMap { $0["reference"] as? String }) == ["unknown", "customer"])
            for run in [unknown, customer] {
                let serial = try run.text("serial")
                let line = try #require(lines.first { $0["serial"] as? String == serial })
                #expect(line["isTest"] as? Bool == true)
                for name in ["reference", "outcome", "gateway"] {
                    let value = try run.text(name)
                    #expect(line[name] as? String == value)
                }
                #expect(line["currency"] as? String == "EUR" && line["slot"] as? Int == 1)
                #expect((line["since"] as? String)?.hasSuffix("Z") == true)
                #expect((0...60).contains(line["ageSeconds"] as? Int ?? -1))
            }
            let ofOne = try shop.payments("list", at: "adyen").output
            #expect(ofOne.contains("unknown") && !ofOne.contains(#""customer""#))
        }
    }

    @Test("lists only the payments of an account, also if another one is at the same gateway")
    func listOfAccount() throws {
        try OrderShop.with { shop in
            try shop.change("bepaid", to: "second", #""361""#, with: #""362""#)
            try shop.change(
                "bepaid", to: "live", #""environment":"test""#, with: #""environment":"live""#)
            let accounts = [
                ("bepaid", "361", true), ("second", "362", true), ("live", "361", false),
            ]
            for (file, _, _) in accounts { _ = try shop.pay("of-\(file)", 30_300, at: file) }
            #expect(
                try Command(["payments", "list"] + shop.ledger).output.split(separator: "\n").count
                    == 3)
            for (file, account, isTest) in accounts {
                let list = try shop.payments("list", at: file)
                #expect(list.status == 0 && list.output.split(separator: "\n").count == 1)
                #expect(try list.text("reference") == "of-\(file)")
                #expect(try list.text("gateway") == "bepaid" && list.text("account") == account)
                #expect(try list.members["isTest"] as? Bool == isTest)
            }
        }
    }

    @Test("shows the state of an order as pay does, after asking")
    func show() throws {
        try OrderShop.with { shop in
            let none = try shop.payments("show order-1")
            #expect(try none.status == 1 && none.text("code") == "no-payment")
            let waiting = try shop.pay("order-1", 30_300)
            #expect(waiting.status == 4)
            let elsewhere = try shop.payments("recover", at: "adyen")
            #expect(elsewhere.status == 0)
            #expect(
                elsewhere.error.contains(
                    "was not asked about its open payments in this ledger (1)"),
                "\(elsewhere.error)")
            let unasked = try shop.payments("show order-1", at: "adyen")
            #expect(try elsewhere.error.hasSuffix("\(elsewhere.text("advice"))\n"))
            let reason = try unasked.text("unanswered")
            #expect(
                reason
                    == "The attempt was made at worldline-direct (test, shop), and not at adyen (test, Shop): no gateway was "
                    + "asked")
            #expect(
                try unasked.text("advice")
                    == "Ask with the gateway file of the account at which the attempt was made, and do not rely on this state "
                    + "until then.")
            let visit = try Command(
                ["-s", "-f", "\(waiting.text("url"))?decision=confirm"], program: "/usr/bin/curl")
            #expect(visit.status == 0)
            let shown = try shop.payments("show order-1")
            #expect(shown.status == 0, "\(shown.output)\(shown.error)")
            #expect(try shown.text("outcome") == "paid")
            #expect(try shown.text("serial") == waiting.text("serial"))
            let recovery = try shop.payments("recover")
            #expect(recovery.status == 0)
            let nothing = #"{"asked":0,"released":0,"changed":0,"failed":0,"unanswered":0}"#
            #expect(recovery.output == nothing + "\n" && recovery.error.isEmpty)
        }
    }

    @Test("captures, cancels and refunds once for each name")
    func operations() throws {
        try OrderShop.with { shop in
            try shop.change(
                "bepaid", to: "reserving", #""credentials""#,
                with: #""payment":{"kind":"authorization"},"credentials""#)
            let reserved = try shop.pay("order-1", 3000, at: "reserving")
            #expect(reserved.status == 6, "\(reserved.output)\(reserved.error)")
            let words = "capture order-1 --amount 1000 --operation part"
            let part = try shop.payments(words, at: "reserving")
            #expect(part.status == 0, "\(part.output)\(part.error)")
            for (name, value) in [
                "operation": "done", "kind": "capture", "reference": "order-1", "name": "part",
                "gateway": "bepaid",
            ] {
                #expect(try part.text(name) == value)
            }
            #expect(try part.members["isRecorded"] as? Bool == true)
            #expect(try part.members["amount"] as? Int == 1000)
            #expect(try shop.payments(words, at: "reserving").status == 0)
            let shown = try shop.payments("show order-1", at: "reserving")
            #expect(shown.status == 6)
            #expect(try shown.members["captured"] as? Int == 1000)
            let changed = try shop.payments(
                "capture order-1 --amount 999 --operation part", at: "reserving")
            #expect(try changed.status == 2 && changed.text("code") == "reference-changed")
            let tooMuch = try shop.payments("capture order-1 --amount 2001", at: "reserving")
            #expect(try tooMuch.status == 1 && tooMuch.text("code") == "unsupported-amount")

            _ = try shop.pay("order-2", 3000, at: "reserving")
            let cancelled = try shop.payments("cancel order-2", at: "reserving")
            #expect(cancelled.status == 0, "\(cancelled.output)\(cancelled.error)")
            #expect(try cancelled.text("kind") == "cancellation")
            #expect(try shop.payments("show order-2", at: "reserving").status == 1)

            // Nobody listens there.
            try shop.change("reserving", to: "nowhere", shop.origin, with: "http://127.0.0.1:1")
            let recorded = try shop.payments("show order-1", at: "nowhere")
            #expect(recorded.status == 6)
            let place = try recorded.text("unanswered")
            #expect(
                place.hasPrefix("No connection to the gateway") && place.contains("127.0.0.1:1"))
            let sentences = try "\(place). \(recorded.text("advice"))\n"
            #expect(recorded.error.hasSuffix("the state is the recorded one: \(sentences)"))
            let unsent = try shop.payments("capture order-1", at: "nowhere")
            #expect(unsent.status == 3, "\(unsent.output)")
            let cause =
                "did not state how much of the payment remains: No connection to the gateway"
            #expect(
                unsent.error.contains("bepaid \(cause)") && unsent.error.contains("127.0.0.1:1"))
            #expect(try unsent.error.hasSuffix("\(unsent.text("advice"))\n"))
            let rest = try shop.payments("capture order-1", at: "reserving")
            #expect(rest.status == 0, "\(rest.output)\(rest.error)")

            _ = try shop.pay("order-3", 3000)
            let pending = try shop.payments("refund order-3 --amount 500")
            #expect(try pending.status == 4 && pending.text("operation") == "pending")
        }
    }

    @Test("records a person's decision about an attempt that the gateway does not decide")
    func resolve() throws {
        try OrderShop.with { shop in
            let unknown = try shop.pay("order-1", 40_900, at: "adyen")
            let words = try
                "resolve order-1 --serial \(unknown.text("serial")) --by Jane --because books"
            let refused = try shop.payments("\(words) --paid 8835", at: "adyen")
            #expect(try refused.status == 1 && refused.text("code") == "decision-refused")
            let paid = try shop.payments("\(words) --paid 8835 --confirmed", at: "adyen")
            #expect(paid.status == 0, "\(paid.output)\(paid.error)")
            #expect(try paid.text("outcome") == "paid" && paid.text("reason") == "books")
            #expect(try Command(["payments", "list"] + shop.ledger).output.isEmpty)
        }
    }

    @Test("adopts a payment of another channel, which the gateway states for the order")
    func adopt() throws {
        try OrderShop.with { shop in
            let paid = try shop.pay("order-1", 3000)
            #expect(paid.status == 0)
            let payment = try paid.text("paymentId")
            // Another ledger, which has not the payment.
            let other = ["--ledger", "\(shop.folder)/other"]
            #expect(try Command(["ledger", "init", "--window", "300"] + other).status == 0)
            let account = ["--gateway", "\(shop.folder)/gateways/worldline-direct.json"] + other
            let order = ["--order", "\(shop.folder)/order.json"]
            let decision = ["--payment-id", payment, "--by", "Jane", "--because", "till"]
            let words = ["payments", "adopt", "order-1"] + account + order

            let foreign = try Command(
                ["payments", "adopt", "order-2"] + account + order + decision)
            #expect(foreign.status == 2)
            #expect(
                foreign.error.contains("has the order order-1, not order-2"), "\(foreign.error)")
            let unknown = try Command(words + ["--payment-id", "1"] + decision[2...])
            #expect(try unknown.status == 1 && unknown.text("code") == "decision-refused")
            #expect(
                try Command(["payments", "changes"] + other).output.split(separator: "\n").count
                    == 1)

            let adopted = try Command(words + decision)
            #expect(adopted.status == 0, "\(adopted.output)\(adopted.error)")
            #expect(try adopted.text("outcome") == "paid" && adopted.text("paymentId") == payment)
            let again = try Command(words + decision)
            #expect(try again.status == 0 && again.text("paymentId") == payment)
            let another = try Command(words + ["--payment-id", "1"] + decision[2...])
            #expect(try another.status == 1 && another.text("code") == "decision-refused")
            #expect(try another.text("message").contains("an attempt pays the order"))
            let shown = try Command(["payments", "show", "order-1"] + account)
            #expect(shown.status == 0 && shown.output.contains(payment))
        }
    }

    @Test("decides about an order that the ledger does not have")
    func resolveOrder() throws {
        try OrderShop.with { shop in
            let paid = try shop.pay("order-1", 3000)
            let account = ["--gateway", "\(shop.folder)/gateways/worldline-direct.json"]
            let words =
                ["payments", "resolve", "order-1", "--order", "\(shop.folder)/order.json"] + account
            let decision = ["--by", "Jane", "--because", "books", "--confirmed"]
            let known = try Command(words + ["--refused"] + decision + shop.ledger)
            #expect(try known.status == 1 && known.text("code") == "decision-refused")
            #expect(try known.text("message").contains("decide about it by its serial"))
            for (wrong, fault) in [
                (["--serial", try paid.text("serial"), "--refused"], "and leave out --serial"),
                (["--returned"], "give --refused, and leave out --returned"),
            ] {
                let run = try Command(words + wrong + decision + shop.ledger)
                #expect(run.status == 2 && run.error.contains(fault), "\(run.error)")
            }
            // A new ledger: an older system's request may be under way for a day.
            let other = ["--ledger", "\(shop.folder)/other"]
            #expect(try Command(["ledger", "init", "--window", "300"] + other).status == 0)
            let early = try Command(words + ["--refused"] + decision + other)
            #expect(try early.status == 1 && early.text("message").contains("a day after it"))
        }
    }

    @Test("decides about an operation by its name, and only about one that is not decided")
    func resolveOperation() throws {
        try OrderShop.with { shop in
            // Its operations take until the second status request.
            let paid = try shop.pay("order-1", 60_300)
            #expect(paid.status == 0, "\(paid.output)\(paid.error)")
            let refund = try shop.payments("refund order-1 --amount 500 --operation part")
            #expect(try refund.status == 4 && refund.members["isRepeated"] as? Bool == false)
            let list = try Command(["payments", "list"] + shop.ledger)
            #expect(try list.members["openOperations"] as? [String] == ["part"])

            let words = "resolve order-1 --operation part --by Jane --because books"
            let done = try shop.payments("\(words) --done")
            #expect(done.status == 0, "\(done.output)\(done.error)")
            #expect(try done.text("operation") == "done" && done.text("name") == "part")
            #expect(try shop.payments("show order-1").members["openOperations"] == nil)
            let again = try shop.payments("refund order-1 --amount 500 --operation part")
            #expect(try again.status == 0 && again.members["isRepeated"] as? Bool == true)
            let decided = try shop.payments("\(words) --done")
            #expect(try decided.status == 1 && decided.text("code") == "decision-refused")
            #expect(
                decided.error.contains("the operation part is done; nothing is to be decided"),
                "\(decided.error)")
            #expect(again.error.contains("another operation of the same kind and amount needs"))

            for (more, message) in [
                ("--done --serial 5e", "leave out --serial, which is about an attempt"),
                ("--done --confirmed", "leave out --confirmed, which is about an attempt"),
                ("--done --refused", "give only one of --done and --refused"),
                ("", "payments resolve needs --paid ID (or --refused, --returned or --done)"),
            ] {
                let wrong = try shop.payments("\(words) \(more)")
                #expect(wrong.status == 2 && wrong.error.contains(message), "\(wrong.error)")
            }
            let attempt = try shop.payments(
                "resolve order-1 --serial 5e --done --by Jane --because books")
            #expect(attempt.status == 2)
            #expect(attempt.error.contains("--done is about an operation"), "\(attempt.error)")
        }
    }

    @Test("prints the orders whose outcomes changed, and the cursor after them")
    func changes() throws {
        try OrderShop.with { shop in
            func changes(_ after: String? = nil) throws -> (orders: [String], cursor: String) {
                let more = after.map { ["--after", $0] } ?? []
                let run = try Command(["payments", "changes"] + shop.ledger + more)
                #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
                let lines = try run.output.split(separator: "\n").map {
                    try #require(
                        JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
                let cursor = try #require(lines.last?["cursor"] as? String)
                return (
                    lines.dropLast().map {
                        "\($0["reference"] as? String ?? "") \($0["outcome"] as? String ?? "")"
                    }, cursor
                )
            }
            let start = try changes()
            #expect(start.orders.isEmpty)
            _ = try shop.pay("one", 3000)
            _ = try shop.pay("two", 40_900, at: "adyen")
            let first = try changes(start.cursor)
            #expect(first.orders == ["one paid", "two unknown"])
            #expect(try changes("0").orders == first.orders)
            #expect(try changes(first.cursor).orders.isEmpty)
            #expect(try changes(first.cursor).cursor == first.cursor)

            for (cursor, status, message) in [
                ("x", 2, "takes the cursor of the last call's last line, or 0 to begin, not x"),
                ("1", 2, "or 0 to begin"),
                ("1." + String(repeating: "5e", count: 16), 3, "leave out --after, or give 0"),
                ("9" + first.cursor, 3, "ahead of its newest change"),
            ] as [(String, Int32, String)] {
                let run = try Command(
                    ["payments", "changes", "--after", cursor] + shop.ledger)
                #expect(run.status == status && run.output.isEmpty, "\(cursor)")
                #expect(run.error.contains(message), "\(run.error)")
            }
        }
    }

    /// Returns a message of Worldline, signed with the key in the sandbox's gateway file.
    private func message(_ reference: String, _ key: String = "sandbox-secret") throws -> String {
        let body =
            #"{"id":"e-1","created":"2026-11-21T08:30:00.123+0000","type":"payment.captured","#
            + #""merchantId":"shop","apiVersion":"v1","payment":{"id":"3066000001_0","status":"CAPTURED","#
            + #""paymentOutput":{"amountOfMoney":{"amount":3000,"currencyCode":"EUR"},"references":{"#
            + #""merchantReference":"\#(reference)"}}}}"#
        let code = try HMACSHA256.code(of: body.utf8.span, key: Array(key.utf8).span)
        let signature = Data(code.bytes).base64EncodedString()
        return "POST /hook HTTP/1.1\r\nHost: shop.example\r\nX-GCS-KeyId: key-1\r\n"
            + "X-GCS-Signature: \(signature)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test("receives a message: verifies it, asks the gateway, and prints the answer to send")
    func receive() throws {
        try OrderShop.with { shop in
            let words = ["receive"] + shop.account("worldline-direct")
            _ = try shop.pay("order-1", 3000)

            let known = try Command(words, input: message("order-1"))
            #expect(known.status == 0, "\(known.output)\(known.error)")
            #expect(
                known.output.hasPrefix(
                    #"{"status":200,"body":"","reference":"order-1","outcome":"paid","#))
            #expect(try known.text("paymentStatus") == "CAPTURED")
            let foreign = try Command(words, input: message("order-9"))
            #expect(foreign.status == 0)
            #expect(
                foreign.output
                    == #"{"status":200,"body":"","reason":"The message is about no order of this ledger."}"#
                    + "\n")
            let forged = try Command(words, input: message("order-1", "other"))
            #expect(
                forged.status == 1 && forged.output.hasPrefix(#"{"status":400,"body":"","reason":"#)
            )
            for text in ["", "x", "HTTP/1.1 200 OK\r\n\r\n"] {
                let unreadable = try Command(words, input: text)
                #expect(unreadable.status == 1)
                #expect(unreadable.output.hasPrefix(#"{"status":400,"body":"","reason":"#))
            }
            let check = try Command(
                words,
                input: "GET /hook HTTP/1.1\r\nX-GCS-Webhooks-Endpoint-Verification: abc-1\r\n\r\n")
            #expect(check.status == 0 && check.output == #"{"status":200,"body":"abc-1"}"# + "\n")

            let file = try shop.write("message.http", message("order-1"))
            #expect(try Command(["receive", file] + words.dropFirst()).status == 0)
            // A ledger that cannot be used is a reason for the gateway to repeat the message.
            let missing = try Command(
                ["receive", file, "--ledger", "\(shop.folder)/none"] + words[1...2])
            #expect(missing.status == 3)
        }
    }

    @Test("forgets settled orders of long ago, and no others")
    func prune() throws {
        try OrderShop.with { shop in
            _ = try shop.pay("order-1", 3000)
            let pruned = try Command(
                ["ledger", "prune", "--orders-before", "2020-01-01"] + shop.ledger)
            #expect(pruned.status == 0, "\(pruned.error)")
            #expect(pruned.output == #"{"status":"ok","pruned":0,"prunedOrders":0}"# + "\n")
            let early = try Command(
                [
                    "ledger", "prune", "--orders-before",
                    Date().addingTimeInterval(-179 * 86_400).ISO8601Format(),
                ] + shop.ledger)
            #expect(early.status == 2 && early.error.contains("at least 180 days ago"))
            #expect(try shop.payments("show order-1").status == 0)
        }
    }
}
