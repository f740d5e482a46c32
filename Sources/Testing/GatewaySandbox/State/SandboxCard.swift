/// The state of a card that a gateway of the sandbox stored with a payment.
enum SandboxCard: String, Sendable {
    /// Later payments succeed.
    case usable
    /// Later payments are declined.
    case expired
    /// The gateway does not have the card any more.
    case revoked
    /// Later payments are declined, because the networks know no agreement for them.
    case noAgreement = "no-agreement"
}

extension PaymentBook {
    /// Returns the state of a stored card; nil for one that the gateway never stored.
    func card(_ identifier: String, at gateway: String) -> SandboxCard? {
        self[value: "card \(identifier)", of: gateway]?.string.flatMap(SandboxCard.init)
    }

    /// Stores a card, or changes its state.
    mutating func change(_ identifier: String, to state: SandboxCard, at gateway: String) {
        self[value: "card \(identifier)", of: gateway] = .string(state.rawValue)
    }
}
