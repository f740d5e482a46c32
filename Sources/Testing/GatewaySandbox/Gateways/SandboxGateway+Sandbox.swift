extension SandboxGateway {
    /// The requests of tests: the list of payments, payments of other channels, returns, and payments that are late.
    static let sandbox = SandboxGateway(
        name: "sandbox", takesPayments: false,
        fault: { fault, _ in
            switch fault {
            case .missing(let name):
                SandboxAnswer(400, ["message": .string("\(name) is missing or invalid")])
            case .refused(let refusal):
                SandboxAnswer(409, ["message": .string(refusal.rawValue)])
            case .duplicate:
                SandboxAnswer(409, ["message": "the gateway accepts the reference only once"])
            case .notFound: SandboxAnswer(404, ["message": "there is no such payment"])
            default: SandboxAnswer(400, ["message": "the body is not a JSON object"])
            }
        },
        routes: [
            .get("/sandbox/payments") { _, book in .ok(book.acceptedPayments()) },
            .post(
                "/sandbox/payments",
                [
                    "gateway", "reference", .amount("amount", from: 1), .currency("currency"),
                    "state",
                ],
                do: addForeign),
            .post("/sandbox/returns", ["gateway", "id"], do: giveBack),
            .get("/sandbox/late") { _, book in
                .ok(.array(book.delayedReferences.map(JSON.string)))
            },
            .post("/sandbox/late", ["reference", .amount("seconds")]) { call, book in
                book.delay(
                    call.body["reference"]?.string ?? "",
                    by: .seconds(call.body["seconds"]?.integer ?? 0))
                return .ok([:])
            },
            .post("/sandbox/cards", ["gateway", "identifier", "state"], do: changeCard),
        ])

    /// Changes the state of a stored card.
    private static func changeCard(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let name = call.body["gateway"]?.string ?? ""
        let identifier = call.body["identifier"]?.string ?? ""
        guard book.card(identifier, at: name) != nil else {
            return .answer(call.fault(.missing("identifier")))
        }
        guard let state = call.body["state"]?.string.flatMap(SandboxCard.init) else {
            return .answer(call.fault(.missing("state")))
        }
        book.change(identifier, to: state, at: name)
        return .ok([:])
    }

    /// Adds a payment of another channel, and answers with its identifier.
    private static func addForeign(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let name = call.body["gateway"]?.string
        guard let gateway = all.first(where: { $0.name == name }), let foreign = gateway.foreign
        else { return .answer(call.fault(.missing("gateway"))) }
        let word = call.body["state"]?.string ?? ""
        guard ["refused", "authorized", "captured"].contains(word) else {
            return .answer(call.fault(.missing("state")))
        }
        guard let currency = SandboxCurrency(call.body["currency"]?.string),
            let amount = call.body["amount"]?.integer
        else { return .answer(call.fault(.missing("currency"))) }
        let purchase = Purchase(
            amount: gateway.units(amount, currency), currency: currency.alphabetic,
            reference: call.body["reference"]?.string, captures: word == "captured",
            isForeign: true)
        guard let payment = foreign(purchase, word == "refused" ? .decline : .success, &book)
        else { return .answer(call.fault(.duplicate)) }
        book[payment: payment.id, of: gateway.name] = payment
        return .ok(["id": .string(payment.id)])
    }

    /// Gives back what of a payment is reserved or captured, as a person does in the vendor's portal.
    private static func giveBack(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let gateway = call.body["gateway"]?.string ?? ""
        guard var payment = book[payment: call.body["id"]?.string ?? "", of: gateway] else {
            return .answer(call.fault(.notFound))
        }
        do throws(SandboxPayment.Refusal) {
            if payment.authorized > 0 {
                try payment.perform(Operation(kind: .cancel, id: book.nextUUID()))
            }
            if payment.refundable > 0 {
                // bePaid's refunds name the capture of an authorization.
                let capture = payment.operations.last { $0.kind == .capture }
                try payment.perform(
                    Operation(kind: .refund, id: book.nextUUID(), parent: capture?.id))
            }
        } catch {
            return .answer(call.fault(.refused(error)))
        }
        book[payment: payment.id, of: gateway] = payment
        return .ok([:])
    }
}
