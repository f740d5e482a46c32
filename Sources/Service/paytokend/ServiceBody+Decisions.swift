internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayWire

extension ServiceBody {
    /// A person's decision about an attempt, or about an operation.
    struct Decision: Sendable {
        /// The attempt; empty for a decision about an operation or an order.
        fileprivate(set) var serial: ExactText = ""
        /// The shop's name of the operation; nil for a decision about an attempt.
        fileprivate(set) var operation: ExactText?
        /// An order that the ledger does not have; nil for a decision about an attempt or an operation.
        fileprivate(set) var order: Order?
        /// The gateway's name; nil if the service has one gateway, or has the attempt.
        fileprivate(set) var gateway: ExactText?
        /// The gateway's identifier of the payment that pays the order.
        fileprivate(set) var paid: ExactText?
        /// Whether the operation was done.
        fileprivate(set) var isDone = false
        /// Whether no payment was made, or the operation was not done.
        fileprivate(set) var isRefused = false
        /// Whether all was given back.
        fileprivate(set) var isReturned = false
        /// The gateway's identifier of the payment that was refused or given back.
        fileprivate(set) var paymentID: ExactText?
        fileprivate(set) var person: ExactText = ""
        fileprivate(set) var reason: ExactText = ""
        /// Whether the person has compared the gateway's own books.
        fileprivate(set) var isConfirmed = false

        static let members = declared.map(\.description)

        /// Reads a body, which contains exactly one decision, about an attempt, an operation or an order.
        ///
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue) throws(FileError) {
            self = try ServiceBody.read(body, Self(), Self.declared)
            guard gateway == nil || order != nil else {
                throw FileError(
                    path: "gateway", reason: "is that of the attempt; leave it out without order")
            }
            if operation != nil {
                try checkOperation()
            } else if order != nil {
                try checkOrder()
            } else {
                try checkAttempt()
            }
        }

        private init() {}

        private func checkAttempt() throws(FileError) {
            guard !serial.isEmpty else {
                throw FileError(
                    path: "serial",
                    reason:
                        "is missing: the attempt, or give operation or order for a decision about one"
                )
            }
            let decisions = [paid != nil, isRefused, isReturned].filter { $0 }.count
            guard decisions == 1, !isDone else {
                throw FileError(
                    path: "paid", reason: "is a decision; give one of paid, refused and returned")
            }
        }

        private func checkOrder() throws(FileError) {
            try refuse(
                [
                    ("serial", !serial.isEmpty), ("paid", paid != nil), ("returned", isReturned),
                    ("paymentId", paymentID != nil), ("done", isDone),
                ], "is not about a whole order; leave it out with order")
            guard isRefused else {
                throw FileError(path: "refused", reason: "is missing: the decision about the order")
            }
        }

        private func checkOperation() throws(FileError) {
            try refuse(
                [
                    ("serial", !serial.isEmpty), ("order", order != nil), ("paid", paid != nil),
                    ("returned", isReturned), ("paymentId", paymentID != nil),
                    ("confirmed", isConfirmed),
                ], "is about an attempt; leave it out with operation")
            guard isDone != isRefused else {
                throw FileError(path: "done", reason: "is a decision; give one of done and refused")
            }
        }

        /// Refuses the first member that is given.
        private func refuse(
            _ members: [(name: String, isGiven: Bool)], _ reason: String
        ) throws(FileError) {
            if let given = members.first(where: \.isGiven) {
                throw FileError(path: given.name, reason: reason)
            }
        }

        private static let declared: [FileMember<Self>] = [
            .defaulted(
                "serial", .text(.name), \.serial,
                "the serial of the attempt that the person looked at; mandatory without operation and order",
                example: "00c7f650ce306c169e3ecb9e1e3f8d4c"),
            .optional(
                "operation", .text(.name), \.operation,
                "instead of an attempt: the shop's name of an open operation, with done or refused"),
            .defaulted(
                "order", ServiceBody.wholeOrder(needsReference: true, isShown: false), \.order,
                "instead of an attempt: an order that the ledger does not have, after a restore; with refused"
            ),
            .optional(
                "gateway", .text(.name), \.gateway,
                "the name of the account, with order; mandatory if the service has several gateways"
            ),
            .optional(
                "paid", .text(.name), \.paid,
                "the gateway's identifier of the payment that pays the order", example: "8835"),
            .flag("done", \.isDone, "whether the operation was done"),
            .flag(
                "refused", \.isRefused,
                "whether no payment was made, or the operation was not done"),
            .flag("returned", \.isReturned, "whether all of the amount was given back"),
            .optional(
                "paymentId", .text(.name), \.paymentID,
                "the gateway's identifier of the payment that was declined or given back, if it has one"
            ),
            .mandatory("by", .text(.name), \.person, "the person, for the record", example: "Jane"),
            .mandatory(
                "because", .text(.sentence), \.reason, "the reason, for the record",
                example: "the gateway's books have the payment"),
            .flag(
                "confirmed", \.isConfirmed,
                "whether the person has compared it with the payments in the gateway's own books"),
        ]
    }

    /// A payment that the ledger does not have, and that pays an order.
    struct Adoption: Sendable {
        /// The gateway's identifier of the payment.
        let paymentID: ExactText
        let order: Order
        /// The gateway's name; nil if the service has one gateway.
        let gateway: ExactText?
        let person: ExactText
        let reason: ExactText

        static let members = declared.map(\.description)

        /// Reads a body.
        ///
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue) throws(FileError) {
            let draft = try ServiceBody.read(body, Draft(), Self.declared)
            order = try draft.order()
            (paymentID, gateway) = (draft.paymentID, draft.gateway)
            (person, reason) = (draft.person, draft.reason)
        }

        private static let declared: [FileMember<Draft>] = [
            .mandatory(
                "paymentId", .text(.name), \.paymentID, "the gateway's identifier of the payment",
                example: "8835"),
            Draft.orderMember, Draft.gatewayMember,
            .mandatory("by", .text(.name), \.person, "the person, for the record", example: "Jane"),
            .mandatory(
                "because", .text(.sentence), \.reason, "the reason, for the record",
                example: "it was paid at a terminal"),
        ]
    }
}
