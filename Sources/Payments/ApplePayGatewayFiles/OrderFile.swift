package import ApplePayGateways
internal import ApplePayPrimitives
package import ApplePayToken

/// An order while its file is read.
struct OrderDraft: Sendable {
    var reference = ""
    var amount: Int64 = 0
    var currency: Currency?
    var applicationData: ApplicationData?
    var merchants: [MerchantDraft] = []
    var zeroAmount = ZeroAmountPolicy.asOrdered
    var description: String?
    var language: String?
    var returnURL: String?
    var notificationURL: String?
    var customerReference: String?
    var customer: PaymentContact?
    var customerIP: String?
    var shipping: PaymentContact?
    var items: [ItemDraft] = []
}

/// A merchant's part of an order while it is read.
struct MerchantDraft: Sendable {
    var identifier = ""
    var amount: Int64 = 0
}

/// A line of an order while it is read.
struct ItemDraft: Sendable {
    var item = OrderItem(id: "", lineId: "", description: "", amount: 0)
}

/// The order file: one order, in the same form for all gateways.
package enum OrderFile {
    /// The members.
    package static let members = declared.map(\.description)

    /// Reads an order.
    ///
    /// - Parameters:
    ///   - value: The whole file, or a member of an envelope.
    ///   - path: The member's name; empty for a whole file.
    ///   - needsReference: Whether the order must have a reference; otherwise it is empty if the member is missing.
    /// - Returns: The order.
    /// - Throws: ``MemberFault``.
    package static func order(
        _ value: AnswerValue, path: String = "", needsReference: Bool = false
    ) throws(MemberFault) -> Order {
        let file = FileValue(value, path: path) { _ throws(MemberFault) in
            throw MemberFault("", "must not be a secret")
        }
        let draft = try file.object(OrderDraft(), declared)
        guard let currency = draft.currency else {
            throw MemberFault("currency", "is missing: the currency")
        }
        if needsReference, draft.reference.isEmpty {
            throw MemberFault("reference", "is missing: what the merchant calls the order")
        }
        var order = Order(
            reference: draft.reference, amount: draft.amount, currency: currency,
            applicationData: draft.applicationData,
            merchants: draft.merchants.map {
                MerchantAmount(merchantIdentifier: $0.identifier, amount: $0.amount)
            }, zeroAmount: draft.zeroAmount)
        order.description = draft.description
        order.language = draft.language
        order.returnURL = draft.returnURL
        order.notificationURL = draft.notificationURL
        order.customerReference = draft.customerReference
        order.customer = draft.customer
        order.customerIP = draft.customerIP
        order.shipping = draft.shipping
        order.items = draft.items.map(\.item)
        return order
    }

    private static let declared: [FileMember<OrderDraft>] = [
        FileMember(
            "reference", .text(1...Int.max),
            "what the merchant calls the order; mandatory for payments", example: "\"order-1001\""
        ) { file, order throws(MemberFault) in order.reference = try file.text(1...Int.max) },
        FileMember(
            "amount", .integer(0...Int64.max), mandatory: true,
            "the amount in minor units, such as 1099 for 10.99 EUR", example: "1099"
        ) { file, order throws(MemberFault) in
            guard let amount = try? file.integer(0...Int64.max) else {
                throw file.fault("must be a whole number of minor units")
            }
            order.amount = amount
        },
        FileMember(
            "currency", .text(3...3), mandatory: true, "the currency, a code of ISO 4217",
            example: "\"EUR\""
        ) { file, order throws(MemberFault) in
            guard let text = try? file.text(3...3), let currency = Currency(alphabetic: text) else {
                throw file.fault("must be a currency code of ISO 4217 such as EUR")
            }
            order.currency = currency
        },
        FileMember(
            "applicationData", .text(0...Int.max),
            "the application data of the payment request, base64"
        ) { file, order throws(MemberFault) in
            guard let text = try? file.text(0...Int.max),
                let data = ApplicationData(base64: text)
            else { throw file.fault("must be a string with base64") }
            order.applicationData = data
        },
        FileMember(
            "merchants", .objects(merchant.map(\.description)),
            "the parts of a payment for several merchants"
        ) { file, order throws(MemberFault) in
            order.merchants = try file.objects(MerchantDraft(), merchant)
        },
        .choice(
            "zeroAmount", \.zeroAmount, "how a token for 0 is treated; default: as-ordered",
            name: \.rawValue),
        .text("description", \.description, "what is paid for"),
        .text("language", \.language, "the customer's language, such as en"),
        .text("returnURL", \.returnURL, "where the customer returns from a page"),
        .text(
            "notificationURL", \.notificationURL, "where the gateway reports the payment"),
        .text("customerReference", \.customerReference, "what the merchant calls the customer"),
        contact("customer", \.customer, "the billing contact"),
        .text("customerIP", \.customerIP, "the IP address of the customer's device"),
        contact("shipping", \.shipping, "the shipping contact"),
        FileMember(
            "items", .objects(item.map(\.description)),
            "the order's lines, whose amounts add up to the total"
        ) { file, order throws(MemberFault) in
            order.items = try file.objects(ItemDraft(), item)
        },
    ]

    private static let merchant: [FileMember<MerchantDraft>] = [
        .text(
            "merchantIdentifier", \.identifier, "the merchant's identifier",
            example: "merchant.example.shop"),
        .amount("amount", \.amount, "the merchant's part in minor units"),
    ]

    private static let item: [FileMember<ItemDraft>] = [
        .text("id", \.item.id, "the product's identifier", example: "sku-1"),
        .text("lineId", \.item.lineId, "the line's identifier in the order", example: "1"),
        .text("description", \.item.description, "the product", example: "Shirt"),
        .amount("amount", \.item.amount, "the line's amount in minor units, with tax"),
        FileMember("quantity", .integer(1...Int64.max), "the quantity; default: 1") {
            file, line throws(MemberFault) in line.item.quantity = try file.integer(1...Int64.max)
        },
        .integer("taxAmount", \.item.taxAmount, "the tax in the amount, in minor units"),
        .integer(
            "taxBasisPoints", \.item.taxBasisPoints, "the tax rate in hundredths of a percent"),
    ]

    private static func contact(
        _ name: String,
        _ path: FileMember<OrderDraft>.Path<PaymentContact?>,
        _ help: String
    ) -> FileMember<OrderDraft> {
        FileMember(
            name, .contact, "\(help), as Apple's web page or app sends it"
        ) { file, order throws(MemberFault) in
            do throws(UnreadableJSONError) {
                order[keyPath: path] = try PaymentContact(file.value)
            } catch {
                guard !error.field.isEmpty else {
                    throw file.fault("must be a contact in Apple's form")
                }
                throw MemberFault(
                    "\(file.path).\(error.field)", "must have the type that it has in Apple's form")
            }
        }
    }
}

extension FileMember {
    /// Declares a mandatory amount in minor units.
    fileprivate static func amount(
        _ name: String, _ path: Path<Int64>, _ help: String
    ) -> FileMember {
        FileMember(name, .integer(0...Int64.max), mandatory: true, help, example: "1099") {
            file, value throws(MemberFault) in
            value[keyPath: path] = try file.integer(0...Int64.max)
        }
    }
}
