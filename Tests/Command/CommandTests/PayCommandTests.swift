import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayOrders
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayWire
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("paytoken pay")
struct PayCommandTests {
    @Test("pays an order once, and prints its state as one JSON object")
    func paid() throws {
        try OrderShop.with { shop in
            let paid = try shop.pay("order-1", 3000)
            #expect(paid.status == 0, "\(paid.error)")
            let members = try paid.members
            #expect(paid.output.filter { $0 == "\n" }.count == 1)
            let expected: [String: String] = [
                "reference": "order-1", "outcome": "paid", "gateway": "worldline-direct",
                "status": "CAPTURED", "currency": "EUR",
            ]
            for (name, value) in expected { #expect(members[name] as? String == value, "\(name)") }
            for (name, value) in ["amount": 3000, "captured": 3000, "slot": 1] {
                #expect(members[name] as? Int == value, "\(name)")
            }
            #expect(members["isRecorded"] as? Bool == true)
            #expect(members["isAmountSigned"] as? Bool == true)
            #expect(try paid.text("transactionId").count == 64)
            #expect(try paid.text("publicKeyHash").count == 44)
            #expect(try paid.text("signingTime").count == 20)
            #expect(try paid.text("serial").count == 32)
            #expect(try !paid.text("paymentId").isEmpty)
            for name in ["url", "code", "text", "reason"] { #expect(members[name] == nil) }

            // The same token and another one: nothing more is sent.
            let again = try Command(shop.words("order-1", 3000, at: "worldline-direct"))
            #expect(again.status == 0)
            #expect(try again.text("serial") == paid.text("serial"))
            let other = try shop.pay("order-1", 3000)
            #expect(other.status == 0)
            #expect(try other.text("paymentId") == paid.text("paymentId"))
            let books = try Command(
                ["-s", "\(shop.origin)/sandbox/payments"], program: "/usr/bin/curl")
            #expect(
                books.output.contains(#""requests":1"#) && !books.output.contains(#""requests":2"#))
            for run in [paid, again, other] {
                for secret in ["4761120010000492", shop.cryptogram, "sandbox-secret"] {
                    #expect(!run.output.contains(secret) && !run.error.contains(secret))
                }
            }
        }
    }

    @Test("exits with the status of the order's state")
    func statuses() throws {
        try OrderShop.with { shop in
            let declined = try shop.pay("declined", 40_200)
            #expect(declined.status == 1, "\(declined.output)")
            #expect(try declined.text("outcome") == "refused")
            #expect(try !declined.text("code").isEmpty && declined.text("origin") == "issuer")
            // A refused order can be paid again, in its next slot.
            let second = try shop.pay("declined", 40_200)
            #expect(try second.members["slot"] as? Int == 2)

            let customer = try shop.pay("customer", 30_300)
            #expect(customer.status == 4, "\(customer.output)")
            #expect(try customer.text("outcome") == "action-required")
            #expect(try customer.text("url").hasPrefix(shop.origin))

            let reserved = try shop.pay("reserved", 3000, at: "adyen")
            #expect(reserved.status == 6, "\(reserved.output)")
            #expect(try reserved.text("outcome") == "authorized")
            let words = try shop.words("reserved", 3000, at: "adyen")
            #expect(try Command(words + ["--accept", "authorized"]).status == 0)
            let unpaid = try shop.pay("declined-2", 40_200, more: ["--accept", "authorized"])
            #expect(unpaid.status == 1)

            let unknown = try shop.pay("unknown", 40_900, at: "adyen")
            #expect(unknown.status == 5, "\(unknown.output)")
            #expect(try !unknown.text("reason").isEmpty)

            // The sandbox does not accept this secret, which is for the merchant to repair.
            try shop.change("adyen", to: "wrong", "adyen.secret", with: "wrong.secret")
            try shop.write("gateways/wrong.secret", "wrong")
            let account = try shop.pay("account", 3000, at: "wrong")
            #expect(account.status == 3, "\(account.output)")
        }
    }

    @Test("refuses what may not be sent, with an error object and the status of who has to act")
    func refusals() throws {
        try OrderShop.with { shop in
            func expect(_ run: Command, _ status: Int32, _ stage: String, _ code: String) throws {
                #expect(run.status == status, "\(code): \(run.output)\(run.error)")
                #expect(try run.text("status") == "error")
                #expect(try run.text("stage") == stage && run.text("code") == code, "\(run.output)")
                #expect(try !run.text("message").isEmpty && !run.text("disposition").isEmpty)
            }
            // The token is of 3000.
            try shop.tap(3000)
            let mismatch = try Command(shop.words("order-1", 2999, at: "worldline-direct"))
            try expect(mismatch, 1, "order", "order-mismatch")
            var old = try shop.words("order-1", 3000, at: "worldline-direct")
            old.removeAll { $0 == "--any-age" }
            try expect(try Command(old), 1, "signing-time", "too-old")
            try shop.write("token.json", "{}")
            let noToken = try Command(shop.words("order-1", 3000, at: "worldline-direct"))
            #expect(noToken.status == 1 && noToken.output.contains(#""status":"error""#))

            #expect(try shop.pay("order-1", 3000).status == 0)
            let replay = try Command(shop.words("order-2", 3000, at: "worldline-direct"))
            try expect(replay, 1, "replay", "already-claimed")
            try expect(try shop.pay("order-1", 3001), 2, "order", "reference-changed")
            try expect(try shop.pay("order-1", 3000, at: "adyen"), 2, "order", "reference-changed")
            try expect(try shop.pay("order-1.r2", 3000), 2, "order", "invalid-reference")

            // Nobody listens there, so nothing was sent, and the same token can be used again.
            try shop.change("bepaid", to: "nowhere", shop.origin, with: "http://127.0.0.1:1")
            try expect(try shop.pay("order-3", 3000, at: "nowhere"), 3, "gateway", "not-sent")
            let recovered = try Command(shop.words("order-3", 3000, at: "bepaid"))
            #expect(recovered.status == 0, "\(recovered.output)\(recovered.error)")
        }
    }

    @Test("passes a token on encrypted, with or without the key")
    func encrypted() throws {
        try OrderShop.with { shop in
            try shop.change(
                "worldline-direct", to: "encrypted", #""payment":"#,
                with: #""token":"encrypted","payment":"#)
            let sealed = try shop.pay("order-1", 3000, at: "encrypted", keys: false)
            #expect(sealed.status == 0, "\(sealed.output)\(sealed.error)")
            #expect(try sealed.members["isAmountSigned"] as? Bool == false)
            #expect(sealed.error.contains("without --keys the token is not decrypted"))
            let opened = try shop.pay("order-2", 3000, at: "encrypted")
            #expect(opened.status == 0, "\(opened.output)\(opened.error)")
            #expect(try opened.members["isAmountSigned"] as? Bool == true)
            // With the key, the order is compared.
            try shop.tap(3000)
            let other = try Command(shop.words("order-3", 2999, at: "encrypted"))
            #expect(other.status == 1 && other.output.contains("order-mismatch"))
            let keyless = try shop.pay("order-4", 3000, keys: false)
            #expect(keyless.status == 2 && keyless.error.contains("needs --keys PATH"))
        }
    }

    @Test(
        "pays an order again only after all was returned, and with the serial of its last attempt")
    func again() throws {
        try OrderShop.with { shop in
            let paid = try shop.pay("order-1", 3000, at: "bepaid")
            let serial = try paid.text("serial")
            let refund = try shop.payments("refund order-1 --reason returned", at: "bepaid")
            #expect(refund.status == 0, "\(refund.output)\(refund.error)")
            let returned = try shop.pay("order-1", 3000, at: "bepaid")
            #expect(returned.status == 1)
            #expect(
                try returned.text("outcome") == "returned" && returned.text("cause") == "refund")
            let wrong = try shop.pay("order-1", 3000, at: "bepaid", more: ["--again", "5e"])
            #expect(try wrong.status == 1 && wrong.text("code") == "no-payment")
            #expect(try returned.text("advice").contains("its last attempt, \(serial): --again"))
            #expect(try returned.error.contains(returned.text("advice")))
            let again = try shop.pay("order-1", 3000, at: "bepaid", more: ["--again", serial])
            #expect(again.status == 0, "\(again.output)\(again.error)")
            #expect(try again.members["slot"] as? Int == 2)
        }
    }

    @Test(
        "replaces numbers that may be a card's in the gateway's text",
        arguments: [
            ("card 4761120010000492 declined", "card … declined"),
            ("4761 1200 1000 0492", "…"), ("4761-1200-1000-0492.", "…."),
            ("code 05, 12345678901", "code 05, 12345678901"), ("", ""),
        ])
    func cardNumbers(_ text: String, _ expected: String) {
        #expect(ExactText(text).withoutCardNumbers == expected)
    }
}
