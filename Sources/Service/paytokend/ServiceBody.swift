internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayWire

/// The bodies of requests to the service, each with its members: the source of their reading and of their schemas.
enum ServiceBody {
    /// A payment: an order, and the token or the stored card that pays it; or only the order, for a page on which the customer
    /// pays it.
    struct Payment: Sendable {
        /// What pays the order.
        enum Means: Sendable {
            case token([UInt8], session: ExactText?)
            case card(StoredCard, PaymentInitiator)
            case page
        }

        let means: Means
        let order: Order
        /// The gateway's name; nil if the service has one gateway.
        let gateway: ExactText?
        /// The serial of the last attempt, if the order is paid again after all of it was returned.
        let again: ExactText?

        /// The members of a payment with a token.
        static let members = declared.map(\.description)

        static let pageMembers = declaredForPage.map(\.description)

        /// Reads a body.
        ///
        /// - Parameters:
        ///   - body: The body.
        ///   - isPage: Whether it is one for a page.
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue, isPage: Bool) throws(FileError) {
            let members = isPage ? Self.declaredForPage : Self.declared
            let draft = try ServiceBody.read(body, Draft(), members)
            means = isPage ? .page : try Self.means(draft)
            order = try draft.order()
            gateway = draft.gateway
            again = draft.again
        }

        private static func means(_ draft: Draft) throws(FileError) -> Means {
            switch (draft.token, draft.card, draft.initiator) {
            case (let token?, nil, nil): return .token(token, session: draft.session)
            case (nil, let card?, let initiator?) where draft.session == nil:
                return .card(card, initiator)
            case (nil, nil, _):
                throw FileError(
                    path: "token", reason: "is missing: the payment token, or card and initiator")
            case (nil, .some, nil):
                throw FileError(
                    path: "initiator",
                    reason: "is missing: who begins the payment with the card, \(initiators)")
            case (nil, .some, .some):
                throw FileError(path: "session", reason: "is for a token; leave it out")
            case (.some, _, _):
                throw FileError(
                    path: draft.card == nil ? "initiator" : "card",
                    reason: "is for a payment without a token; leave it out")
            }
        }

        private static let initiators = PaymentInitiator.allCases.map(\.rawValue).alternatives

        private static let declared: [FileMember<Draft>] = [
            .defaulted(
                "token", tokenText.map { text, _ in Optional(text) }, \.token,
                "the payment token; mandatory without card", example: tokenExample),
            Draft.orderMember,
            .defaulted(
                "card", storedCard, \.card,
                "instead of a token: a card that the gateway stored, as pay and the state of an order contain it"
            ),
            .optional(
                "initiator", .choice, \.initiator,
                "who begins the payment with a stored card, and for what; mandatory with card"),
            .optional(
                "session", .text(.name), \.session,
                "the gateway's identifier of the session or checkout in which the order is paid, if your app or page made "
                    + "one"),
            Draft.gatewayMember, Draft.againMember,
        ]

