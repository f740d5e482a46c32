internal import ApplePayGatewayFiles
internal import ApplePayGateways
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
    /// - Throws: ``BatchLineError`` if the line is not an envelope, a member is invalid or unknown, or the token is
    ///   missing.
    init(envelope text: [UInt8]) throws(BatchLineError) {
        let json = try Self.index(text)
        let id = try Self.id(json, text)
        var token: [UInt8]?
        for member in json.members(of: json.root) {
            let value = member.value
            let string = value.kind == .string ? json.string(value, in: text.span) : nil
            switch json.string(member.name, in: text.span) {
            case "id": break
            case "token":
                guard value.kind == .object || value.kind == .string else {
                    throw BatchLineError(
                        id: id, member: "token",
                        "must be the token as an object, or a string with its text")
                }
                token = Self.characters(of: value, text)
            case "at":
                guard let date = string.flatMap(TokenOptions.date) else {
                    throw BatchLineError(
                        id: id, member: "at", "must be a time such as 2026-03-01T12:00:00Z")
                }
                receipt = .received(at: date)
            case "order":
                do throws(MemberFault) {
                    order = try OrderFile.order(AnswerValue(text, json, value), path: "order")
                } catch {
                    throw BatchLineError(id: id, member: error.name, error.fault)
                }
            case "reference":
                guard let string else {
                    throw BatchLineError(id: id, member: "reference", "must be a string")
                }
                reference = string
            case let name:
                throw BatchLineError(
                    id: id, member: String(name.prefix(64)),
                    "is unknown: an envelope has token, and may have id, at, order and reference; "
                        + "if the lines are tokens, leave out \(CommandOption.envelopes)")
            }
        }
        if let reference, let stated = order?.reference, !stated.isEmpty, stated != reference {
            throw BatchLineError(
                id: id, member: "reference", "must be the same as that of the order")
        }
        guard let token else {
            throw BatchLineError(
                id: id, member: "token",
                "is missing; it must be the token or a string with its text")
        }
        self.token = token
        self.id = id
    }

    /// Indexes the members of a line that must be an object.
    private static func index(_ text: [UInt8]) throws(BatchLineError) -> JSONIndex {
        let fault: String
        do {
            let json = try JSONIndex(text.span, limits: limits)
            if json.root.kind == .object { return json }
            fault = "It is not a JSON object."
        } catch {
            fault = "\(error)"
        }
        throw BatchLineError(id: nil, message: "The line is not an envelope. \(fault)")
    }

    /// Reads the envelope's identifier first, so that answers to other faults can repeat it.
    private static func id(
        _ json: JSONIndex,
        _ text: [UInt8]
    ) throws(BatchLineError) -> [UInt8]? {
        guard let id = json.member("id", of: json.root, in: text.span) else { return nil }
        guard id.kind == .string || id.kind == .number else {
            throw BatchLineError(id: nil, member: "id", "must be a string or a number")
        }
        return Array(text[id.range])
    }

    /// Returns an object as it is written in the line, or the characters of a string.
    private static func characters(of value: JSONValue, _ text: [UInt8]) -> [UInt8] {
        guard value.kind == .string else { return Array(text[value.range]) }
        return JSONIndex.characters(of: value, in: text.span)
    }
}

/// Why a line is not a valid envelope.
struct BatchLineError: Error {
    /// The envelope's identifier for the line, as JSON, if it could be read.
    let id: [UInt8]?

    /// A sentence that names the member at fault.
    let message: String

    init(id: [UInt8]?, message: String) {
        self.id = id
        self.message = message
    }

    /// Creates the error for an invalid member; `fault` follows the member's name in the sentence.
    init(id: [UInt8]?, member: String, _ fault: String) {
        self.init(id: id, message: "The envelope's \(member) \(fault).")
    }
}
