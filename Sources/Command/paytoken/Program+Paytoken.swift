internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrograms

extension Program {
    static let paytoken = Program(
        name: "paytoken",
        summary: "verifies and decrypts Apple Pay payment tokens",
        description: """
            Verifies that an Apple Pay token comes from Apple, is fresh and is meant for this
            merchant, decrypts it, and writes the request that a gateway expects.
            """,
        operand:
            "FILE contains the token's JSON; without it, or with -, the token is read from standard input.",
        exits: [
            .done: "done, or \(states): paid, or the operation is done",
            .refused: "refused, or \(states): refused or returned",
            .usage:
                "the command line, a gateway file or an order file is wrong, or an order's amount, currency or gateway "
                + "changed",
            .means:
                "a key, a file, the ledger or the system failed, or \(states): the gateway refused the account or the "
                + "request",
            .pending:
                "\(states): pending, or the customer has to act; for card: it is not added yet",
            .unknown:
                "\(states): unknown; ask the gateway before you do anything else; for card: it is not known",
            .partial: "\(states): reserved, or only a part is reserved, paid or left",
            .interrupted: "SIGINT or SIGTERM ended the command",
        ],
        commands: Subcommand.all)

    /// The commands whose exit status is the state of an order or of an operation.
    private static let states = "for pay, page and payments"
}

extension Subcommand {
    /// Creates one of the commands about gateways.
    fileprivate init(
        gateway subject: GatewayCommand.Subject, _ usage: String, _ summary: String,
        examples: String...
    ) {
        self.init(
            "gateway \(subject.rawValue)", usage, summary, [], operands: subject.names,
            examples: examples
        ) { arguments, _ throws(CommandFailure) in try GatewayCommand.run(subject, arguments) }
    }

    /// Creates the command for a verb of `ledger`.
    fileprivate init(
        ledger verb: LedgerCommand.Verb, _ usage: String, _ summary: String, examples: String...
    ) {
        self.init(
            "ledger \(verb.rawValue)", usage, summary, LedgerCommand.options(verb),
            examples: examples
        ) { arguments, _ throws(CommandFailure) in try LedgerCommand(verb, arguments).run() }
    }

    /// Creates the command for a verb of `payments`.
    fileprivate init(
        payments verb: PaymentsCommand.Verb, _ usage: String, _ summary: String, examples: String...
    ) {
        self.init(
            "payments \(verb.rawValue)", usage, summary, PaymentsCommand.options(verb),
            examples: examples
        ) { arguments, _ throws(CommandFailure) in try PaymentsCommand(verb, arguments).run() }
    }

