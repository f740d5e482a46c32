extension SandboxGateway {
    /// All gateways, and the URL at which the customer completes a payment.
    static let all: [SandboxGateway] = [
        worldlineDirect, worldlineConnect, bePaid, dintero, rbs, intergiro, cyberSource, checkout,
        adyen, payPal, customer,
    ]

    /// The page that completes a payment that waits for the customer.
    private static let customer = SandboxGateway(
        name: "customer",
        fault: { _, _ in SandboxAnswer(404, .page("<p>There is no such payment.</p>\n")) },
        routes: [
            .get("/customer/*/*", .none) { call, book in
                let (gateway, id) = (call.segments[0], call.segments[1])
                guard var payment = book[payment: id, of: gateway] else {
                    return .answer(call.fault(.notFound))
                }
                let declines = call.request.query["decision"] == "decline"
                if payment.state == .awaitingCustomer {
                    if declines { payment.decline() } else { payment.succeed() }
                    book[payment: id, of: gateway] = payment
                }
                let word = declines ? "declined" : "confirmed"
                return .answer(SandboxAnswer(200, .page("<p>The payment is \(word).</p>\n")))
            }
        ])
}
