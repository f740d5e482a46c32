/// Why a request was not answered, and whether it may have reached the gateway.
///
/// The error does not contain any part of the request, its credentials or an answer.
public struct GatewayTransportError: Error, Hashable, Sendable {
    /// The reasons.
    @nonexhaustive
    public enum Code: String, CaseIterable, Sendable {
        /// The URL is neither `https` nor `http` with a loopback address; nothing was sent.
        case unsupportedAddress = "unsupported-address"
        /// The host is unknown, refuses connections or cannot be reached; nothing was sent.
        case notConnected = "not-connected"
        /// The answer did not arrive within the time limits.
        case timedOut = "timed-out"

        /// The connection failed before the answer was complete.
        ///
        /// This includes failed TLS handshakes, for example because the certificate is not trusted. Nothing is
        /// sent then, but Foundation on Linux reports the same error for both cases.
        case connectionFailed = "connection-failed"

        /// The body of the answer is longer than the limit.
        case answerTooLong = "answer-too-long"
        /// The task that sent the request was canceled.
        case canceled
    }

    /// The reason.
    public let code: Code

    /// Whether the gateway may have received the request.
    ///
    /// If it is false, the request was certainly not carried out: you may send it again or give up. If it is true, the
    /// payment may have been made.
    public let requestMayHaveReachedGateway: Bool

    /// Creates an error; pass true for `requestMayHaveReachedGateway` if in doubt.
    public init(_ code: Code, requestMayHaveReachedGateway: Bool) {
        self.code = code
        self.requestMayHaveReachedGateway = requestMayHaveReachedGateway
    }
}

extension GatewayTransportError: CustomStringConvertible {
    /// One sentence about the reason, and one about the next step.
    public var description: String {
        let advice =
            requestMayHaveReachedGateway
            ? "The payment may have been made: ask the gateway for its status before anything else."
            : "The request did not reach the gateway."
        return "\(reason). \(advice)"
    }

    /// The reason, without a full stop.
    var reason: String {
        switch code {
        case .unsupportedAddress:
            "The address is neither https nor http on a loopback address"
        case .notConnected: "No connection to the gateway could be made"
        case .timedOut: "The gateway did not answer in time"
        case .connectionFailed:
            "The connection, or its TLS handshake, failed before the answer was complete"
        case .answerTooLong: "The gateway's answer is longer than the limit"
        case .canceled: "The request was canceled"
        }
    }
}
