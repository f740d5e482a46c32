extension SandboxGateway {
    /// CyberSource, which has no idempotency keys, but can reverse a payment whose answer was lost.
    ///
    /// Source: CyberSource REST API, `POST /pts/v2/payments`, responses 201, 400 and 502; *Timeout reversal*,
    /// *Timeout void*.
    static let cyberSource = SandboxGateway(
        name: "cybersource", credentials: .cyberSource,
        account: { secret in
            [
                "account": ["merchantId": "shop"],
                "credentials": ["keyId": "key-1", "sharedSecret": secret],
            ]
        },
        secret: Sandbox.secretInBase64, rareScenarios: [.partlyApproved],
        fault: { CyberSourceForm.answer($0, $1) },
        routes: [
            .post(
                "/pts/v2/payments",
                [
                    .decimal("orderInformation.amountDetails.totalAmount"),
                    .currency("orderInformation.amountDetails.currency"),
                    "processingInformation.paymentSolution",
                    "paymentInformation.tokenizedCard.number",
                    "paymentInformation.tokenizedCard.cryptogram",
                    "paymentInformation.tokenizedCard.expirationMonth",
                    "paymentInformation.tokenizedCard.expirationYear",
                ], do: CyberSourceForm.create),
            .post(
                "/pts/v2/reversals",
                [transaction, .decimal("reversalInformation.amountDetails.totalAmount")],
                do: CyberSourceForm.reverse),
            .post("/pts/v2/voids", [transaction], do: CyberSourceForm.void),
        ])

    private static let transaction: RequiredMember = .text(
        "clientReferenceInformation.transactionId", upTo: 30)
}

extension CyberSourceForm {
    /// Returns the answer to a request that fails, whose reason is at the top level.
    static func answer(_ fault: Fault, _ request: SandboxRequest) -> SandboxAnswer {
        func answer(_ status: Int, _ reason: String, _ text: String, _ details: JSON? = nil)
            -> SandboxAnswer
        {
            let body: JSON = [
                "submitTimeUtc": .string(time),
                "status": status == 400 ? "INVALID_REQUEST" : "SERVER_ERROR",
                "reason": .string(reason), "message": .string(text), "details": details,
            ]
            return SandboxAnswer(status, body)
        }
        switch fault {
        case .unauthorized:
            return SandboxAnswer(401, ["response": ["rmsg": "Authentication Failed"]])
        case .missing(let name):
            return answer(
                400, "MISSING_FIELD", "Declined - The request is missing one or more fields",
                [["field": .string(name), "reason": "MISSING_FIELD"]])
        case .reusedKey, .duplicate:
            return answer(400, "DUPLICATE_REQUEST", "The payment repeats another one.")
        case .malformed, .notFound:
            return answer(
                400, "INVALID_DATA",
                "Declined - One or more fields in the request contains invalid data")
        case .refused(let refusal):
            let isVoid = request.path.hasSuffix("/voids")
            return answer(400, isVoid ? "NOT_VOIDABLE" : "INVALID_DATA", refusal.rawValue)
        case .failed(let status):
            return answer(
                status == 500 ? 502 : status, "SYSTEM_ERROR", "Error - General system failure.")
        }
    }
}
