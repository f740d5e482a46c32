internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// An order as JSON: `amount` and `currency`, and optionally `applicationData` (base64),
/// `merchants` and `zeroAmount`.
///
/// `merchants` contains objects with `merchantIdentifier` and `amount`.
enum OrderFile {
    /// Reads an order from a file.
    static func order(_ path: String) throws(CommandFailure) -> Order {
        let text = try FileContents.bytes(of: path, limit: 1 << 18)
        let order = try failing("\(path) is not an order") { () throws(JSONError) in
            let json = try JSONIndex(text.span)
            return Self.order(json.root, of: json, in: text.span)
        }
        guard let order else {
            throw .means(
                "\(path) is not an order: it has amount (minor units) and currency (ISO 4217), and may "
                    + "have applicationData (base64), merchants (merchantIdentifier and amount each) and "
                    + "zeroAmount (as-ordered, accepted or refused); nothing else.")
        }
        return order
    }

    /// Reads an order from a JSON value; nil if it is not an order or has members that an order
    /// does not have.
    static func order(_ value: JSONValue, of json: JSONIndex, in text: Span<UInt8>) -> Order? {
        var amount: Int64?
        var currency: Currency?
        var applicationData: ApplicationData?
        var merchants: [MerchantAmount] = []
        var zeroAmount = ZeroAmountPolicy.asOrdered
        for member in json.members(of: value) {
            let string = member.value.kind == .string ? json.string(member.value, in: text) : nil
            switch json.string(member.name, in: text) {
            case "amount": amount = json.integer(member.value, in: text)
            case "currency": currency = string.flatMap(Currency.init(alphabetic:))
            case "applicationData":
                applicationData = string.flatMap(ApplicationData.init(base64:))
                guard applicationData != nil else { return nil }
            case "merchants":
                guard let parts = self.merchants(member.value, of: json, in: text) else {
                    return nil
                }
                merchants = parts
            case "zeroAmount":
                guard let policy = string.flatMap(ZeroAmountPolicy.init(rawValue:)) else {
                    return nil
                }
                zeroAmount = policy
            default: return nil
            }
        }
        guard let amount, amount >= 0, let currency else { return nil }
        return Order(
            amount: amount, currency: currency, applicationData: applicationData,
            merchants: merchants, zeroAmount: zeroAmount)
    }

    private static func merchants(
        _ value: JSONValue,
        of json: JSONIndex,
        in text: Span<UInt8>
    ) -> [MerchantAmount]? {
        guard value.kind == .array else { return nil }
        var merchants: [MerchantAmount] = []
        for element in json.elements(of: value) {
            guard json.members(of: element).reduce(0, { count, _ in count + 1 }) == 2,
                let identifier = json.member("merchantIdentifier", of: element, in: text),
                identifier.kind == .string,
                let amount = json.member("amount", of: element, in: text),
                let amount = json.integer(amount, in: text), amount >= 0
            else { return nil }
            merchants.append(
                MerchantAmount(
                    merchantIdentifier: json.string(identifier, in: text), amount: amount))
        }
        return merchants
    }
}
