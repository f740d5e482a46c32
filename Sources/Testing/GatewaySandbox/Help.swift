/// The text that `gateway-sandbox --help` prints.
enum Help {
    /// The options.
    static let usage =
        "gateway-sandbox [--port N] [--silence SECONDS] [--late SECONDS] [--files FOLDER] [--notify URL]"

    /// The help text, with the table of amounts and the table of requests.
    static let text = """
        \(usage)

          Answers the requests of ten payment gateways on 127.0.0.1, for tests on one machine. It moves no
          money and keeps everything in memory. The first line of output is its address, such as
          http://127.0.0.1:8080, which takes the place of the vendor's server.

          --port N            the port; 0, the default, for any free one
          --silence SECONDS   how long a request that times out stays without an answer: 120
          --late SECONDS      how long after its request a late payment is made: 30
          --files FOLDER      write FOLDER/NAME.json for each gateway, before the address: the file that
                              paytoken takes with --gateway, for this address; secrets are in files
                              beside it, which only their owner can read
          --notify URL        send the messages (webhooks) of \(messengers)
                              to URL/NAME, such as http://127.0.0.1:8000/hooks/bepaid

          Every merchant, shop, key and user is accepted with the secret \(Sandbox.secret). For CyberSource,
          whose secrets are base64, it is \(Sandbox.secretInBase64).

        Amounts in minor units (402.00 is 40200); a payment of an amount that

        \(amounts)
          All other amounts succeed. 0 is a card check, which moves no money; bepaid refuses it.

          Requests to Intergiro contain no amount: there, the number at the end of the card's identifier
          counts. RBS's payment.do contains the amount only in the encrypted token, which the sandbox cannot
          decrypt: there, a description such as "amount 40200" or "amount 40200 EUR" names it.

        With --notify a gateway sends a message, signed for the keys in the gateway files, when a payment is
        made, when its customer decided, and when an operation is requested or done. URL is http on this
        machine. An answer other than 2xx, or none in 10 seconds, lets it send the message 3 times again,
        and standard error reports it.

        Captures, cancellations and refunds are done at once. Worldline Direct and Connect first answer that
        they are requested; there, the first status request finds them done.

        Requests that only the sandbox has:

          GET /sandbox/payments
            every payment that was accepted, as a JSON array of objects with the members gateway, id,
            reference, currency, authorized (and still to be captured), captured, refunded (or charged
            back) and requests: how many payments with this reference were accepted there. An operation
            that is requested and not done is in none of the amounts. An unknown amount is null. Payments
            of other channels, which are not among the requests, have the member isForeign: true.
          POST /sandbox/payments {"gateway", "reference", "amount", "currency", "state"}
            makes a payment of another channel, such as a card form, in the state refused, authorized
            or captured, whatever its amount; amount is in minor units. The answer has its id. Queries
            find it as any other payment. For \(foreign).
          POST /sandbox/returns {"gateway", "id"}
            gives a payment back, as a person in the vendor's portal: what is reserved, and what is captured.
          POST /sandbox/late {"reference", "seconds"}
            the next payment of an order gets a 504, and is made so many seconds later; the reference at
            the gateway may have a suffix after a period. GET lists the references of payments that are
            to be made later, as a JSON array.
          POST /sandbox/cards {"gateway", "identifier", "state"}
            makes a stored card usable, expired, revoked, or one without the agreement that later
            payments need (no-agreement): they are declined, or a revoked card is not known any more.
          GET /customer/GATEWAY/ID?decision=confirm|decline|cancel
            what the customer does at the address in the answer; without a decision they confirm, or
            choose in a browser. For bepaid and a payment page of Worldline it shows the address to
            which the customer returns.

        Requests, as METHOD PATH, where * is one segment; a repeated key gets the first answer:

        \(requests)
        """

    private static var messengers: String {
        SandboxGateway.all.filter { $0.message != nil }.map(\.name).joined(separator: ", ")
    }

    private static var foreign: String {
        SandboxGateway.all.filter { $0.foreign != nil }.map(\.name).joined(separator: ", ")
    }

    private static var amounts: String {
        Scenario.allCases.filter { $0 != .success }.map { scenario in
            let places = SandboxGateway.all.filter { $0.rareScenarios.contains(scenario) }
            let names = places.map(\.name).joined(separator: ", ")
            let note = places.isEmpty ? "" : "\n           (\(names); elsewhere it succeeds)"
            return "    \(scenario.rawValue)  \(scenario.summary)\(note)\n"
        }.joined()
    }

    private static var requests: String {
        SandboxGateway.all.map { gateway in
            let key = gateway.idempotency.map { " (key: \($0.header)\(note($0)))" } ?? ""
            return "  \(gateway.name)\(key)\n"
                + gateway.routes.map { "    \($0.method) \($0.path)\n" }.joined()
        }.joined()
    }

    private static func note(_ idempotency: SandboxGateway.Idempotency) -> String {
        let other =
            idempotency.refusesOtherRequests
            ? "; refused for another request" : ", whatever the request"
        return other + (idempotency.keepsFailures ? "" : "; after a failure it is free again")
    }
}
