extension SandboxGateway {
    /// Worldline Direct, which does not keep failures under an idempotency key, as the vendor's live tests show.
    static let worldlineDirect = worldline(WorldlineForm(isDirect: true))

    /// Worldline Connect, whose amounts have two decimals in every currency.
    static let worldlineConnect = worldline(WorldlineForm(isDirect: false))

    /// Returns one of the two platforms; a repeated key receives the first answer, even if the request differs.
    ///
    /// Source: Worldline Direct and Connect, *Idempotent requests*; the server SDKs' types, fixtures and live tests.
    private static func worldline(_ form: WorldlineForm) -> SandboxGateway {
        SandboxGateway(
            name: form.isDirect ? "worldline-direct" : "worldline-connect",
            credentials: .worldline,
            account: { secret in
                [
                    "account": ["merchantId": "shop"],
                    "credentials": ["apiKeyId": "key-1", "secretApiKey": secret],
                    "webhooks": ["keys": [WorldlineForm.webhookKeyID: secret]],
                    "payment": ["authorizationMode": "SALE"],
                ]
            }, message: form.message,
            idempotency: Idempotency(
                header: "X-GCS-Idempotence-Key", refusesOtherRequests: false,
                length: form.isDirect ? 40 : 255, keepsFailures: !form.isDirect,
                replay: { kept, _, _ in
                    var answer = kept.answer
                    let name = "X-GCS-Idempotence-Request-Timestamp"
                    answer.headers.append(.init(name: name, value: String(kept.time)))
                    return answer
                }), rareScenarios: form.isDirect ? [] : [.chargeback],
            decimals: { form.isDirect ? $0.decimals : 2 },
            foreign: { purchase, result, book in
                SandboxPayment(id: form.newID(&book), purchase, result)
            },
            fault: { fault, _ in form.answer(fault) }, routes: routes(form))
    }

    private static func routes(_ form: WorldlineForm) -> [Route] {
        let amount: [RequiredMember] = [
            .amount("order.amountOfMoney.amount"), .currency("order.amountOfMoney.currencyCode"),
        ]
        let input = "mobilePaymentMethodSpecificInput"
        let data = "\(input).decryptedPaymentData"
        let encrypted = "\(input).encryptedPaymentData"
        let members: [RequiredMember] = [
            .amount("\(input).paymentProductId"), RequiredMember("\(data).dpan", encrypted),
            RequiredMember("\(data).cryptogram", encrypted),
            RequiredMember("\(data).expiryDate", encrypted),
        ]
        let returnURL: RequiredMember = "hostedCheckoutSpecificInput.returnUrl"
        let payment = "\(form.payments)/*"
        let shared: [Route] = [
            .post(
                form.payments, amount + members.map { $0.unless("\(form.cardInput).token") },
                do: form.create),
            .get(payment) { call, book in
                call.look(form.paymentID(call), in: &book) { form.payment($0) }
            },
            .get("\(payment)/captures") { call, book in form.list(.capture, call, book) },
            .get("\(payment)/refunds") { call, book in form.list(.refund, call, book) },
            .post("\(payment)/capture", do: form.capture),
            .post("\(payment)/cancel", do: form.cancel),
            .post("\(payment)/refund", do: form.refund),
            .post(form.pages, amount + [returnURL], do: form.createPage),
            .get("\(form.pages)/*", do: form.page),
        ]
        let own: [Route] =
            form.isDirect
            ? [
                .get("\(payment)/details") { call, book in
                    call.look(form.paymentID(call), in: &book, form.details)
                }
            ]
            : [
                .get(form.payments, do: form.find), .post("\(payment)/approve", do: form.capture),
            ]
        return shared + own
    }
}