    /// All commands, in the order of the help text.
    fileprivate static let all: [Subcommand] = {
        let keys = "\(CommandOption.keys) PATH…"
        let ledger = "\(CommandOption.ledger) LEDGER"
        let out = "\(CommandOption.outputName) NAME"
        let gateway = "\(CommandOption.gateway) shop.json"
        let order = "\(CommandOption.order) order.json"
        let transaction = String(repeating: "4f", count: 32)
        let serial = String(repeating: "5e", count: 16)
        let account = "\(CommandOption.gateway.usage) \(ledger)"
        let orders = "\(CommandOption.ledger) orders"
        let shop = "\(gateway) \(orders)"
        return [
            Subcommand(
                "request",
                "[TOKEN] \(CommandOption.gateway.usage) \(CommandOption.order.usage) \(keys)",
                "the body of a gateway's payment, with the card data in the gateway's format, for your own client to send: "
                    + "verify and decrypt the token, compare it with the order, and with \(CommandOption.ledger) claim its "
                    + "transaction, but not the order: two taps give two bodies. pay sends, and pays an order once",
                RequestCommand.self,
                examples: "request token.json \(gateway) \(order) \(CommandOption.keys) keys",
                "request token.json \(gateway) \(order) \(CommandOption.keys) keys \(CommandOption.ledger) claims"
            ),
            Subcommand(
                "pay", "[TOKEN] \(account) \(CommandOption.order.usage) \(keys)",
                "pay an order, once: verify and decrypt the token, compare it with the order, claim both, send the payment, "
                    + "and record what the gateway reports; one JSON object, and the state of the order as exit status",
                PayCommand.self,
                examples: "pay token.json \(shop) \(order) \(CommandOption.keys) keys"),
            Subcommand(
                "page", "\(CommandOption.gateway.usage) \(CommandOption.order.usage) \(ledger)",
                "create the gateway's page on which the customer pays an order, once: its address is url; prints and exits as "
                    + "pay does",
                PageCommand.self, examples: "page \(shop) \(order)"),
            Subcommand(
                payments: .list, ledger,
                "the payments that are not settled, second payments first, one JSON object a line",
                examples: "payments list \(orders)"),
            Subcommand(
                payments: .changes, ledger,
                "the orders whose outcomes changed since a cursor, one JSON object a line as pay prints it, and a last line "
                    + "with the next cursor",
                examples: "payments changes \(orders)",
                "payments changes \(orders) \(CommandOption.after) 12.\(serial)"),
            Subcommand(
                payments: .show, "REFERENCE \(account)",
                "the state of an order, after asking its gateway; prints and exits as pay does",
                examples: "payments show order-1001 \(shop)"),
            Subcommand(
                payments: .recover, account,
                "ask about the payments that are due, and release those that were never sent; run it at start-up and "
                    + "every minute",
                examples: "payments recover \(shop)"),
            Subcommand(
                payments: .capture, "REFERENCE \(account)",
                "charge the reserved amount of an order or a part of it, once for each name",
                examples: "payments capture order-1001 \(shop)",
                "payments capture order-1001 \(shop) \(CommandOption.amount) 500 "
                    + "\(CommandOption.operationName) capture-1"),
            Subcommand(
                payments: .cancel, "REFERENCE \(account)",
                "release the reserved amount of an order",
                examples: "payments cancel order-1001 \(shop)"),
            Subcommand(
                payments: .refund, "REFERENCE \(account)",
                "give the captured amount of an order or a part of it back, once for each name",
                examples: "payments refund order-1001 \(shop) \(CommandOption.amount) 500 "
                    + "\(CommandOption.operationName) refund-1"),
            Subcommand(
                payments: .resolve, "REFERENCE \(account) \(CommandOption.serial) SERIAL",
                "record a person's decision about an attempt or an operation that the gateway does not decide; exits with 0 "
                    + "if the order or the operation has that state",
                examples: "payments resolve order-1001 \(shop) \(CommandOption.serial) \(serial) "
                    + "\(CommandOption.decidedRefused) \(CommandOption.person) Jane "
                    + "\(CommandOption.decisionReason) missing \(CommandOption.isConfirmed)",
                "payments resolve order-1001 \(shop) \(CommandOption.decidedOperation) refund-1 "
                    + "\(CommandOption.decidedDone) \(CommandOption.person) Jane "
                    + "\(CommandOption.decisionReason) books"),
            Subcommand(
                payments: .adopt,
                "REFERENCE \(account) \(CommandOption.adopted.usage) \(CommandOption.order.usage)",
                "record that a payment which the ledger does not have pays an order, if its gateway states that it does; "
                    + "prints and exits as pay does",
                examples:
                    "payments adopt order-1001 \(shop) \(CommandOption.adopted) 8835 \(order) "
                    + "\(CommandOption.person) Jane \(CommandOption.decisionReason) terminal"),
            Subcommand(
                "receive", "[MESSAGE] \(account)",
                "a gateway's message, or a customer's return from its page, as an HTTP request in a file or on standard "
                    + "input: verify it, ask the gateway for the order, and print the answer for the gateway",
                ReceiveCommand.self, examples: "receive message.http \(shop)"),
            Subcommand(
                "decrypt", "[TOKEN] \(keys)",
                "payment data as JSON, masked unless \(CommandOption.reveal)",
                DecryptCommand.self,
                examples: "decrypt token.json \(CommandOption.keys) keys",
                "decrypt token.json \(CommandOption.keys) keys \(CommandOption.ledger) claims",
                "decrypt \(CommandOption.batch) tokens.jsonl \(CommandOption.keys) keys"),
            Subcommand(
                "verify", "[TOKEN]",
                "signature, chain and signing time; needs no key, and does not prove transactionId and "
                    + "applicationData: only decrypt does", VerifyCommand.self,
                examples: "verify token.json", "verify token.json \(CommandOption.anyAge)"),
            Subcommand(
                gateway: .list, "", "the gateways, and what each can do", examples: "gateway list"),
            Subcommand(
                gateway: .example, "NAME",
                "an example of a gateway's file, or with order of an order's",
                examples: "gateway example worldline-direct > shop.json", "gateway example order"),
            Subcommand(
                gateway: .schema, "NAME",
                "the JSON Schema of a gateway's file, or with order of an order's",
                examples: "gateway schema bepaid"),
            Subcommand(
                "inspect", "[TOKEN]",
                "each check with a mark, and what is inside, for people (\(CommandOption.json) for machines); with "
                    + "\(CommandOption.keys), whether they decrypt it, and why not; of a certificate, a key or a domain "
                    + "association file, which it is, whose, and when it ends",
                InspectCommand.self,
                examples: "inspect token.json", "inspect token.json \(CommandOption.keys) keys",
                "inspect keys/one.cert.pem"),
            Subcommand(
                "session",
                "\(CommandOption.identity) KEY \(CommandOption.domain) DOMAIN \(CommandOption.displayName) NAME",
                "the merchant session with which a page opens the payment sheet: the answer of Apple, or of bePaid if its "
                    + "file is given, unchanged",
                SessionCommand.self,
                examples: "session \(CommandOption.identity) identity.key.pem "
                    + "\(CommandOption.certificate) identity.cer \(CommandOption.domain) shop.example "
                    + "\(CommandOption.displayName) Shop",
                "session \(CommandOption.gateway) bepaid.json \(CommandOption.validationURL) "
                    + "https://apple-pay-gateway.apple.com/paymentservices/startSession"),
            Subcommand(
                "card add", "ID \(CommandOption.gateway.usage)",
                "begin to add a card to Apple Wallet at Intergiro, which issued it: prints the token for the app, or with "
                    + "\(CommandOption.returnAddress) the address for the browser",
                CardCommand.self,
                examples: "card add card-1 \(CommandOption.gateway) intergiro.json"),
            Subcommand(
                "keys list", keys, "hash, merchant, kind, end and days left of each key",
                KeysListCommand.self,
                examples: "keys list \(CommandOption.keys) keys",
                "keys list \(CommandOption.keys) keys \(CommandOption.failWithin) 30"),
            Subcommand(
                "keys new", out, "a new private key in NAME.key.pem", KeysNewCommand.self,
                examples: "keys new \(CommandOption.outputName) shop",
                "keys new \(CommandOption.outputName) shop-rsa \(CommandOption.keyKind) rsa",
                "keys new \(CommandOption.outputName) shop-tls \(CommandOption.keyPurpose) identity"
            ),
            Subcommand(
                "keys csr", "\(CommandOption.keyPath) FILE \(out)",
                "the request for its certificate in NAME.csr.pem", KeysCSRCommand.self,
                examples: "keys csr \(CommandOption.keyPath) shop.key.pem "
                    + "\(CommandOption.outputName) shop",
                "keys csr \(CommandOption.keyPath) shop-rsa.key.pem "
                    + "\(CommandOption.outputName) shop-rsa \(CommandOption.commonName) Shop",
                "keys csr \(CommandOption.keyPath) shop-tls.key.pem "
                    + "\(CommandOption.outputName) shop-tls \(CommandOption.keyPurpose) identity"),
            Subcommand(
                "keys hash", "FILE…", "publicKeyHash of keys and certificates",
                KeysHashCommand.self,
                examples: "keys hash shop.key.pem", "keys hash shop.key.pem shop-rsa.key.pem"),
            Subcommand(
                ledger: .initialize, "\(CommandOption.window) SECONDS \(ledger)",
                "create a ledger: a file or database that records orders and claimed transactions",
                examples: "ledger init \(CommandOption.window) 600 \(CommandOption.ledger) claims",
                "ledger init \(CommandOption.window) 600 \(CommandOption.ledger) "
                    + "postgresql://db.example/payments"),
            Subcommand(
                ledger: .show, "[TXID] \(ledger)",
                "the kind and the window of a ledger, or whether a transaction is claimed, and since which token",
                examples: "ledger show \(CommandOption.ledger) claims",
                "ledger show \(transaction) claims"),
            Subcommand(
                ledger: .prune, ledger,
                "delete claims of tokens that are too old to be accepted, which claiming also does, little by little; with "
                    + "\(CommandOption.ordersBefore), orders that were settled long ago as well",
                examples: "ledger prune \(CommandOption.ledger) claims",
                "ledger prune \(CommandOption.ledger) claims \(CommandOption.ordersBefore) 2020-01-01"
            ),
            Subcommand(
                "doctor", keys,
                "whether keys, certificates, gateway files, clock, OpenSSL and ledger are ready for payments, and what "
                    + "to fix",
                DoctorCommand.self, examples: "doctor \(CommandOption.keys) keys",
                "doctor \(CommandOption.keys) keys \(CommandOption.ledger) claims \(gateway)",
                "doctor \(CommandOption.socket) /run/paytoken/socket"),
            .completions, .manual(of: "keys list"),
        ]
    }()
}
