extension SandboxGateway {
    /// All gateways, the URLs at which customers complete payments, and the list of payments.
    static let all: [SandboxGateway] = [
        worldlineDirect, worldlineConnect, bePaid, dintero, rbs, intergiro, cyberSource, checkout,
        adyen, payPal, customer, sandbox,
    ]

    /// The page at which the customer confirms, declines or cancels a payment that waits for them.
    ///
    /// A browser shows the three choices, and then a link to the shop's address, if the request for the payment named one.
    private static let customer = SandboxGateway(
        name: "customer", takesPayments: false,
        fault: { _, _ in SandboxAnswer(404, .page("<p>There is no such payment.</p>\n")) },
        routes: [
            .get("/customer/*/*") { call, book in
                let (gateway, name) = (call.segments[0], call.segments[1])
                let page = book[value: Self.pageName(name), of: gateway]
                let id = page?["payment"]?.string ?? name
                guard var payment = book[payment: id, of: gateway] else {
                    return .answer(call.fault(.notFound))
                }
                let word = call.request.query["decision"]
                let isBrowser = call.request.header("Accept")?.contains("text/html") == true
                guard word != nil || !isBrowser || payment.state != .awaitingCustomer else {
                    return .answer(SandboxAnswer(200, .page(Self.choices)))
                }
                let decision = SandboxPayment.Decision(rawValue: word ?? "") ?? .confirm
                payment.decide(decision)
                book[payment: id, of: gateway] = payment
                var text = "<p>The customer's decision: \(decision.rawValue)</p>\n"
                if let address = (page?["returnURL"] ?? payment["returnURL"])?.string {
                    let link = Self.escaped(address)
                    text += "<p>The customer returns to <a href=\"\(link)\">\(link)</a></p>\n"
                }
                return .answer(SandboxAnswer(200, .page(isBrowser ? Self.style + text : text)))
            }
        ])

    /// The choices of a person in a browser.
    private static let choices =
        style + "<h1>Test bank</h1>\n<p>This page stands in for the bank's 3-D Secure page.</p>\n"
        + ["confirm", "decline", "cancel"].map { "<p><a href=\"?decision=\($0)\">\($0)</a></p>\n" }
        .joined()

    private static let style = """
        <!DOCTYPE html><title>Test bank</title><meta name="viewport" content="width=device-width">
        <style>
        :root { color-scheme: light dark }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem }
        a { overflow-wrap: anywhere }
        </style>

        """

    /// Returns the name of a payment page, an object with the members `payment` and `returnURL`.
    static func pageName(_ id: String) -> String { "page \(id)" }

    /// Returns an address without the characters that begin or end markup.
    ///
    /// An ampersand stays as it is, so that scripts can read the address.
    private static func escaped(_ address: String) -> String {
        String(address.map { "<>\"'".contains($0) ? "_" : $0 })
    }
}
