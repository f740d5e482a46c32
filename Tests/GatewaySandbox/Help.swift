/// The text that `gateway-sandbox --help` prints.
enum Help {
    /// The help text, with the table of amounts and the table of requests.
    static let text = """
        gateway-sandbox [--port N] [--silence SECONDS]

          Answers the requests of ten payment gateways on 127.0.0.1, for tests on one machine. It moves no
          money and keeps everything in memory. The first line of output is its address, such as
          http://127.0.0.1:8080, for the option --origin of paytoken request.

          --port N            the port; 0, the default, for any free one
          --silence SECONDS   how long a request that times out stays without an answer: 120

          Every merchant, shop, key and user is accepted with the secret \(Sandbox.secret). For CyberSource,
          whose secrets are base64, it is c2FuZGJveC1zZWNyZXQ=.

        Amounts in minor units (402.00 is 40200); a payment of an amount that

        \(amounts)
          All other amounts succeed.

          Requests to Intergiro contain no amount: there, the number at the end of the card's identifier
          counts. RBS's payment.do contains the amount only in the encrypted token, which the sandbox cannot
          decrypt: there, a description such as "amount 40200" names it.

        Requests, as METHOD PATH, where * is one segment; a repeated key gets the first answer:

        \(requests)
        """

    private static var amounts: String {
        Scenario.table.map { row in
            let amount = String(row.amount)
            let indent = String(repeating: " ", count: 8 - amount.count)
            return "  \(indent)\(amount)  \(row.summary)\n"
        }.joined()
    }

    private static var requests: String {
        SandboxGateway.all.map { gateway in
            let key =
                gateway.idempotency.map { idempotency in
                    " (key: \(idempotency.header)"
                        + (idempotency.refusesOtherRequests
                            ? "; refused for another request)" : ", whatever the request)")
                } ?? ""
            return "  \(gateway.name)\(key)\n"
                + gateway.routes.map { "    \($0.method) \($0.path)\n" }.joined()
        }.joined()
    }
}
