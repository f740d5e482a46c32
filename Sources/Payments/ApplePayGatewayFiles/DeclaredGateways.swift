internal import ApplePayGateways
extension DeclaredGateway {
    /// All gateways; a new one is added here.
    package static let all = [
        DeclaredGateway(WorldlineDirect.declaration), DeclaredGateway(WorldlineConnect.declaration),
        DeclaredGateway(BePaid.declaration), DeclaredGateway(Dintero.declaration),
        DeclaredGateway(RBS.declaration), DeclaredGateway(Intergiro.declaration),
        DeclaredGateway(CyberSource.declaration), DeclaredGateway(Checkout.declaration),
        DeclaredGateway(Adyen.declaration), DeclaredGateway(PayPal.declaration),
    ]
}
