package import ApplePayGateways
package import ApplePayWire

extension DeclaredGateway {
    /// All gateways, also those at which only the payment is supported.
    package static let all =
        documented + [
            CyberSource.declaration, Checkout.declaration, Adyen.declaration, PayPal.declaration,
        ]

    /// Returns the gateway with a name; nil if there is none.
    package static func named(_ name: ExactText) -> DeclaredGateway? {
        all.first { $0.name == name }
    }
}
