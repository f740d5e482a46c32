package import ApplePayGateways
package import ApplePayPrograms
internal import ApplePayWire

/// A stored card as JSON: what pay and payments show write as `card`, and what pays another order.
package enum StoredCardFile {
    /// A card while it is read.
    private struct Draft: Sendable {
        var gateway: ExactText = ""
        var account: ExactText = ""
        var isTest = false
        var details: PaymentReport.Card?
        var maskedNumber: ExactText?
        var expiry: ExactText?
        var network: ExactText?
        var agreement: ExactText?
    }

    package static let members = declared.map(\.description)

    /// Reads a card from a whole file, or from the member at `path` of a request.
    ///
    /// - Throws: `FileError` with the path of the member at fault.
    package static func card(
        _ value: AnswerValue, path: String = ""
    ) throws(FileError) -> StoredCard {
        let file = FileValue(value, path: path) { _ throws(FileError) in
            throw FileError(path: "", reason: "must not be a secret")
        }
        let draft = try file.object(Draft(), declared)
        guard var details = draft.details else {
            throw FileError(path: "identifier", reason: "is missing: the gateway's identifier")
        }
        details.maskedNumber = draft.maskedNumber
        details.expiry = draft.expiry
        details.network = draft.network
        details.agreement = draft.agreement
        return StoredCard(
            details, gateway: draft.gateway, account: draft.account, isTest: draft.isTest)
    }

    private static let declared: [FileMember<Draft>] = [
        .mandatory(
            "gateway", .text(.name), \.gateway, "the gateway that stored the card",
            example: "bepaid"),
        .mandatory(
            "account", .text(.name), \.account, "the account at which it is stored",
            example: "361"),
        .mandatory(
            "isTest", .boolean, \.isTest, "whether the account is for tests", example: "true"),
        .mandatory(
            "identifier",
            FileType.text(.name).map { text, file throws(FileError) in
                guard let card = PaymentReport.Card(text) else {
                    throw file.fault("must be the gateway's identifier of a card, in visible ASCII")
                }
                return Optional(card)
            }, \.details,
            "the gateway's identifier of the card: whoever has it and the account's secrets can charge the card",
            example: "40bd001563085fc35165329ea1ff5c5ecbdbbeef40bd001563085fc35165329e"),
        .optional(
            "maskedNumber", .text(.name), \.maskedNumber,
            "the card's number as the gateway shows it", example: "…1111"),
        .optional(
            "expiry", .text(7...7), \.expiry, "the last month in which the card is valid",
            example: "2030-12"),
        .optional(
            "network", .text(.name), \.network, "the card's network, in the gateway's words",
            example: "visa"),
        .optional(
            "agreement", .text(.name), \.agreement,
            "the reference of the first payment or of the agreement at the network"),
    ]
}

extension JSONOutput {
    /// Adds a stored card with its identifier, with which the card can be charged.
    package mutating func storedCard(_ card: StoredCard?) {
        guard let card else { return }
        object("card") { json in
            json.member("gateway", card.gateway)
            json.member("account", card.account)
            json.member("isTest", card.isTest)
            json.member("identifier", card.details.identifier)
            json.member("maskedNumber", card.details.maskedNumber)
            json.member("expiry", card.details.expiry)
            json.member("network", card.details.network)
            json.member("agreement", card.details.agreement)
        }
    }
}
