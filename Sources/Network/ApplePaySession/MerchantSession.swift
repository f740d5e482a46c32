internal import ApplePayMerchantKeys
internal import ApplePayTransport
internal import ApplePayWire
internal import FoundationEssentials

/// A merchant session, with which the page in the browser opens the payment sheet.
///
/// It is for one payment. Apple's page says that it ends after five minutes; the sessions that merchants have published end an hour
/// after they were made.
public struct MerchantSession: Sendable {
    /// Apple's answer, byte for byte: JSON for `completeMerchantValidation` in the browser.
    ///
    /// Pass it on unchanged, and do not log it.
    public let json: [UInt8]

    /// What is unusual about the session, a sentence each, for the operator: a browser may refuse it.
    public let warnings: [String]

    /// The difference from this machine's clock that is not worth a warning: 5 minutes, as for a token.
    private static let clockTolerance = 300.0

    /// Reads Apple's answer, which must have the members of every session that merchants have published.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - domain: The page's domain; nil for Messages for Business.
    ///   - merchantIdentifier: The merchant identifier in the certificate.
    ///   - now: The current time.
    /// - Throws: ``ApplePayServerError`` with code `refused` for an error of Apple's, which can have the status 200, then
    ///   `unreadable-answer` for anything but a session, and for one of another domain.
    init(
        _ response: GatewayResponse, for domain: String?, merchantIdentifier: String, at now: Date
    ) throws(ApplePayServerError) {
        guard let session = response.json, session.isObject else {
            throw ApplePayServerError(.unreadableAnswer)
        }
        guard session["statusMessage"] == nil, session["statusCode"] == nil,
            session["errorMessage"] == nil
        else { throw ApplePayServerError(response, merchantIdentifier: merchantIdentifier) }
        func text(_ name: String) throws(ApplePayServerError) -> ExactText {
            guard let text = session[name]?.quoted, text != "" else {
                throw ApplePayServerError(
                    .unreadableAnswer, detail: "\(name) is missing, or not a text")
            }
            return text
        }
        func time(_ name: String) throws(ApplePayServerError) -> Date {
            guard let milliseconds = session[name]?.wholeNumber else {
                throw ApplePayServerError(
                    .unreadableAnswer, detail: "\(name) is missing, or not a number of milliseconds"
                )
            }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        }
        for name in ["merchantSessionIdentifier", "nonce", "displayName", "signature"] {
            _ = try text(name)
        }
        let (stated, merchant) = (try text("domainName"), try text("merchantIdentifier"))
        if let domain, stated.lowercasedASCII != ExactText(domain) {
            throw ApplePayServerError(
                .unreadableAnswer, detail: "its domainName is not \(domain)")
        }
        let (start, end) = (try time("epochTimestamp"), try time("expiresAt"))
        guard start < end else {
            throw ApplePayServerError(
                .unreadableAnswer, detail: "its expiresAt is not after its epochTimestamp")
        }
        json = response.bytes
        var warnings: [String] = []
        if now >= end {
            warnings.append(
                "The session has ended by this machine's clock; check the clock, and what keeps old answers between here and Apple."
            )
        } else if abs(start.timeIntervalSince(now)) > Self.clockTolerance {
            warnings.append(
                "The session was made more than 5 minutes before or after this machine's time; check the clock."
            )
        }
        if !AppleMerchantIdentifier.names(merchant, merchantIdentifier) {
            warnings.append(
                "The session's merchantIdentifier is not that of the certificate, \(merchantIdentifier), nor its SHA-256, which Apple writes in hexadecimal; check which merchant the domain is registered for."
            )
        }
        self.warnings = warnings
    }
}

extension MerchantSession: CustomStringConvertible, CustomReflectable {
    /// The length of the JSON.
    public var description: String { "MerchantSession(\(json.count) bytes)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApplePayServer {
    /// Requests a session for a page of the shop.
    ///
    /// Several domains: take the one of the list in your configuration that equals the request's; never pass on what a
    /// client wrote in `Host` or `Origin` unchecked.
    ///
    /// - Parameters:
    ///   - domain: The page's domain as it is registered with Apple for the merchant: in lower case, without scheme, port
    ///     and path; an international name in its ASCII form.
    ///   - displayName: The shop's name, which the payment sheet shows: 1 to 64 characters without controls, not
    ///     translated.
    /// - Returns: The session.
    /// - Throws: ``ApplePayServerError`` with code `invalid-domain`, `invalid-display-name`, then those of an exchange.
    ///
    /// Source: Apple, *Requesting an Apple Pay payment session*, "Post a request".
    public func session(
        domain: String, displayName: String
    ) async throws(ApplePayServerError) -> MerchantSession {
        guard Self.isDomain(domain) else {
            throw ApplePayServerError(.invalidDomain, detail: Self.fault(ofDomain: domain))
        }
        return try await session("web", context: domain, of: domain, displayName)
    }

    /// Requests a session for a payment in Messages for Business.
    ///
    /// - Parameters:
    ///   - paymentGateway: The `https` address of the merchant's payment gateway, as the messaging service provider
    ///     configured it.
    ///   - displayName: As for ``session(domain:displayName:)``.
    /// - Returns: The session.
    /// - Throws: ``ApplePayServerError`` with code `invalid-domain`, `invalid-display-name`, then those of an exchange.
    public func session(
        paymentGateway: String, displayName: String
    ) async throws(ApplePayServerError) -> MerchantSession {
        guard paymentGateway.utf8.count <= 2048, ExactText(paymentGateway).hasPrefix("https://"),
            paymentGateway.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw ApplePayServerError(.invalidDomain) }
        return try await session("messaging", context: paymentGateway, displayName)
    }

    private func session(
        _ initiative: String, context: String, of domain: String? = nil, _ displayName: String
    ) async throws(ApplePayServerError) -> MerchantSession {
        let scalars = displayName.unicodeScalars
        guard (1...64).contains(scalars.count),
            scalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw ApplePayServerError(.invalidDisplayName) }
        let body = JSONBody.object { body in
            body.string("merchantIdentifier", merchantIdentifier)
            body.string("displayName", displayName)
            body.string("initiative", initiative)
            body.string("initiativeContext", context)
        }
        let response = try await answer(to: "/paymentservices/paymentSession", body: body)
        return try MerchantSession(
            response, for: domain, merchantIdentifier: merchantIdentifier, at: Date())
    }

    /// Returns whether a text is a domain of at least two labels, in lower case.
    private static func isDomain(_ text: String) -> Bool {
        HostName.isName(text.utf8) && text.utf8.contains(UInt8(ascii: "."))
            && !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// Returns what is wrong with a text that is no domain; nil if it is not known.
    private static func fault(ofDomain text: String) -> String? {
        let text = ExactText(text)
        let has = { (sign: String) in text.contains(ExactText(sign)) }
        return if text == "" {
            "it is empty"
        } else if has("://") {
            "it has a scheme"
        } else if has("/") {
            "it has a path"
        } else if has(":") || text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) {
            "it is an address, or has a port"
        } else if has("*") {
            "it is a wildcard, and each domain is registered by itself"
        } else if text.utf8.contains(where: { $0 > 0x7F }) {
            "it has letters beyond ASCII; write its form that begins with xn--"
        } else if text.lowercasedASCII != text {
            "it has capital letters"
        } else if has(" ") {
            "it has a blank"
        } else if text.hasSuffix(".") {
            "it ends with a dot"
        } else if !has(".") {
            "it has no dot, as localhost, which cannot be registered"
        } else {
            nil
        }
    }
}
