package import ApplePayAcceptance
package import ApplePayPrimitives
internal import ApplePayTransport
package import ApplePayWire
package import FoundationEssentials

/// One JSON value for machines, ended by a line feed, in memory that is wiped.
package struct JSONLine: Sendable {
    /// The value and the line feed.
    package let bytes: SensitiveBytes

    /// Creates an object.
    package init(_ members: (inout JSONOutput) -> Void) {
        var json = JSONOutput()
        json.object(members)
        bytes = json.line()
    }

    /// Creates an array with an object for each element.
    package init<Element>(_ elements: [Element], _ members: (inout JSONOutput, Element) -> Void) {
        var json = JSONOutput()
        json.array(elements) { json, element in json.object { members(&$0, element) } }
        bytes = json.line()
    }

    /// Writes the line to standard output, and returns whether the whole line was written.
    package func write() -> Bool { bytes.withRevealedBytes { StandardStream.output.writeAll($0) } }
}

/// Writes the members of a JSON object for machines; a member whose value is nil is left out.
package struct JSONOutput {
    private var buffer = SecretBuffer()
    private var json = JSONWriter()

    /// Adds a string.
    package mutating func member(_ name: String, _ value: String?) {
        add(name, value) { $0.string($1) }
    }

    /// Adds a string that others wrote.
    package mutating func member(_ name: String, _ value: ExactText?) {
        member(name, value?.description)
    }

    /// Adds an array of strings that others wrote.
    package mutating func member(_ name: String, _ values: [ExactText]?) {
        member(name, values?.map(\.description))
    }

    /// Adds a string that others wrote, or null if there is none.
    package mutating func member(_ name: String, orNull value: ExactText?) {
        member(name, orNull: value?.description)
    }

    /// Adds a string, or null if there is none.
    package mutating func member(_ name: String, orNull value: String?) {
        guard value == nil else { return member(name, value) }
        add(name, ()) { json, _ in json.json.null(into: &json.buffer) }
    }

    /// Adds a whole number.
    package mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
        add(name, value) { $0.json.integer(Int64($1), into: &$0.buffer) }
    }

    /// Adds `true` or `false`.
    package mutating func member(_ name: String, _ value: Bool?) {
        add(name, value) { $0.json.boolean($1, into: &$0.buffer) }
    }

    /// Adds a time in ISO 8601 and UTC, to the second.
    package mutating func member(_ name: String, _ value: Date?) {
        member(name, value?.internetTime)
    }

    /// Adds an array of strings.
    package mutating func member(_ name: String, _ values: [String]?) {
        add(name, values) { $0.array($1) { $0.string($1) } }
    }

    /// Adds a value that is JSON already.
    package mutating func member(_ name: String, json value: [UInt8]?) {
        add(name, value) { $0.json.raw($1.span, into: &$0.buffer) }
    }

    /// Adds Apple's payment data, masked unless `isRevealed`.
    package mutating func paymentData(_ data: PaymentData, isRevealed: Bool = false) {
        add("paymentData", data) {
            PayloadWriter(data: $1, isRevealed: isRevealed).write(to: &$0.json, into: &$0.buffer)
        }
    }

    /// Adds an object.
    package mutating func object(_ name: String, _ members: (inout JSONOutput) -> Void) {
        add(name, ()) { json, _ in json.object(members) }
    }

    /// Adds an array with an object for each element.
    package mutating func objects<Element>(
        _ name: String, _ elements: [Element], _ members: (inout JSONOutput, Element) -> Void
    ) {
        add(name, elements) { json, elements in
            json.array(elements) { json, element in json.object { members(&$0, element) } }
        }
    }

    /// Writes a string, with every character escaped that could control a terminal or reorder the line.
    private mutating func string(_ text: String) {
        guard let escaped = text.escapedForTerminals else {
            return json.string(text, into: &buffer)
        }
        json.raw(escaped.utf8.span, into: &buffer)
    }

    private mutating func add<Value>(
        _ name: String, _ value: Value?, _ write: (inout JSONOutput, Value) -> Void
    ) {
        guard let value else { return }
        json.name(name, into: &buffer)
        write(&self, value)
    }

    fileprivate mutating func object(_ members: (inout JSONOutput) -> Void) {
        json.beginObject(into: &buffer)
        members(&self)
        json.endObject(into: &buffer)
    }

    fileprivate mutating func array<Element>(
        _ elements: [Element], _ write: (inout JSONOutput, Element) -> Void
    ) {
        json.beginArray(into: &buffer)
        for element in elements { write(&self, element) }
        json.endArray(into: &buffer)
    }

    /// Ends the line.
    fileprivate mutating func line() -> SensitiveBytes {
        buffer.append(UInt8(ascii: "\n"))
        return buffer.sensitiveBytes()
    }
}

extension Date {
    /// The time in ISO 8601 and UTC, to the second.
    package var internetTime: String {
        InternetTime.text(self) ?? formatted(Date.ISO8601FormatStyle())
    }
}
