internal import ApplePayPrimitives
package import ApplePayToken

extension PayPal {
    /// Creates a call with an access token, which begins with a login if ``credentials`` are a client's.
    ///
    /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` for the credentials.
    func call(
        _ attempt: PaymentAttempt,
        canMoveMoney: Bool,
        _ request: GatewayRequest,
        _ report: @escaping @Sendable (GatewayResponse) -> PaymentReport
    ) throws(PaymentTokenError) -> PaymentCall {
        try credentials.call(attempt, at: self, login: loginRequest, leadsToMoney: canMoveMoney) {
            token throws(PaymentTokenError) in
            let bearer = try GatewayHeader.checked(
                secret: "Authorization", prefix: "Bearer ", token, "access_token")
            return GatewayCall(
                attempt, at: self, canMoveMoney: canMoveMoney, request.adding(bearer),
                report: report)
        }
    }

    /// Returns a request for an access token: `POST /v1/oauth2/token`.
    ///
    /// Source: PayPal, *Authentication*; RFC 6749 §4.4.
    package func loginRequest() throws(PaymentTokenError) -> GatewayRequest {
        let authorization = try credentials.basicAuthorization()
        var form = FormBody()
        form.parameter("grant_type", "client_credentials")
        return GatewayRequest(
            origin, "/v1/oauth2/token",
            headers: [.contentType(FormBody.contentType), authorization], body: form.bytes())
    }
}
