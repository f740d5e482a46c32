internal import ApplePayTransport
public import ApplePayWire
internal import FoundationEssentials

/// An event in the life of a merchant token (MPAN), as Apple states it: a new card, or the end of the token.
///
/// Never tried against Apple: read from its documentation.
///
/// Source: Apple, *Apple Pay Merchant Token Management API*, `MerchantTokenEventResponse`.
public struct MerchantTokenEvent: Sendable {
    /// The event's type, such as `UNLINK`; Apple does not document all types.
    public let type: ExactText
    /// The merchant token's identifier, as the payment data has it in `merchantTokenIdentifier`.
    public let merchantTokenIdentifier: ExactText
    /// Who caused the event: the customer or the card issuer.
    public let reason: ExactText
    /// The card's new expiration date, as Apple writes it; nil if it is not stated.
    public let expirationDate: ExactText?
    /// The last four digits of the card's number; nil if they are not stated.
    public let accountNumberSuffix: ExactText?
    /// The country of the card in two letters (ISO 3166-1); nil if it is not stated.
    public let country: ExactText?
    /// A short description of the card, for the customer; nil if it is not stated.
    public let cardDescription: ExactText?
}

extension MerchantTokenEvent: CustomStringConvertible, CustomReflectable {
    /// The type and the reason.
    public var description: String { "MerchantTokenEvent(\(type), \(reason))" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ApplePayServer {
    /// Requests the details of an event of which Apple notified the shop.
    ///
    /// Apple's notification, a GET request to the shop's `tokenNotificationURL` with the identifier after a slash, is
    /// not authenticated: take only the identifier from it, and believe what this function returns. Answer it with
    /// status 200, also for an identifier that Apple does not know, and with 500 if this function throws anything but
    /// `refused`: Apple then repeats it, up to three times.
    ///
    /// Never tried against Apple.
    ///
    /// - Parameter identifier: The event's identifier: 1 to 256 characters.
    /// - Returns: The event.
    /// - Throws: ``ApplePayServerError`` with code `invalid-identifier`, then those of an exchange.
    ///
    /// Source: Apple, *Get Details of a Merchant Token Event*; *Send Merchant Token Event*.
    public func merchantTokenEvent(
        _ identifier: ExactText
    ) async throws(ApplePayServerError) -> MerchantTokenEvent {
        let response = try await answer(
            to: path("event/\(Self.segment(identifier))"), method: "GET", [Self.requestID])
        guard let event = response.json, let type = event["eventType"]?.string,
            let token = event["merchantTokenIdentifier"]?.string,
            let reason = event["reason"]?.string
        else { throw ApplePayServerError(.unreadableAnswer) }
        let card = event["merchantTokenMetadata", "cardMetadata"]
        return MerchantTokenEvent(
            type: type, merchantTokenIdentifier: token, reason: reason,
            expirationDate: card?["expirationDate"]?.string,
            accountNumberSuffix: card?["fpanSuffix"]?.string,
            country: card?["cardCountry"]?.string,
            cardDescription: card?["shortDescription"]?.string)
    }

    /// Ends a merchant token, for example after the customer canceled a subscription: no payment with it is authorized
    /// any more.
    ///
    /// Never tried against Apple.
    ///
    /// - Parameter identifier: The token's identifier, from the payment data or an event: 1 to 256 characters.
    /// - Throws: ``ApplePayServerError`` with code `invalid-identifier`, then those of an exchange. After `timed-out` and
    ///   `connection-failed` it may have ended; call again.
    ///
    /// Source: Apple, *Invalidate a Merchant Token*.
    public func unlinkMerchantToken(_ identifier: ExactText) async throws(ApplePayServerError) {
        _ = try Self.segment(identifier)
        _ = try await answer(
            to: path("unlink"), [Self.requestID],
            body: JSONBody.object { $0.string("merchantTokenIdentifier", identifier) })
    }

    private func path(_ resource: String) throws(ApplePayServerError) -> String {
        let merchant = try Self.segment(ExactText(merchantIdentifier))
        return "/paymentservices/v1/merchantId/\(merchant)/merchantToken/\(resource)"
    }

    /// Returns an identifier as a segment of a path, so that it cannot lead to another path.
    private static func segment(_ identifier: ExactText) throws(ApplePayServerError) -> String {
        guard identifier.characterCount <= 256,
            let segment = PercentEncoding.segment(identifier)
        else { throw ApplePayServerError(.invalidIdentifier) }
        return segment
    }

    /// A new identifier of a request, with which Apple's support finds it.
    private static var requestID: GatewayHeader {
        GatewayHeader("x-request-id", UUID().uuidString.lowercased())
    }
}
