package import ApplePayAcceptance
package import ApplePayPrimitives
package import ApplePayTransport

extension GatewayRequest {
    /// Returns the same request with an access token in front of the other headers, or after them.
    ///
    /// - Throws: `gateway` with code `unsupported-length` or `unsupported-character` (`access_token`).
    package func authorized(
        by accessToken: SensitiveBytes, isFirst: Bool = false
    ) throws(PaymentError) -> GatewayRequest {
        let bearer = try GatewayHeader.checked(
            secret: "Authorization", prefix: "Bearer ", accessToken, "access_token")
        guard isFirst else { return adding(bearer) }
        return GatewayRequest(
            method: method, origin, path, query: query, headers: [bearer] + headers, body: body)
    }

    /// Returns the same request with a header appended, such as one that authenticates it.
    package func adding(_ header: GatewayHeader) -> GatewayRequest {
        GatewayRequest(
            method: method, origin, path, query: query, headers: headers + [header], body: body)
    }
}
