public import ApplePayPrimitives

/// An HTTP request for a gateway, ready to be sent by the caller's own client.
public struct GatewayRequest: Sendable {
    /// The method, such as `POST`.
    public let method: String

    /// The path on the gateway's host; what stands in braces is the caller's to fill (RFC 6570 §1.2).
    public let pathTemplate: String

    /// Header names and values, in order; those that authenticate the merchant are not among them.
    public let headers: [(name: String, value: String)]

    /// The body, which holds card data: masked in every description, wiped when dropped.
    public let body: SensitiveBytes
}
