/// The errors of Worldline.
///
/// Direct's have `errorCode` and `retriable`, Connect's have neither. Source: the server SDKs, `APIError`, their
/// fixtures and live tests.
extension WorldlineForm {
    /// Returns the bank's refusal of a payment.
    func decline(_ payment: SandboxPayment) -> JSON {
        let category = "PAYMENT_PLATFORM_ERROR"
        guard isDirect else { return error(402, "430330", "Not authorised", category: category) }
        return payment.purchase.card == .expired
            ? error(402, "9999", "EXPIRED_CARD", errorCode: "30541001", category: category)
            : error(402, "9999", "INSUFFICIENT_FUNDS", errorCode: "30511001", category: category)
    }

    private func error(
        _ status: Int,
        _ code: String,
        _ word: String,
        errorCode: String? = nil,
        property: String? = nil,
        category: String? = nil
    ) -> JSON {
        let usual = isDirect ? "DIRECT_PLATFORM_ERROR" : "CONNECT_PLATFORM_ERROR"
        return [
            "category": .string(category ?? usual), "code": .string(code),
            "errorCode": .optional(errorCode), "httpStatusCode": .integer(Int64(status)),
            "id": .string(word), "message": .string(word), "propertyName": .optional(property),
            "retriable": isDirect ? .boolean(status >= 500) : nil,
        ]
    }

    /// Returns the body of an error.
    func errors(_ error: JSON) -> JSON { ["errorId": "sandbox-error", "errors": [error]] }

    /// Returns the answer to a request that fails.
    func answer(_ fault: Fault) -> SandboxAnswer {
        let (status, error): (Int, JSON) =
            switch fault {
            case .unauthorized: (401, error(401, "9002", "MISSING_OR_INVALID_AUTHORIZATION"))
            case .malformed: (400, error(400, "9000", "INVALID_REQUEST"))
            case .missing(let name):
                (400, error(400, "20000000", "PARAMETER_NOT_FOUND_IN_REQUEST", property: name))
            case .reusedKey, .duplicate: (409, error(409, "1409", "DUPLICATE_REQUEST_IN_PROGRESS"))
            case .notFound where isDirect:
                (404, error(404, "1002", "UNKNOWN_PAYMENT_ID", errorCode: "50001130"))
            case .notFound: (404, error(404, "1002", "INVALID_PAYMENT_ID"))
            case .refused where isDirect:
                (
                    400,
                    error(400, "9999", "ACTION_NOT_ALLOWED_ON_TRANSACTION", errorCode: "50001127")
                )
            case .refused: (402, error(402, "410110", "ACTION_NOT_ALLOWED"))
            case .failed(let status): (status, error(status, "9999", "UNKNOWN_SERVER_ERROR"))
            }
        return SandboxAnswer(status, errors(error))
    }
}
