extension SandboxGateway {
    /// CyberSource.
    ///
    /// Source: CyberSource REST API, `POST /pts/v2/payments`, responses 201, 400 and 502.
    static let cyberSource = SandboxGateway(
        name: "cybersource",
        fault: { fault, _ in
            func answer(_ status: Int, _ word: String, _ reason: String, _ text: String) -> JSON {
                [
                    "submitTimeUtc": "2026-01-01T00:00:00Z", "status": .string(word),
                    "reason": .string(reason), "message": .string(text),
                ]
            }
            switch fault {
            case .unauthorized:
                return SandboxAnswer(401, ["response": ["rmsg": "Authentication Failed"]])
            case .malformed:
                return SandboxAnswer(
                    400, answer(400, "INVALID_REQUEST", "INVALID_DATA", "The body is malformed."))
            case .missing(let name):
                return SandboxAnswer(
                    400,
                    answer(
                        400, "INVALID_REQUEST", "MISSING_FIELD",
                        "Declined - The request is missing one or more fields"
                    ).adding(["details": [["field": .string(name), "reason": "MISSING_FIELD"]]]))
            case .reusedKey, .duplicate:
                return SandboxAnswer(
                    400,
                    answer(
                        400, "INVALID_REQUEST", "DUPLICATE_REQUEST",
                        "The payment repeats another one."))
            case .notFound:
                return SandboxAnswer(404, answer(404, "NOT_FOUND", "NOT_FOUND", "No such payment"))
            case .refused(let refusal):
                return SandboxAnswer(
                    400, answer(400, "INVALID_REQUEST", "INVALID_DATA", refusal.rawValue))
            case .failed(let status):
                return SandboxAnswer(
                    status == 500 ? 502 : status,
                    answer(502, "SERVER_ERROR", "SYSTEM_ERROR", "Error - General system failure."))
            }
        },
        routes: [
            .post(
                "/pts/v2/payments", .cyberSource, .json,
                [
                    RequiredMember("orderInformation.amountDetails.totalAmount", is: .decimal),
                    RequiredMember("orderInformation.amountDetails.currency", is: .currency),
                    RequiredMember("processingInformation.paymentSolution"),
                    RequiredMember("paymentInformation.tokenizedCard.number"),
                    RequiredMember("paymentInformation.tokenizedCard.cryptogram"),
                    RequiredMember("paymentInformation.tokenizedCard.expirationMonth"),
                    RequiredMember("paymentInformation.tokenizedCard.expirationYear"),
                ], create)
        ])

    private static func create(_ call: Call, _ book: inout PaymentBook) -> Reply {
        let total = call.body["orderInformation.amountDetails.totalAmount"]
        let purchase = Purchase(
            amount: total?.minorUnits,
            currency: call.body["orderInformation.amountDetails.currency"]?.string,
            reference: call.body["clientReferenceInformation.code"]?.string,
            captures: call.body["processingInformation.capture"]?.boolean == true)
        let id = "\(6_461_731_521_426_000_000 + book.nextNumber())"
        return call.pay(purchase, id: id, in: &book) { payment in
            let status =
                switch payment.state {
                case .awaitingCustomer: "PENDING_AUTHENTICATION"
                case .processing: "AUTHORIZED_PENDING_REVIEW"
                case .declined: "DECLINED"
                default: "AUTHORIZED"
                }
            let isDeclined = payment.state == .declined
            return SandboxAnswer(
                201,
                [
                    "id": .string(payment.id), "status": .string(status),
                    "submitTimeUtc": "2026-01-01T00:00:00Z",
                    "clientReferenceInformation": ["code": .optional(payment.reference)],
                    "orderInformation": isDeclined
                        ? nil
                        : [
                            "amountDetails": [
                                "authorizedAmount": total, "currency": .optional(payment.currency),
                            ]
                        ],
                    "processorInformation": isDeclined
                        ? ["responseCode": "51"]
                        : ["approvalCode": "831000", "responseCode": "00"],
                    "errorInformation": isDeclined
                        ? [
                            "reason": "PROCESSOR_DECLINED",
                            "message": "Decline - General decline of the card.",
                        ] : nil,
                    "consumerAuthenticationInformation": payment.state == .awaitingCustomer
                        ? ["stepUpUrl": .string(call.customerURL(payment.id))] : nil,
                ])
        }
    }
}
