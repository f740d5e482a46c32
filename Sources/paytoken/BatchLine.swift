internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// One line of a batch: a token, or an envelope with a token in it.
struct BatchLine {
    /// An envelope's own object is one deep, and a token inside may have the depth of a token.
    private static let limits = JSONIndex.Limits(textLength: Batch.lineLimit, depth: 17)

    /// The token's text.
    let token: [UInt8]

    /// What the envelope calls the line, as JSON; nil when it says nothing.
    let id: [UInt8]?

    /// When the token was received, where the envelope says so.
    let receipt: AgePolicy?

    /// The order, where the envelope has one.
    let order: Order?

    /// The merchant's name for the order, where the envelope has one.
    let reference: String?

    /// A line that is a token by itself, or what its envelope says.
    private init(
        token: [UInt8],
        id: [UInt8]? = nil,
        receipt: AgePolicy? = nil,
        order: Order? = nil,
        reference: String? = nil
    ) {
        self.token = token
        self.id = id
        self.receipt = receipt
        self.order = order
        self.reference = reference
    }

    /// Reads a line.
    ///
    /// An object with `token` and any of `id`, `at`, `order` and `reference` is an envelope, whose other
    /// members are ignored; anything else is a token.
    ///
    /// - Throws: ``BatchLineError`` for an envelope whose members are not what they must be.
    static func read(_ text: [UInt8]) throws(BatchLineError) -> BatchLine {
        // A token is searched for these members alone; whether it is one is not for here to say.
        guard let index = try? JSONIndex(text.span, limits: limits),
            let token = index.member("token", of: index.root, in: text.span)
        else { return BatchLine(token: text) }
        let id = index.member("id", of: index.root, in: text.span)
        let time = index.member("at", of: index.root, in: text.span)
        let stated = index.member("order", of: index.root, in: text.span)
        let called = index.member("reference", of: index.root, in: text.span)
        guard id != nil || time != nil || stated != nil || called != nil else {
            return BatchLine(token: text)
        }
        let isName = id.map { $0.kind == .string || $0.kind == .number } ?? true
        let name = isName ? id.map { Array(text[$0.range]) } : nil
        guard isName else { throw BatchLineError(id: nil, member: "id") }
        var receipt: AgePolicy?
        if let time {
            guard time.kind == .string,
                let date = TokenOptions.date(index.string(time, in: text.span))
            else { throw BatchLineError(id: name, member: "at") }
            receipt = .received(at: date)
        }
        var order: Order?
        if let stated {
            order = OrderFile.order(stated, of: index, in: text.span)
            guard order != nil else { throw BatchLineError(id: name, member: "order") }
        }
        var reference: String?
        if let called {
            guard called.kind == .string else {
                throw BatchLineError(id: name, member: "reference")
            }
            reference = index.string(called, in: text.span)
        }
        return BatchLine(
            token: characters(of: token, index, text), id: name, receipt: receipt, order: order,
            reference: reference)
    }

    /// An object as it stands in the line, what a string says, or another value as it stands.
    private static func characters(
        of value: JSONValue,
        _ index: JSONIndex,
        _ text: [UInt8]
    ) -> [UInt8] {
        guard value.kind == .string else { return Array(text[value.range]) }
        return [UInt8](capacity: index.unescapedCount(of: value, in: text.span)) { output in
            index.unescape(value, in: text.span, into: &output)
        }
    }
}

/// Which member of an envelope is not what it must be.
struct BatchLineError: Error {
    /// What the envelope calls the line, as JSON, if that much could be read.
    let id: [UInt8]?

    /// The member.
    let member: String
}
