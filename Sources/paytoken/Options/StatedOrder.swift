internal import ApplePayToken
internal import ApplePayWire

/// What the options say of the order; what they leave out is taken from the token.
struct StatedOrder {
    /// Options with a value.
    static let options: Set = ["--order", "--amount", "--currency", "--application-data"]

    /// Whether the options say anything at all.
    let isStated: Bool

    private let amount: Int64?
    private let currency: Currency?
    private let applicationData: ApplicationData?
    private let whole: Order?

    init(_ arguments: Arguments) throws(CommandFailure) {
        amount = try arguments.number("--amount")
        currency = try Self.currency(arguments)
        applicationData = try Self.applicationData(arguments)
        let isInParts = amount != nil || currency != nil || applicationData != nil
        if let path = try arguments.one("--order") {
            guard !isInParts else {
                throw .usage(
                    "--order says it all; leave out --amount, --currency and --application-data.")
            }
            whole = try OrderFile.order(path)
        } else {
            whole = nil
        }
        isStated = isInParts || whole != nil
    }

    /// The order to compare the payment with.
    func order(for payment: Payment) throws(PaymentTokenError) -> Order {
        if let whole { return whole }
        guard let currency = currency ?? payment.data.currency else {
            throw PaymentTokenError(.unknownCurrency, member: "currencyCode")
        }
        return Order(
            amount: amount ?? payment.data.amount,
            currency: currency,
            applicationData: applicationData
                ?? payment.applicationData.flatMap(ApplicationData.init(sha256:)),
            merchants: payment.data.authenticationResponses.map {
                MerchantAmount(merchantIdentifier: $0.merchantIdentifier, amount: $0.amount)
            }
        )
    }

    private static func currency(_ arguments: Arguments) throws(CommandFailure) -> Currency? {
        guard let code = try arguments.one("--currency") else { return nil }
        guard let currency = Currency(alphabetic: code) else {
            throw .usage("--currency takes an ISO 4217 code such as EUR, not \(code).")
        }
        return currency
    }

    private static func applicationData(
        _ arguments: Arguments
    ) throws(CommandFailure) -> ApplicationData? {
        guard let text = try arguments.one("--application-data") else { return nil }
        guard let applicationData = ApplicationData(base64: text) else {
            throw .usage("--application-data takes base64 of the request's bytes.")
        }
        return applicationData
    }
}
