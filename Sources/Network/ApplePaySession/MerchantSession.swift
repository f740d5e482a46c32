internal import ApplePayTransport
internal import ApplePayWire

/// A merchant session, with which the page in the browser opens the payment sheet.
///
/// Apple ends it after five minutes, and it is for one payment.
public struct MerchantSession: Sendable {
    /// Apple's answer, byte for byte: JSON for `completeMerchantValidation` in the browser.
    ///
    /// Apple does not document its members. Pass it on unchanged, and do not log it.
    public let json: [UInt8]
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
        guard Self.isDomain(domain) else { throw ApplePayServerError(.invalidDomain) }
        return try await session("web", context: domain, displayName)
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
        _ initiative: String, context: String, _ displayName: String
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
        guard response.json?.isObject == true else {
            throw ApplePayServerError(.unreadableAnswer)
        }
        return MerchantSession(json: response.bytes)
    }

    /// Returns whether a text is a domain of at least two labels, in lower case.
    private static func isDomain(_ text: String) -> Bool {
        HostName.isName(text.utf8) && text.utf8.contains(UInt8(ascii: "."))
            && !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
