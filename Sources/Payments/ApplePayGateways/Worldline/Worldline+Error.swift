internal import ApplePayAcceptance

extension Worldline {
    /// Codes of refusals that the customer caused.
    private static let customerCodes: Set<ExactText> = ["30171001", "40001134", "40001139"]
    /// Codes of refusals that the merchant's account or settings caused.
    private static let operatorCodes: Set<ExactText> = [
        "30031001", "30301001", "50001087", "9002", "9007",
    ]

    /// Fills in the refusal if the answer is an error of Worldline's: `errorId` and `errors` with a code or a name.
    ///
    /// Source: the server SDKs, `ErrorResponse`, `APIError`.
    static func fillError(
        _ report: inout PaymentReport, _ answer: AnswerValue
    ) throws(PaymentError) {
        let refusal = try refusal(answer, else: .operator)
        let name = try answer.objects("errors").first?.text("id")
        guard try answer.text("errorId") != nil, refusal?.code != nil || name != nil else { return }
        report.refusal = refusal
    }

    /// Returns why an error decides nothing: a request with the key is in progress or was made, or the error is technical,
    /// and Worldline asks for another request with a new key; nil for other answers.
    ///
    /// Source: Worldline Direct, *Idempotent requests*; its server SDKs, `IdempotenceException`, `APIError.retriable`.
    static func undecided(_ answer: AnswerValue) throws(PaymentError) -> ExactText? {
        for error in try answer.objects("errors") {
            let words = [try error.text("errorCode"), try error.text("code"), try error.text("id")]
            let isDuplicate =
                words.contains("1409") || words.contains("DUPLICATE_REQUEST_IN_PROGRESS")
            let (isRetriable, category) = (
                try error.boolean("retriable"), try error.text("category")
            )
            let isTechnical = isRetriable == true || category == "IO_ERROR"
            guard isDuplicate || isTechnical else { continue }
            let word = words.compactMap { $0 }.first ?? "The error"
            return isDuplicate
                ? "\(word): a request with the same key is in progress or was made."
                : "\(word): a technical error, after which the request may have been carried out."
        }
        return nil
    }

    /// Reads the first of `errors`, with the members that all of them name, and the origin of codes that no list names; nil if
    /// there is none.
    static func refusal(
        _ value: AnswerValue, else usual: PaymentReport.Refusal.Origin
    ) throws(PaymentError) -> PaymentReport.Refusal? {
        let errors = try value.objects("errors")
        guard let error = errors.first else { return nil }
        let (errorCode, code) = (try error.text("errorCode"), try error.text("code"))
        let word = errorCode ?? code
        let origin: PaymentReport.Refusal.Origin =
            if word.map(customerCodes.contains) == true {
                .customer
            } else if word.map(operatorCodes.contains) == true {
                .operator
            } else {
                usual
            }
        var refusal = PaymentReport.Refusal(
            code: word, text: try error.text("message"), origin: origin)
        var members: [ExactText?] = []
        for error in errors {
            members += [try error.text("id"), try error.text("propertyName")]
        }
        refusal.blame(members)
        return refusal
    }
}
