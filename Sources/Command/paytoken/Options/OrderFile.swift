internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// An order as JSON: `amount` and `currency`, and optionally `reference`, `applicationData` (base64), `merchants` and
/// `zeroAmount`.
///
/// `merchants` contains objects with `merchantIdentifier` and `amount`.
enum OrderFile {
    /// Reads an order from a file.
    static func order(_ path: String) throws(CommandFailure) -> Order {
        let text = try FileContents.bytes(of: path, limit: 1 << 18, "an order")
        let json: JSONIndex
        do throws(JSONError) {
            json = try JSONIndex(text.span)
        } catch {
            throw .means("\(path) is not an order\(WrongFile.fault(text, error)) \(form)")
        }
        do throws(MemberFault) {
            return try order(json.root, of: json, in: text.span)
        } catch {
            let member = error.name.isEmpty ? "the order" : "its member \(error.name.printable)"
            throw .means("\(path) is not an order: \(member) \(error.fault). \(form)")
        }
    }

    /// What an order looks like, for messages.
    private static let form =
        #"An order is JSON such as {"reference":"order-1001","amount":1099,"currency":"EUR"}."#

    /// Reads an order from a JSON value; its reference is empty if the member is missing.
    ///
    /// - Throws: ``MemberFault`` for a member that is missing, not valid or unknown.
    static func order(
        _ value: JSONValue,
        of json: JSONIndex,
        in text: Span<UInt8>
    ) throws(MemberFault) -> Order {
        guard value.kind == .object else { throw MemberFault("", "must be a JSON object") }
        var reference: String?
        var amount: Int64?
        var currency: Currency?
        var applicationData: ApplicationData?
        var merchants: [MerchantAmount] = []
        var zeroAmount = ZeroAmountPolicy.asOrdered
        for member in json.members(of: value) {
            let string = member.value.kind == .string ? json.string(member.value, in: text) : nil
            switch json.string(member.name, in: text) {
            case "reference":
                reference = string
                guard let reference, !reference.isEmpty else {
                    throw MemberFault("reference", "must be a string that is not empty")
                }
            case "amount":
                amount = json.integer(member.value, in: text)
                guard let amount, amount >= 0 else {
                    throw MemberFault("amount", "must be a whole number of minor units")
                }
            case "currency":
                currency = string.flatMap(Currency.init(alphabetic:))
                guard currency != nil else {
                    throw MemberFault("currency", "must be a currency code of ISO 4217 such as EUR")
                }
            case "applicationData":
                applicationData = string.flatMap(ApplicationData.init(base64:))
                guard applicationData != nil else {
                    throw MemberFault("applicationData", "must be a string with base64")
                }
            case "merchants":
                guard let parts = self.merchants(member.value, of: json, in: text) else {
                    throw MemberFault(
                        "merchants",
                        "must be an array of objects that have merchantIdentifier and amount only")
                }
                merchants = parts
            case "zeroAmount":
                guard let policy = string.flatMap(ZeroAmountPolicy.init(rawValue:)) else {
                    throw MemberFault("zeroAmount", "must be as-ordered, accepted or refused")
                }
                zeroAmount = policy
            case let name:
                throw MemberFault(
                    String(name.prefix(64)),
                    "is unknown; an order has reference, amount, currency, applicationData, merchants and "
                        + "zeroAmount"
                )
            }
        }
        guard let amount else { throw MemberFault("amount", "is missing") }
        guard let currency else { throw MemberFault("currency", "is missing") }
        return Order(
            reference: reference ?? "", amount: amount, currency: currency,
            applicationData: applicationData,
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
