import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayWire
import Foundation
import Testing

/// Values and functions for the tests of both Worldline Direct and Worldline Connect.
enum WorldlineFixture {
    static let payload = GatewayFixture.payload(more: #""cardholderName":"Jane Doe","#)
    static let paymentID = "3066019730_1"

    private static let credentials = Worldline.Credentials(
        apiKeyId: "key-1", secretAPIKey: GatewayFixture.secret("not-a-real-secret"))

    private static let billing = with(PaymentContact()) {
        $0.emailAddress = "jane@example.com"
        $0.phoneNumber = "+3225551234"
        $0.givenName = "Jane"
        $0.familyName = "Doe"
        $0.addressLines = ["Rue Haute", "bte 2"]
        $0.houseNumber = "1"
        $0.postalCode = "1000"
        $0.locality = "Bruxelles"
        $0.administrativeArea = "BRU"
        $0.countryCode = "BE"
    }

    private static let shipping = with(PaymentContact()) {
        $0.emailAddress = "jane@example.com"
        $0.givenName = "Jane"
        $0.familyName = "Doe"
        $0.addressLines = ["Rue Basse"]
        $0.houseNumber = "9"
        $0.postalCode = "1000"
        $0.locality = "Bruxelles"
        $0.countryCode = "BE"
    }

    static let page = with(Worldline.PageOptions()) {
        $0.locale = "en_GB"
        $0.showResultPage = false
        $0.isRecurring = true
        $0.variant = "100"
        $0.authorizationMode = .finalAuthorization
        $0.addressIndicator = "different-than-billing"
    }

    /// Returns an order with a page's return address.
    static func pageOrder(_ amount: Int64 = 1000) throws -> Order {
        try with(GatewayFixture.order(amount)) { $0.returnURL = "https://shop.example/return" }
    }

    /// Returns an order with all members that Worldline gets.
    static func order() throws -> Order { try with(GatewayFixture.order(), fill) }

    /// Adds all members that Worldline gets to an order.
    static func fill(_ order: inout Order) {
        order.customer = billing
        order.shipping = shipping
        order.returnURL = "shop-app://return"
        order.customerReference = "customer-1"
        order.storedCards = ["t1", "t2"]
    }

    static func direct(
        _ environment: WorldlineDirect.Environment = .live,
        _ options: (inout WorldlineDirect.Options) -> Void = { _ in }
    ) -> WorldlineDirect {
        let gateway = WorldlineDirect(
            merchantId: "merchant-1", credentials: credentials, environment: environment)
        return with(gateway) { options(&$0.options) }
    }

    static func connect(
        _ environment: WorldlineConnect.Environment = .live,
        _ options: (inout WorldlineConnect.Options) -> Void = { _ in }
    ) -> WorldlineConnect {
        let gateway = WorldlineConnect(
            merchantId: "merchant-1", credentials: credentials, environment: environment)
        return with(gateway) { options(&$0.options) }
    }

    /// Returns a stored card, with the scheme's reference of its first payment or without one.
    static func card(agreement: ExactText? = nil) throws -> PaymentReport.Card {
        var card = try #require(PaymentReport.Card("9511cb6c-a9b1-4d16-a576-dca13f72add3"))
        card.agreement = agreement
        return card
    }

    /// Returns the same request, signed at 2026-11-21 08:30:00 UTC with an invented key.
    static func signed(_ request: GatewayRequest) throws -> GatewayRequest {
        try Worldline.authorize(
            request, credentials, date: Date(timeIntervalSince1970: 1_795_249_800))
    }

    /// Returns the request of a call, signed at the same time with the same key.
    static func signed<Outcome>(_ call: GatewayCall<Outcome>) throws -> GatewayRequest {
        try call.request(at: Date(timeIntervalSince1970: 1_795_249_800))
    }

    /// Returns the request for an operation on a payment, without its signature.
    static func request(
        _ kind: PaymentOperation.Kind,
        amount: Int64? = nil,
        isFinal: Bool? = nil,
        status: ExactText? = nil,
        at gateway: some Worldline.Gateway
    ) throws -> GatewayRequest {
        let name = "\(kind.rawValue)-1"
        let operation = with(PaymentOperation(kind, amount: amount, name: ExactText(name))) {
            $0.isFinal = isFinal
        }
        let report = with(PaymentReport(gateway: "worldline")) {
            $0.meaning = .booked
            $0.status = status
        }
        return try gateway.operationRequest(
            operation, amount ?? 3000, on: report,
            of: GatewayFixture.attempt(paymentID: ExactText(paymentID)))
    }

    /// Returns the vectors of the operations that both platforms have.
    static func operations(
        _ name: String, _ gateway: @escaping @Sendable () -> some Worldline.Gateway
    ) -> [RequestVector] {
        [
            RequestVector("\(name)-capture-minimal") { try request(.capture, at: gateway()) },
            RequestVector("\(name)-capture-full") {
                try request(.capture, amount: 1000, isFinal: true, at: gateway())
            },
            RequestVector("\(name)-cancel-minimal") { try request(.cancellation, at: gateway()) },
            RequestVector("\(name)-refund-minimal") { try request(.refund, at: gateway()) },
        ]
    }
}