        private static let declaredForPage = [
            Draft.orderMember, Draft.gatewayMember, Draft.againMember,
        ]
    }

    /// A payment, a page or an adoption while its body is read.
    struct Draft: Sendable {
        var token: [UInt8]?
        var card: StoredCard?
        var initiator: PaymentInitiator?
        var stated: Order?
        var session: ExactText?
        var gateway: ExactText?
        var again: ExactText?
        var paymentID: ExactText = ""
        var person: ExactText = ""
        var reason: ExactText = ""

        func order() throws(FileError) -> Order {
            guard let stated else {
                throw FileError(path: "order", reason: "is missing: the order, as an order file")
            }
            return stated
        }

        static let orderMember = FileMember<Self>.mandatory(
            "order", wholeOrder(needsReference: true), \.stated, "the order, as an order file",
            example: "{}")
        static let gatewayMember = FileMember<Self>.optional(
            "gateway", .text(.name), \.gateway,
            "the gateway's name; mandatory if the service has several gateways")
        static let againMember = FileMember<Self>.optional(
            "again", .text(.name), \.again,
            "the serial of the last attempt, to pay the order again after all of it was returned")
    }

    /// A merchant session: of Apple's server, or of a gateway that has the merchant's certificate.
    struct Session: Sendable {
        /// Who gives the session, and for what.
        enum Source: Sendable {
            /// Apple's server, for a page.
            case page(domain: String, displayName: String)
            /// Apple's server, for Messages for Business.
            case messages(gateway: String, displayName: String)
            /// A gateway, with the address that Apple's script gave to the page, and the token of a checkout.
            case gateway(ExactText, validationURL: String, session: ExactText?)
        }

        /// Who gives the session, and for what.
        let source: Source

        static let members = declared.map(\.description)

        /// Reads a body.
        ///
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue) throws(FileError) {
            let draft = try ServiceBody.read(body, Draft(), Self.declared)
            switch (draft.gateway, draft.validationURL, draft.displayName) {
            case (let gateway?, let url?, nil) where draft.domain == nil && draft.messages == nil:
                source = .gateway(gateway, validationURL: url, session: draft.session)
            case (nil, nil, let displayName?) where draft.session == nil:
                switch (draft.domain, draft.messages) {
                case (let domain?, nil): source = .page(domain: domain, displayName: displayName)
                case (nil, let gateway?):
                    source = .messages(gateway: gateway, displayName: displayName)
                default: throw Self.fault
                }
            default: throw Self.fault
            }
        }

        private static let fault = FileError(
            path: "",
            reason:
                "needs domain or messagesGateway, and displayName, for Apple's server; or gateway and validationURL, and "
                + "session if there is one, for a gateway")

        private struct Draft: Sendable {
            var domain: String?
            var messages: String?
            var displayName: String?
            var gateway: ExactText?
            var validationURL: String?
            var session: ExactText?
        }

        private static let declared: [FileMember<Draft>] = [
            .optional(
                "domain", .text(.name), \.domain, "the page's domain, as registered with Apple",
                example: "shop.example"),
            .optional(
                "messagesGateway", .text(.address), \.messages,
                "instead of a domain: the payment gateway's address, for Messages for Business"),
            .optional(
                "displayName", .text(.name), \.displayName,
                "the shop's name for the payment sheet, at most 64 characters", example: "Shop"),
            .optional(
                "gateway", .text(.name), \.gateway,
                "instead of Apple's server: the name of a gateway that has the merchant's certificate, bepaid"
            ),
            .optional(
                "validationURL", .text(.address), \.validationURL,
                "the address that Apple's script gave to the page, for a gateway"),
            .optional(
                "session", .text(.name), \.session,
                "the token of the gateway's checkout, instead of the shop's credentials"),
        ]
    }

    /// A card that is added to Wallet.
    struct Card: Sendable {
        /// The service's identifier of the card.
        fileprivate(set) var card: ExactText = ""
        /// The name of the service that issued it.
        fileprivate(set) var gateway: ExactText = ""
        /// The address to which the cardholder's browser returns; nil for the app's flow.
        fileprivate(set) var returnURL: String?

        static let members = declared.map(\.description)

        /// Reads a body.
        ///
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue) throws(FileError) {
            self = try ServiceBody.read(body, Self(), Self.declared)
        }

        private init() {}

        private static let declared: [FileMember<Self>] = [
            .mandatory(
                "card", .text(.name), \.card, "the service's identifier of the card",
                example: "card-1"),
            .mandatory(
                "gateway", .text(.name), \.gateway, "the name of the service, intergiro",
                example: "intergiro"),
            .optional(
                "returnURL", .text(.address), \.returnURL,
                "the address to which the cardholder's browser returns; without it, the app's flow with the SDK begins"
            ),
        ]
    }

    /// A token to verify, or to decrypt.
    struct Token: Sendable {
        /// The token's text.
        fileprivate(set) var token: [UInt8] = []
        /// The order with which a decrypted token is compared.
        fileprivate(set) var order: Order?
        /// Whether the account number and the cryptogram are shown.
        fileprivate(set) var reveal = false
        /// Whether the transaction is claimed.
        fileprivate(set) var claim = false

        /// The members of a body for verification.
        static let verificationMembers = [declared[0].description]

        /// The members of a body for decryption.
        static let members = declared.map(\.description)

        /// Reads a body.
        ///
        /// - Parameters:
        ///   - body: The body.
        ///   - isDecrypted: Whether it is one for decryption.
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue, isDecrypted: Bool) throws(FileError) {
            let members = isDecrypted ? Self.declared : Array(Self.declared[..<1])
            self = try ServiceBody.read(body, Self(), members)
            guard !claim || order != nil else {
                throw FileError(path: "order", reason: "is missing: a claim needs the order")
            }
        }

        private init() {}

        private static let declared: [FileMember<Self>] = [
            .mandatory("token", tokenText, \.token, "the payment token", example: tokenExample),
            .defaulted(
                "order", wholeOrder(needsReference: false), \.order,
                "the order that the payment must agree with, as an order file"),
            .flag(
                "reveal", \.reveal,
                "whether to show the account number and the cryptogram; needs the role reveal"),
            .flag(
                "claim", \.claim,
                "whether to claim the transaction, once and finally; needs order"
            ),
        ]
    }

    /// A capture, a cancellation or a refund.
    struct Operation: Sendable {
        /// The amount in minor units; nil for all that remains.
        fileprivate(set) var amount: Int64?
        /// The shop's name of the operation.
        fileprivate(set) var operation: ExactText?
        /// Why, for the gateway's records.
        fileprivate(set) var reason: ExactText?
        /// Whether nothing more will be captured.
        fileprivate(set) var isFinal: Bool?

        static let members = declared.map(\.description)

        /// Reads a body.
        ///
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue) throws(FileError) {
            self = try ServiceBody.read(body, Self(), Self.declared)
        }

        private init() {}

        private static let declared: [FileMember<Self>] = [
            .optional(
                "amount", .minorUnits(1...Int64.max), \.amount,
                "the amount in minor units; all that remains without it", example: "1099"),
            .optional(
                "operation", .text(.name), \.operation,
                "the shop's name of the operation; the same name again sends nothing",
                example: "parcel-1"),
            .optional(
                "reason", .text(.sentence), \.reason, "why, for the gateway's records; for refunds"),
            .optional(
                "final", .boolean, \.isFinal, "whether nothing more will be captured; for captures"),
        ]
    }

    /// A message of a gateway's, as the merchant's web server received it.
    struct Message: Sendable {
        private var method = "POST"
        private var target = ""
        private var headers: [Header] = []
        private var body: [UInt8] = []

        /// The greatest number of headers; web servers permit some hundred.
        private static let headerLimit = 512

        static let members = declared.map(\.description)

        /// Reads a body.
        ///
        /// - Throws: `FileError` with the path of the member at fault.
        init(_ body: AnswerValue) throws(FileError) {
            guard body["headers"]?.elements.count ?? 0 <= Self.headerLimit else {
                throw FileError(
                    path: "headers", reason: "must be at most \(Self.headerLimit)")
            }
            self = try ServiceBody.read(body, Self(), Self.declared)
        }

        private init() {}

        var message: GatewayMessage {
            GatewayMessage(
                method: method, target: target,
                headers: headers.map { ($0.name, $0.value) }, body: body)
        }

        private struct Header: Sendable {
            var name = ""
            var value = ""
        }

        private static let declared: [FileMember<Self>] = [
            .defaulted("method", .text(1...16), \.method, "the method; default: POST"),
            .mandatory(
                "target", .text(1...URLQuery.lengthLimit), \.target,
                "the path and query, as the request line contained them",
                example: "/webhook"),
            .mandatory(
                "headers",
                .objects(
                    Header(),
                    [
                        .mandatory(
                            "name", .text(.name), \.name, "the header's name", example: "Date"),
                        .mandatory(
                            "value", .text(0...GatewayMessage.headerLimit), \.value,
                            "the header's value",
                            example: "…"),
                    ]), \.headers, "the headers, in order", example: "[]"),
            .mandatory(
                "body", base64, \.body, "the body in base64, exactly as it was received",
                example: "e30="),
        ]
    }

    private static let tokenExample =
        #"{"version":"EC_v1","data":"…","signature":"…","header":{"ephemeralPublicKey":"…","publicKeyHash":"…","#
        + #""transactionId":"…"}}"#

    /// A token, whose text is judged later.
    private static let tokenText = FileType(kind: .token) { file throws(FileError) -> [UInt8] in
        guard file.value.isObject || file.value.isString else {
            throw file.fault("must be the token as an object, or a string with its text")
        }
        return file.value.characters
    }

    /// A stored card, left out of examples.
    private static let storedCard = FileType<StoredCard?>(
        kind: .object(StoredCardFile.members.map(\.withoutExample))
    ) { file throws(FileError) in try StoredCardFile.card(file.value, path: file.path) }

    /// An order; `isShown` is whether the example has it.
    static func wholeOrder(needsReference: Bool, isShown: Bool = true) -> FileType<Order?> {
        let members = OrderFile.members
        return FileType(kind: .object(isShown ? members : members.map(\.withoutExample))) {
            file throws(FileError) in
            do throws(FileError) {
                return try OrderFile.order(
                    file.value, path: file.path, needsReference: needsReference)
            } catch {
                guard !error.path.hasPrefix(file.path) else { throw error }
                throw FileError(path: "\(file.path).\(error.path)", reason: error.reason)
            }
        }
    }

    private static let base64 = FileType<[UInt8]>.parsed(
        0...1 << 20, "must be a string with at most \(1 << 20) characters of base64"
    ) { Base64.decoded($0.utf8.span) }

    /// Reads a body that is an object.
    static func read<Value>(
        _ body: AnswerValue, _ initial: Value, _ members: [FileMember<Value>]
    ) throws(FileError) -> Value {
        let file = FileValue(body, whole: "the body") { _ throws(FileError) in
            throw FileError(path: "", reason: "must not be a secret")
        }
        return try file.object(initial, members)
    }
}
