internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayTransport
internal import ApplePayWire

/// Why the Apple Pay server was not asked, or did not answer as wanted.
///
/// It contains nothing of the request but what ``appleMessage`` repeats, and nothing of the key.
public struct ApplePayServerError: Error, Hashable, Sendable {
    /// The reasons.
    @nonexhaustive
    public enum Code: String, CaseIterable, Sendable {
        /// The certificate is not a merchant identity certificate. Nothing was sent.
        case wrongCertificate = "wrong-certificate"
        /// The certificate is not valid yet, or has ended. Nothing was sent.
        case outsideValidity = "outside-validity"
        /// The domain, or the payment gateway's address, has another form than Apple accepts. Nothing was sent.
        case invalidDomain = "invalid-domain"
        /// The display name is empty, too long or contains a control character. Nothing was sent.
        case invalidDisplayName = "invalid-display-name"
        /// The identifier of an event or token is empty, too long or contains another character. Nothing was sent.
        case invalidIdentifier = "invalid-identifier"
        /// No connection to Apple was made, or the server that answered is not proven to be Apple's. Nothing was sent.
        case notConnected = "not-connected"
        /// Apple did not answer in time.
        case timedOut = "timed-out"
        /// The connection ended before Apple's answer, for example because Apple does not accept the certificate.
        case connectionFailed = "connection-failed"
        /// The task was canceled.
        case canceled
        /// Apple answered something that is not documented.
        case unreadableAnswer = "unreadable-answer"
        /// Apple refused the request; see ``appleMessage``.
        case refused
    }

    /// The reason.
    public let code: Code

    /// The HTTP status of Apple's answer; nil without an answer.
    public let status: Int?

    /// Apple's sentence about a refusal, at most 500 characters without controls; nil if there is none.
    public let appleMessage: String?

    /// libssl's or the client's reason, such as `certificate has expired`, or what is wrong with a domain or an answer; nil if there
    /// is none.
    public let detail: String?

    init(
        _ code: Code, status: Int? = nil, appleMessage: String? = nil, detail: String? = nil
    ) {
        self.code = code
        self.status = status
        self.appleMessage = appleMessage
        self.detail = detail
    }

    /// Creates an error for an exchange that brought no answer.
    init(_ error: GatewayTransportError) {
        let code: Code =
            switch error.code {
            case .timedOut: .timedOut
            case .canceled: .canceled
            case .unreadableAnswer, .answerTooLong: .unreadableAnswer
            case .connectionFailed where error.requestMayHaveReachedGateway: .connectionFailed
            default: .notConnected
            }
        let words: String? =
            switch error.code {
            case .nameNotFound: "its name has no address"
            case .notConnected: "no address of it accepts a connection"
            case .proxyRefused: "the proxy did not open a tunnel"
            case .noAuthorities: "no trusted authorities in"
            case .connectionFailed where code == .notConnected: Self.endedInHandshake
            case .busy: "too many requests wait for their servers"
            case .answerTooLong: "it is longer than 64 KiB"
            default: nil
            }
        let detail = [words, error.detail].compactMap { $0 }.joined(separator: " ")
        self.init(code, detail: detail.isEmpty ? nil : detail)
    }

    /// Creates an error for an answer that is an error of Apple's, or has a status other than 2xx.
    ///
    /// Apple's sentence has the merchant identifier as its SHA-256, which is compared with that of the certificate.
    init(_ response: GatewayResponse, merchantIdentifier: String) {
        let object = response.json
        // `statusMessage` is that of a session, `errorMessage` that of a merchant token.
        let message = (object?["statusMessage"] ?? object?["errorMessage"])?.string
        let text = message.map {
            String(
                String.UnicodeScalarView(
                    String($0).unicodeScalars.filter { $0.properties.generalCategory != .control }
                        .prefix(500)))
        }
        let hash = message.flatMap(AppleMerchantIdentifier.hash)
        let detail = hash.map { hash in
            AppleMerchantIdentifier.names(hash, merchantIdentifier)
                ? "that hexadecimal number is the SHA-256 of \(merchantIdentifier), the merchant identifier in your certificate"
                : "that hexadecimal number is not the SHA-256 of \(merchantIdentifier), the merchant identifier in your certificate"
        }
        self.init(.refused, status: response.status, appleMessage: text, detail: detail)
    }
}

/// A merchant identifier as Apple's server writes it: as it is, or its SHA-256 in 64 hexadecimal digits.
enum AppleMerchantIdentifier {
    /// Returns the first 64 hexadecimal digits in a row; nil if there are none.
    static func hash(in message: ExactText) -> ExactText? {
        message.lowercasedASCII.utf8.split {
            !$0.isDigit && !(UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }.first { $0.count == 64 }.map {
            ExactText(utf8: Array($0))
        }
    }

    /// Returns whether a text names a merchant.
    static func names(_ text: ExactText, _ merchantIdentifier: String) -> Bool {
        guard text != ExactText(merchantIdentifier) else { return true }
        guard let hash = try? MerchantIdentifierHash.of(merchantIdentifier: merchantIdentifier)
        else { return false }
        return text.lowercasedASCII == ExactText(hash.withSpan(Hexadecimal.text))
    }
}

extension ApplePayServerError: CustomStringConvertible {
    /// One sentence about the reason, and one about what to do.
    public var description: String {
        let facts = [status.map { "HTTP status \($0)" }, appleMessage, detail].compactMap { $0 }
        return "\(sentence)\(facts.isEmpty ? "" : " (\(facts.joined(separator: ": ")))"). \(advice)"
    }

