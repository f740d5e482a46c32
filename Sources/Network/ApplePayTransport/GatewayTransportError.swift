/// Why a request was not answered, and whether it may have reached the gateway.
///
/// The error does not contain any part of the request, its credentials or an answer.
public struct GatewayTransportError: Error, Hashable, Sendable {
    /// The reasons.
    @nonexhaustive
    public enum Code: String, CaseIterable, Sendable {
        /// The URL is neither `https` nor `http` with a loopback address. Nothing was sent.
        case unsupportedAddress = "unsupported-address"

        /// The method, the path or a header contains characters that would change the request. Nothing was sent.
        case unsupportedRequest = "unsupported-request"

        /// As many exchanges as permitted are waiting for their servers. Nothing was sent.
        case busy

        /// The trusted authorities cannot be read. Nothing was sent.
        case noAuthorities = "no-authorities"

        /// The server's name has no address. Nothing was sent.
        case nameNotFound = "name-not-found"

        /// No address of the server accepts connections. Nothing was sent.
        case notConnected = "not-connected"

        /// The proxy did not open a tunnel. Nothing was sent.
        case proxyRefused = "proxy-refused"

        /// The TLS handshake failed, for example because the server's certificate is not trusted. Nothing was sent.
        case tlsFailed = "tls-failed"

        /// The connection or the answer was not complete within the time limits.
        case timedOut = "timed-out"

        /// The task that sent the request was canceled.
        case canceled

        /// The connection failed before the answer was complete.
        case connectionFailed = "connection-failed"

        /// The server sent something that is not an HTTP answer, or one whose length is not certain.
        case unreadableAnswer = "unreadable-answer"

        /// The body of the answer is longer than the limit.
        case answerTooLong = "answer-too-long"
    }

    /// The reason.
    public let code: Code

    /// Whether the gateway may have received the request.
    ///
    /// If it is false, the request was certainly not carried out: you may send it again or give up. If it is true, the
    /// payment may have been made.
    public let requestMayHaveReachedGateway: Bool

    /// More about the reason, such as `gateway.example:443: certificate has expired` for `tls-failed`; nothing else of the
    /// request, and nothing of an answer.
    public let detail: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - requestMayHaveReachedGateway: Whether the gateway may have received the request; pass true if in doubt.
    ///   - detail: More about the reason, for people; nothing of the request or an answer.
    public init(_ code: Code, requestMayHaveReachedGateway: Bool, detail: String? = nil) {
        self.code = code
        self.detail = detail
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
    package var reason: String {
        guard let detail else { return sentence }
        // The detail is what is wrong with the answer.
        let subject = code == .unreadableAnswer ? "The gateway's answer" : "\(sentence):"
        return "\(subject) \(detail)"
    }

    private var sentence: String {
        switch code {
        case .unsupportedAddress: "The address is neither https nor http on a loopback address"
        case .unsupportedRequest:
            "The method, the path or a header has a character that is not permitted"
        case .busy: "Too many requests are waiting for their servers"
        case .noAuthorities: "The file with the trusted authorities could not be read"
        case .nameNotFound: "The gateway's name has no address"
        case .notConnected: "No connection to the gateway could be made"
        case .proxyRefused: "The proxy did not open a tunnel to the gateway"
        case .tlsFailed: "The TLS handshake with the gateway failed"
        case .timedOut: "The gateway did not answer in time"
        case .canceled: "The request was canceled"
        case .connectionFailed: "The connection failed before the answer was complete"
        case .unreadableAnswer: "The gateway's answer is not HTTP, or its length is not certain"
        case .answerTooLong: "The gateway's answer is longer than the limit"
        }
    }
}
