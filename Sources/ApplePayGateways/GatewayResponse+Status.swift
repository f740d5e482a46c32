extension GatewayResponse {
    /// Whether the HTTP status is one of success (RFC 9110 §15.3).
    var isAccepted: Bool { (200..<300).contains(status) }
}
