import ApplePayGateways

/// Reads the answer to each step as a merchant would.
enum AnswerReader {
    /// Whether an answer says that the step succeeded.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - step: The step's name in answers.json.
    /// - Returns: What the answer says; nil for a step that is not known.
    /// - Throws: `GatewayResponseError`.
    static func isSuccess(_ response: GatewayResponse, of step: String) throws -> Bool? {
        if step.hasPrefix("worldline") { return try worldline(response, step) }
        if step.hasPrefix("paypal") { return try payPal(response, step) }
        switch step {
        case "bepaid-payment", "bepaid-authorization", "bepaid-charge", "bepaid-checkout-payment":
            return try BePaid.TransactionAnswer(response).isSuccessful
        case "bepaid-validate-merchant": return response.status == 200
        case "dintero-session": return try Dintero.SessionAnswer(response).sessionId != nil
        case "dintero-operations": return try Dintero.OperationsAnswer(response).submission != nil
        case "dintero-token": return try Dintero.SubmissionAnswer(response).transactionId != nil
        case "dintero-pay": return try Dintero.PayAnswer(response).isSuccessful
        case "rbs-payment", "rbs-payment-direct": return try RBS.PaymentAnswer(response).success
        case "rbs-token-payment": return try RBS.PaymentAnswer(response).isPaid
        case "rbs-order-status": return try RBS.OrderStatus(response).isPaid
        case "rbs-deposit": return try RBS.DepositAnswer(response).isAccepted
        case "intergiro-login", "intergiro-refresh":
            return try Intergiro.SessionAnswer(response).accessToken != nil
        case "intergiro-tokenize": return try Intergiro.TokenizeAnswer(response).consent != nil
        case "intergiro-consent": return try Intergiro.ConsentAnswer(response).launchToken != nil
        case "cybersource-payment": return try CyberSource.PaymentAnswer(response).isAuthorized
        case "checkout-payment": return try Checkout.PaymentAnswer(response).isApproved
        case "adyen-payment": return try Adyen.PaymentAnswer(response).isAuthorised
        default: return nil
        }
    }

    private static func worldline(_ response: GatewayResponse, _ step: String) throws -> Bool {
        if step.hasSuffix("get-hosted-checkout") {
            return try Worldline.HostedCheckoutStatusAnswer(response).isAuthorized
        }
        if step.hasSuffix("hosted-checkout") {
            return try Worldline.HostedCheckoutAnswer(response).hostedCheckoutId != nil
        }
        return try Worldline.PaymentAnswer(response).isAuthorized
    }

    private static func payPal(_ response: GatewayResponse, _ step: String) throws -> Bool {
        if step == "paypal-access-token" {
            return try PayPal.AccessTokenAnswer(response).accessToken != nil
        }
        let answer = try PayPal.OrderAnswer(response)
        return step == "paypal-authorize" ? answer.isAuthorized : answer.isCaptured
    }
}
