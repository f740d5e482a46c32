package import ApplePayGateways
package import ApplePayPrograms
internal import FoundationEssentials

extension JSONOutput {
    /// Adds the members about a card on its way to Wallet.
    package mutating func card(_ outcome: CardOutcome) {
        member("outcome", outcome.state.rawValue)
        member("consentId", outcome.consentID)
        // The token is for the app, which starts the provisioning with it.
        member("token", outcome.launchToken?.revealText())
        member("url", outcome.address?.absoluteString)
        member("reason", outcome.reason)
    }
}
