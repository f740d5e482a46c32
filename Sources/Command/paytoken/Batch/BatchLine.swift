internal import ApplePayGatewayFiles
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// One line of a batch: a token, or with `--envelopes` an envelope that contains one.
struct BatchLine {
    /// The depth of the envelope, 1, plus the greatest depth of the token inside it.
    private static let limits = JSONIndex.Limits(textLength: Batch.lineLimit, depth: 17)

    /// The token's text.
    let token: [UInt8]

    /// The envelope's identifier for the line, as JSON.
    private(set) var id: [UInt8]?

    /// When the token was received, if the envelope states it.
    private(set) var receipt: AgePolicy?

    /// The order, if the envelope states it.
    private(set) var order: Order?

    /// The merchant's reference for the order, if the envelope states it.
    private(set) var reference: String?

    /// Creates a line that consists of a token.
    ///
    /// The token comes from the customer, so its members never control the command.
    init(token: [UInt8]) {
        self.token = token
    }

    /// Reads an envelope: an object with `token` and any of `id`, `at`, `order` and `reference`.
    ///
    /// - Parameter text: The line's text.
    /// - Throws: A refusal if the line is not an envelope, a member is invalid or unknown, or the token is missing.
    init(envelope text: [UInt8]) throws(CommandFailure) {
        let json = try Self.document(text)
        let id = try Self.id(json)
        var token: [UInt8]?
        for (name, value) in json.members(of: json.root) {
            let string = json.string(value)
            switch name {
            case "id": break
            case "token":
                guard value.kind == .object || value.kind == .string else {
                    throw .envelope(
                        id: id, member: "token",
                        "must be the token as an object, or a string with its text")
                }
                token = json.characters(of: value)
            case "at":
                guard let date = string.flatMap(TokenOptions.date) else {
                    throw .envelope(
                        id: id, member: "at", "must be a time such as 2026-03-01T12:00:00Z")
                }
                receipt = .received(at: date)
            case "order":
                do throws(FileError) {
                    order = try OrderFile.order(json.value(value), path: "order")
                } catch {
                    throw .envelope(id: id, member: error.path, error.reason)
                }
            case "reference":
                guard let string else {
                    throw .envelope(id: id, member: "reference", "must be a string")
                }
                reference = string
            default:
                throw .envelope(
                    id: id, member: String(name.prefix(64)),
                    "is unknown: an envelope has token, and may have id, at, order and reference; "
                        + "if the lines are tokens, leave out \(CommandOption.envelopes)")
            }
        }
        if let reference, let stated = order?.reference, !stated.isEmpty, stated != reference {
            throw .envelope(
                id: id, member: "reference", "must be the same as that of the order")
        }
        guard let token else {
            throw .envelope(
                id: id, member: "token",
                "is missing; it must be the token or a string with its text")
        }
        self.token = token
        self.id = id
    }

    /// Reads a line that must be an object.
    private static func document(_ text: [UInt8]) throws(CommandFailure) -> JSONDocument {
        let fault: String
        do {
            let json = try JSONDocument(text, limits: limits)
            if json.root.kind == .object { return json }
            fault = "It is not a JSON object."
        } catch {
            fault = "\(error)"
        }
        throw .envelope("The line is not an envelope. \(fault)")
    }

    /// Reads the envelope's identifier first, so that answers to other faults can repeat it.
    private static func id(_ json: JSONDocument) throws(CommandFailure) -> [UInt8]? {
        guard let id = json.member("id", of: json.root) else { return nil }
        guard id.kind == .string || id.kind == .number else {
            throw .envelope(member: "id", "must be a string or a number")
        }
        return Array(String(decoding: json.raw(id), as: UTF8.self).jsonForTerminals.utf8)
    }
}
