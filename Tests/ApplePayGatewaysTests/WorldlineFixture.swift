import ApplePayGateways
import ApplePayToken
import Foundation

/// What the requests of Worldline Direct and Connect share in the tests.
enum WorldlineFixture {
    static let payload = GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#)

    static let customer = Worldline.Customer(
        emailAddress: "jane@example.com", phoneNumber: "+3225551234", firstName: "Jane",
        surname: "Doe",
        billingAddress: .init(
            street: "Rue Haute", houseNumber: "1", additionalInfo: "bte 2", zip: "1000",
            city: "Bruxelles", state: "BRU", countryCode: "BE"))

    static let shipping = Worldline.Shipping(
        emailAddress: "jane@example.com", addressIndicator: "different-than-billing",
        firstName: "Jane", surname: "Doe",
        address: .init(
            street: "Rue Basse", houseNumber: "9", zip: "1000", city: "Bruxelles",
            countryCode: "BE"))

    static let checkout = Worldline.HostedCheckout(
        returnURL: "shop-app://return", locale: "en_GB", showResultPage: false,
        isRecurring: true, tokens: ["t1", "t2"], variant: "100",
        authorizationMode: .finalAuthorization, merchantReference: "order-1001",
        customer: customer, shipping: shipping)

    static let direct = WorldlineDirect.Account(
        merchantId: "merchant-1", environment: .preproduction)
    static let connect = WorldlineConnect.Account(
        merchantId: "merchant-1", environment: .sandbox)

    static let directOptions = WorldlineDirect.CreatePaymentOptions(
        authorizationMode: .preAuthorization, requiresApproval: true,
        merchantReference: "order-1001", customer: customer, shipping: shipping,
        applePay: .init(tokenize: false, isRecurring: false), idempotenceKey: "attempt-1")

    static let connectOptions = WorldlineConnect.CreatePaymentOptions(
        authorizationMode: .preAuthorization, requiresApproval: true,
        merchantReference: "order-1001", customer: customer, shipping: shipping,
        customerReference: "customer-1", tokenize: true, isRecurring: true,
        recurringPaymentSequenceIndicator: "first", skipFraudService: false,
        idempotenceKey: "attempt-1")

    /// The same request, signed at 2026-11-21 08:30:00 UTC with a key that is none.
    static func signed(_ request: GatewayRequest) throws -> GatewayRequest {
        try Worldline.authorize(
            request,
            .init(
                apiKeyId: "key-1", secretAPIKey: GatewayFixture.secret("not-a-real-secret")),
            date: Date(timeIntervalSince1970: 1_795_249_800))
    }
}
