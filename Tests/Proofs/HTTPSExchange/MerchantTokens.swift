import ApplePayMerchantKeys
import ApplePaySession
import ApplePayWire

/// Asks a server in Apple's place about merchant tokens, for Tests/Integration/session.py.
///
///     https-exchange event|unlink IDENTIFIER HOST:PORT AUTHORITIES KEY CERTIFICATE
///
/// It writes the event's members, `unlinked`, or the code and the sentences of the error.
func askAboutMerchantTokens(_ words: [String]) async throws -> String {
    let server = try ApplePayServer(
        testHost: words[2], testAuthorities: words[3],
        identity: ClientIdentity(key: words[4], certificate: words[5]))
    do throws(ApplePayServerError) {
        guard words[0] == "event" else {
            try await server.unlinkMerchantToken(ExactText(words[1]))
            return "unlinked"
        }
        let event = try await server.merchantTokenEvent(ExactText(words[1]))
        let members = [
            event.type, event.merchantTokenIdentifier, event.reason, event.expirationDate,
            event.accountNumberSuffix, event.country, event.cardDescription,
        ]
        return members.map { $0 ?? "-" }.joined(separator: " ") + " (\(event))"
    } catch {
        return "\(error.code.rawValue): \(error)"
    }
}
