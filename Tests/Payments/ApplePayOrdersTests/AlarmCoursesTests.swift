import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation
import TestVectors
import Testing

/// No payment with money is forgotten because of another one, or because the gateway could not be asked.
@Suite("An alarm about another payment")
struct AlarmCoursesTests {
    static let vendors = [VendorName.worldlineDirect] + VendorName.withSearch
    private static let unanswered =
        "The gateway has not answered the question about the payment yet."

    @Test(
        "comes with the message that the vendor repeats if the question was not answered",
        arguments: VendorName.withMessages,
        [VendorServer.Way.notSent, .lost, .empty(500), .blocked(404)])
    func question(_ name: VendorName, _ way: VendorServer.Way) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        let other = shop.server.addForeign(.accept)
        shop.server.all(.other, way)
        let reply = try await shop.receive(messageAbout: other.id)
        #expect(reply.status == 503 && reply.reason == Self.unanswered)
        #expect(reply.outcome?.state == .paid && reply.outcome?.isAnswered == false)
        shop.server.all(.other, nil)
        try await shop.learn(of: other)
        try await shop.expect(.alarm(charges: 1))
    }

    @Test(
        "lasts until each of two other payments was given back, in any order",
        arguments: vendors, [true, false])
    func two(_ name: VendorName, _ isLastFirst: Bool) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        _ = try await shop.process().state(of: "order-1")
        let others = [shop.server.addForeign(.accept), shop.server.addForeign(.accept)]
        for other in others { try await shop.learn(of: other) }
        try await shop.expect(.alarm(charges: 1))
        let ids = others.map(\.id)
        let listed = try #require(try await Courses.open(shop.process()).first)
        #expect(listed.payment?.secondPaymentID.map { ids.contains(String($0)) } == true)
        let (first, second) = isLastFirst ? (ids[1], ids[0]) : (ids[0], ids[1])
        shop.server.giveBack(first)
        let decided = try await shop.decide(.returned(paymentID: ExactText(first)))
        #expect(decided.state == .unknown && decided.reason == Courses.secondPayment)
        #expect(decided.payment?.secondPaymentID == second)
        for _ in 0..<3 { try await shop.recover(after: 7 * 3_600) }
        try await shop.expect(.alarm(charges: 1))
        let refusal = await Courses.refusal {
            try await shop.decide(.returned(paymentID: ExactText(second)))
        }
        #expect(
            refusal == "order/decision-refused: the gateway reports money of the payment \(second)")
        shop.server.giveBack(second)
        #expect(try await shop.decide(.returned(paymentID: ExactText(second))).state == .paid)
        try await shop.expect(name.paid)
        try await shop.expect(.paid, isAnswered: true)
    }

    @Test(
        "comes beside a payment about which a person has decided and whose refund failed",
        arguments: vendors, [true, false])
    func explained(_ name: VendorName, _ isOlder: Bool) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        _ = try await shop.process().state(of: "order-1")
        let earlier = isOlder ? shop.server.addForeign(.decline) : nil
        let second = shop.server.addForeign(.accept)
        try await shop.learn(of: second)
        shop.server.giveBack(second.id)
        #expect(try await shop.decide(.returned(paymentID: ExactText(second.id))).state == .paid)
        shop.server.change { $0.change(second.id) { $0.operations = [] } }
        let third = earlier ?? shop.server.addForeign(.accept)
        shop.confirm(third.id)
        if VendorName.withSearch.contains(name) {
            let shown = try await shop.process().state(of: "order-1")
            #expect(shown?.state == .unknown && shown?.reason == Courses.secondPayment)
        } else {
            try await shop.learn(of: third)
        }
        try await shop.expect(.alarm(charges: 1))
        let listed = try await Courses.open(shop.process())
        #expect(listed.map { $0.payment?.secondPaymentID } == [ExactText(third.id)])
        shop.server.giveBack(third.id)
        #expect(try await shop.decide(.returned(paymentID: ExactText(third.id))).state == .paid)
        // The person's decision about the first of them still holds.
        try await shop.expect(name.paid)
        #expect(shop.server.payments.filter(\.isForeign).reduce(0) { $0 + $1.money } == 1_099)
    }

    @Test(
        "comes with a question for an order that is paid by a payment in a session, at Dintero")
    func session() async throws {
        let shop = try VendorShop(.dintero)
        try await shop.pay()
        shop.server.addForeign(.accept)
        let shown = try await shop.process().state(of: "order-1")
        #expect(shown?.state == .unknown && shown?.reason == Courses.secondPayment)
        try await shop.expect(.alarm(charges: 1))
    }

    @Test(
        "comes with the message that the vendor repeats if its index lacked the payment",
        arguments: VendorName.withMessages)
    func index(_ name: VendorName) async throws {
        let shop = try VendorShop(name)
        try await shop.pay()
        let other = shop.server.addForeign(.accept)
        let message = try #require(try shop.server.message(about: other.id))
        shop.server.change { $0.payments.removeAll { $0.id == other.id } }
        let reply = await (try shop.process()).receive(message)
        #expect(reply.status == 503 && reply.reason == Self.unanswered)
        #expect(reply.outcome?.state == .paid && reply.outcome?.isAnswered == false)
        shop.server.change { $0.payments.append(other) }
        try await shop.learn(of: other)
        try await shop.expect(.alarm(charges: 1))
    }
}
