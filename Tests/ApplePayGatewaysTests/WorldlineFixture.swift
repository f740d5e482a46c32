import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayToken
import Foundation

/// Values and functions for the tests of both Worldline Direct and Worldline Connect.
enum WorldlineFixture {
    static let payload = GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#)

    static let customer = with(Worldline.Customer()) {
        $0.emailAddress = "jane@example.com"
        $0.phoneNumber = "+3225551234"
        $0.firstName = "Jane"
        $0.surname = "Doe"
        $0.billingAddress = with(Worldline.Address()) {
            $0.street = "Rue Haute"
            $0.houseNumber = "1"
            $0.additionalInfo = "bte 2"
            $0.zip = "1000"
            $0.city = "Bruxelles"
            $0.state = "BRU"
            $0.countryCode = "BE"
        }
    }

    static let shipping = with(Worldline.Shipping()) {
        $0.emailAddress = "jane@example.com"
        $0.addressIndicator = "different-than-billing"
        $0.firstName = "Jane"
        $0.surname = "Doe"
        $0.address = with(Worldline.Address()) {
            $0.street = "Rue Basse"
            $0.houseNumber = "9"
            $0.zip = "1000"
            $0.city = "Bruxelles"
            $0.countryCode = "BE"
        }
    }

    static let checkout = with(Worldline.HostedCheckout(returnURL: "shop-app://return")) {
        $0.locale = "en_GB"
        $0.showResultPage = false
        $0.isRecurring = true
        $0.tokens = ["t1", "t2"]
        $0.variant = "100"
        $0.authorizationMode = .finalAuthorization
        $0.merchantReference = "order-1001"
        $0.customer = customer
        $0.shipping = shipping
    }

    static let direct = WorldlineDirect.Account(
        merchantId: "merchant-1", environment: .preproduction)
    static let connect = WorldlineConnect.Account(
        merchantId: "merchant-1", environment: .sandbox)

    static let directOptions = with(WorldlineDirect.CreatePaymentOptions()) {
        $0.authorizationMode = .preAuthorization
        $0.requiresApproval = true
        $0.merchantReference = "order-1001"
        $0.customer = customer
        $0.shipping = shipping
        $0.applePay = with(WorldlineDirect.ApplePayInput()) {
            $0.tokenize = false
            $0.isRecurring = false
        }
        $0.idempotenceKey = "attempt-1"
    }

    static let connectOptions = with(WorldlineConnect.CreatePaymentOptions()) {
        $0.authorizationMode = .preAuthorization
        $0.requiresApproval = true
        $0.merchantReference = "order-1001"
        $0.customer = customer
        $0.shipping = shipping
        $0.customerReference = "customer-1"
        $0.tokenize = true
        $0.isRecurring = true
        $0.recurringPaymentSequenceIndicator = "first"
        $0.skipFraudService = false
        $0.idempotenceKey = "attempt-1"
    }

    /// Returns the same request, signed at 2026-11-21 08:30:00 UTC with an invented key.
    static func signed(_ request: GatewayRequest) throws -> GatewayRequest {
        try Worldline.authorize(
            request,
            .init(
                apiKeyId: "key-1", secretAPIKey: GatewayFixture.secret("not-a-real-secret")),
            date: Date(timeIntervalSince1970: 1_795_249_800))
    }
}
