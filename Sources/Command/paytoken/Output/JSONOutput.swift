internal import ApplePayDecryption
internal import ApplePayPrimitives
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object for machines, ended by a line feed, in memory that is wiped.
///
/// A member whose value is nil is left out.
struct JSONOutput {
    private var buffer = SecretBuffer()
    private var json = JSONWriter()

    /// Creates an object.
    init(_ members: (inout JSONOutput) -> Void) {
        json.beginObject(into: &buffer)
        members(&self)
        json.endObject(into: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Adds a string.
    mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        json.string(value, into: &buffer)
    }

    /// Adds a whole number.
    mutating func member(_ name: String, _ value: Int?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        json.integer(Int64(value), into: &buffer)
    }

    /// Adds `true` or `false`.
    mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        json.boolean(value, into: &buffer)
    }

    /// Adds a time in ISO 8601 and UTC, to the second.
    mutating func member(_ name: String, _ value: Date?) {
        member(name, value.map(Answer.time))
    }

    /// Adds an array of strings.
    mutating func member(_ name: String, _ values: [String]?) {
        guard let values else { return }
        json.name(name, into: &buffer)
        json.beginArray(into: &buffer)
        for value in values { json.string(value, into: &buffer) }
        json.endArray(into: &buffer)
    }

    /// Adds an object.
    mutating func object(_ name: String, _ members: (inout JSONOutput) -> Void) {
        json.name(name, into: &buffer)
        json.beginObject(into: &buffer)
        members(&self)
        json.endObject(into: &buffer)
    }

    /// Adds an array with an object for each element.
    mutating func objects<Element>(
        _ name: String,
        _ elements: [Element],
        _ members: (inout JSONOutput, Element) -> Void
    ) {
        json.name(name, into: &buffer)
        json.beginArray(into: &buffer)
        for element in elements {
            json.beginObject(into: &buffer)
            members(&self, element)
            json.endObject(into: &buffer)
        }
        json.endArray(into: &buffer)
    }

    /// Adds the payment data as `decrypt` writes it, masked.
    mutating func paymentData(_ data: PaymentData) {
        json.name("paymentData", into: &buffer)
        PayloadWriter(data, isRevealed: false).write(to: &json, into: &buffer)
    }

    /// Writes the object to standard output, and returns whether all of it was written.
    func write() -> Bool {
        buffer.withSpan { StandardStream.output.writeAll($0) }
    }
}
