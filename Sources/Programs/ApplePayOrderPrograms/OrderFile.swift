package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// An order while its file is read.
private struct OrderDraft: Sendable {
    var reference: ExactText = ""
    var amount: Int64 = 0
    var currency: Currency?
    var applicationData: ApplicationData?
    var merchants: [MerchantDraft] = []
    var zeroAmount = ZeroAmountPolicy.asOrdered
    /// Sets the other members.
    var details: [@Sendable (inout Order) -> Void] = []
}

/// A merchant's part of an order while it is read.
private struct MerchantDraft: Sendable {
    var identifier: ExactText = ""
    var amount: Int64 = 0
}

/// The order file: one order, in the same form for all gateways.
package enum OrderFile {
    package static let members = declared.map(\.description)

    /// Reads an order from a whole file, or from the member at `path` of a request.
    ///
    /// Without `needsReference`, the reference is empty if the member is missing.
    ///
    /// - Throws: `FileError` with the path of the member at fault.
    package static func order(
        _ value: AnswerValue, path: String = "", needsReference: Bool = false
    ) throws(FileError) -> Order {
        let file = FileValue(value, path: path) { _ throws(FileError) in
            throw FileError(path: "", reason: "must not be a secret")
        }
        let draft = try file.object(OrderDraft(), declared)
        guard let currency = draft.currency else {
            throw FileError(path: "currency", reason: "is missing: the currency")
        }
        if needsReference, draft.reference.isEmpty {
            throw FileError(
                path: "reference", reason: "is missing: what the merchant calls the order")
        }
        var order = Order(
            reference: draft.reference, amount: draft.amount, currency: currency,
            applicationData: draft.applicationData,
            merchants: draft.merchants.map {
                MerchantAmount(merchantIdentifier: $0.identifier, amount: $0.amount)
            }, zeroAmount: draft.zeroAmount)
        for set in draft.details { set(&order) }
        return order
    }

    private static let declared: [FileMember<OrderDraft>] = [
        .defaulted(
            "reference", .text(.name), \.reference,
            "what the merchant calls the order; mandatory for payments", example: "order-1001"),
        .mandatory(
            "amount", .minorUnits(), \.amount,
            "the amount in minor units, such as 1099 for 10.99 EUR",
            example: "1099"),
        .mandatory(
            "currency", currency, \.currency, "the currency, a code of ISO 4217", example: "EUR"),
        .optional(
            "applicationData", applicationData, \.applicationData,
            "the application data of the payment request, base64"),
        .defaulted(
            "merchants", .objects(MerchantDraft(), merchant), \.merchants,
            "the parts of a payment for several merchants"),
        .defaulted(
            "zeroAmount", .choice, \.zeroAmount,
            "how a token for 0 is treated; default: as-ordered"),
        detail("description", .text(.sentence), \.description, "what is paid for"),
        detail("language", .text(.name), \.language, "the customer's language, such as en"),
        detail("returnURL", .text(.address), \.returnURL, "where the customer returns from a page"),
        detail(
            "notificationURL", .text(.address), \.notificationURL,
            "where the gateway reports the payment"),
        detail(
            "customerReference", .text(.name), \.customerReference,
            "what the merchant calls the customer"),
        list(
            "storedCards", .texts(.name), \.storedCards,
            "the gateway's identifiers of the customer's stored cards, for its page"),
        detail(
            "fee", .minorUnits(), \.fee,
            "the fee in minor units that is charged in addition to the amount"),
        detail(
            "created", time, \.created,
            "when the shop created the order, before its first payment, as it stored it: 2026-11-28T09:30:00Z"
        ),
        detail("customer", contact, \.customer, "the billing contact\(form)"),
        detail("customerIP", .text(.name), \.customerIP, "the IP address of the customer's device"),
        detail("shipping", contact, \.shipping, "the shipping contact\(form)"),
        list(
            "items", .objects(OrderItem(id: "", lineId: "", description: "", amount: 0), item),
            \.items, "the order's lines, whose amounts add up to the total"),
    ]

    private static let form = ", as Apple's web page or app sends it"

    /// Declares a member that ``Order``'s initializer does not have.
    private static func detail<Member: Sendable>(
        _ name: String, _ type: FileType<Member>, _ path: FileMember<Order>.Path<Member?>,
        _ help: String
    ) -> FileMember<OrderDraft> {
        list(name, type.map { value, _ in Optional(value) }, path, help)
    }

    /// Declares a member that ``Order``'s initializer does not have, and that is not nil without it.
    private static func list<Member: Sendable>(
        _ name: String, _ type: FileType<Member>, _ path: FileMember<Order>.Path<Member>,
        _ help: String
    ) -> FileMember<OrderDraft> {
        FileMember(name, type.kind, mandatory: false, help) {
            file, draft throws(FileError) in
            let value = try type.read(file)
            draft.details.append { $0[keyPath: path] = value }
        }
    }

    private static let currency = FileType<Currency>.parsed(
        3...3, "must be a currency code of ISO 4217 in capitals, such as EUR"
    ) { Currency(alphabetic: $0) }.map { currency, _ in Optional(currency) }

    private static let applicationData = FileType<ApplicationData>.parsed(
        0...65_536, "must be a string with at most 65536 characters of base64"
    ) { ApplicationData(base64: String($0)) }

    private static let time = FileType<Date>.parsed(
        .name, "must be a time such as 2026-11-28T09:30:00Z"
    ) { $0.utf8.last == UInt8(ascii: "Z") ? InternetTime.date($0) : nil }

    private static let contact = FileType(kind: .contact) {
        file throws(FileError) in
        do throws(PaymentError) {
            return try PaymentContact(file.value)
        } catch {
            guard let field = error.members.first else {
                throw file.fault("must be a contact in Apple's form")
            }
            throw FileError(
                path: "\(file.path).\(field)",
                reason: "must have the type that it has in Apple's form"
                    + (error.reason.map { ", and \($0)" } ?? ""))
        }
    }

    private static let merchant: [FileMember<MerchantDraft>] = [
        .mandatory(
            "merchantIdentifier", .text(.name), \.identifier, "the merchant's identifier",
            example: "merchant.example.shop"),
        .mandatory(
            "amount", .minorUnits(), \.amount, "the merchant's part in minor units", example: "1099"
        ),
    ]

    private static let item: [FileMember<OrderItem>] = [
        .mandatory("id", .text(.name), \.id, "the product's identifier", example: "sku-1"),
        .mandatory(
            "lineId", .text(.name), \.lineId, "the line's identifier in the order", example: "1"),
        .mandatory("description", .text(.sentence), \.description, "the product", example: "Shirt"),
        .mandatory(
            "amount", .minorUnits(), \.amount, "the line's amount in minor units, with tax",
            example: "1099"),
        .defaulted("quantity", .integer(1...Int64.max), \.quantity, "the quantity; default: 1"),
        .optional(
            "taxAmount", .minorUnits(), \.taxAmount, "the tax in the amount, in minor units"),
        .optional(
            "taxBasisPoints", .integer(), \.taxBasisPoints,
            "the tax rate in hundredths of a percent"),
    ]
}