    private var sentence: String {
        switch code {
        case .wrongCertificate: "The certificate is not a merchant identity certificate"
        case .outsideValidity: "The merchant identity certificate is not valid now"
        case .invalidDomain:
            "The domain, or the payment gateway's address, has a form that Apple does not register"
        case .invalidDisplayName:
            "The display name does not have 1 to 64 characters, without controls"
        case .invalidIdentifier: "The identifier is empty, too long or has a wrong character"
        case .notConnected: "No connection to the Apple Pay server was made"
        case .timedOut: "The Apple Pay server did not answer within 10 s"
        case .connectionFailed: "The connection ended before the Apple Pay server's answer"
        case .canceled: "The request was canceled"
        case .unreadableAnswer: "The Apple Pay server's answer is not the documented one"
        case .refused:
            isFromProxy
                ? "A proxy answered in the Apple Pay server's place"
                : "The Apple Pay server refused the request"
        }
    }

    /// Whether the status is that of a proxy or a filter: Apple's server redirects nobody, and asks for no password.
    ///
    /// Source: RFC 9110 §15.4 and §15.5.8; RFC 6585 §6.
    private var isFromProxy: Bool {
        guard let status, appleMessage == nil else { return false }
        return (300..<400).contains(status) || status == 407 || status == 511
    }

    /// What to do, in sentences.
    public var advice: String {
        switch code {
        case .wrongCertificate:
            "Use the certificate and key that Apple calls Merchant Identity; Payment Processing is for tokens."
        case .outsideValidity:
            "Check this machine's clock; then renew the certificate, which Apple issues for 25 months."
        case .invalidDomain:
            "Write the domain as Apple's portal shows it, such as shop.example: without https://, port and path."
        case .invalidDisplayName: "Give the shop's name in 1 to 64 characters."
        case .invalidIdentifier:
            "Take it from Apple's notification, or from the payment data, unchanged."
        case .notConnected: connectionAdvice
        case .timedOut:
            "Try again; if it happens often, ask who filters this machine's connections."
        case .connectionFailed:
            isAlert
                ? certificateAdvice
                : "Try again; if it always happens, ask who filters this machine's connections."
        case .canceled: "Try again."
        case .unreadableAnswer:
            "Try again; a proxy or filter may have answered in Apple's place."
        case .refused: refusalAdvice
        }
    }

    private static let endedInHandshake = "the server ended it in the handshake"

    /// Whether the server ended the handshake, or later the connection with an alert of TLS (RFC 8446 §6.2).
    private var isAlert: Bool {
        detail?.contains(" alert ") ?? false || detail?.hasPrefix(Self.endedInHandshake) ?? false
    }

    private var certificateAdvice: String {
        "Check the certificate, which the server may not accept: Apple must have issued it, and not revoked it."
    }

    /// The advice for a connection that was not made, by libssl's reason.
    private var connectionAdvice: String {
        let detail = detail ?? ""
        return if detail.contains("not yet valid") || detail.contains("has expired") {
            "Check this machine's clock: the server's certificate is not valid at its time."
        } else if detail.contains("issuer certificate") || detail.contains("self-signed")
            || detail.contains("mismatch")
        {
            "The server is not Apple's: a proxy that opens TLS cannot use your certificate, so except Apple's hosts."
        } else if detail.contains("version") || detail.contains("protocol") {
            "TLS 1.2 or 1.3 is needed: ask who operates the proxy or filter before Apple's server."
        } else if isAlert {
            certificateAdvice
        } else if detail.contains("authorities") {
            "Install the system's authorities (on Debian the package ca-certificates)."
        } else {
            "Check the name server, and that this machine may connect to Apple's hosts on port 443."
        }
    }

    /// The advice for a refusal, by Apple's sentence, of which merchants have published these.
    private var refusalAdvice: String {
        let message = appleMessage ?? ""
        return if isFromProxy {
            "Ask who operates the proxy or filter before Apple's hosts, and except these from it."
        } else if message.contains("not registered for domain") {
            "Register and verify the domain in Apple's portal, under this certificate's merchant identifier."
        } else if message.contains("on behalf of")
            || message.contains("not registered for service")
        {
            "Use this merchant's certificate, and check in the portal that it may use Apple Pay on the web."
        } else if status == 401 || status == 403 {
            "Check in Apple's portal that this is the merchant identity certificate of this merchant identifier, that it was "
                + "not revoked, and that the domain is verified; a server for development needs its own option."
                + (appleMessage == nil ? " A proxy or filter may also have answered." : "")
        } else if let status, status >= 500 {
            "Try again; Apple's system status page shows whether Apple Pay has a fault."
        } else {
            "Compare the merchant identifier, the domain and its verification with Apple's portal."
        }
    }
}
