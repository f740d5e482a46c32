public import ApplePayPrimitives
public import ApplePayWire

/// A writer of JSON bodies, member by member, whose memory is wiped.
///
/// A member whose value is nil is omitted: gateways treat an absent member as "not given", and some refuse `null` and
/// empty strings.
public struct JSONBody {
    private var buffer = SecretBuffer()
    private var json = JSONWriter()

    /// Returns a body that consists of one object.
    public static func object(_ members: (inout JSONBody) -> Void) -> SensitiveBytes {
        var body = JSONBody()
        body.json.beginObject(into: &body.buffer)
        members(&body)
        body.json.endObject(into: &body.buffer)
        return body.buffer.sensitiveBytes()
    }

    /// Writes a member that is an object.
    public mutating func object(_ name: String, _ members: (inout JSONBody) -> Void) {
        json.name(name, into: &buffer)
        json.beginObject(into: &buffer)
        members(&self)
        json.endObject(into: &buffer)
    }

    /// Writes a member that is an array of objects.
    public mutating func objects<Element>(
        _ name: String, _ elements: [Element], _ members: (inout JSONBody, Element) -> Void
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

    /// Writes a member that is an array of strings.
    public mutating func strings(_ name: String, _ values: [String]) {
        json.name(name, into: &buffer)
        json.beginArray(into: &buffer)
        for value in values { json.string(value, into: &buffer) }
        json.endArray(into: &buffer)
    }

    /// Writes a member that is a string.
    public mutating func string(_ name: String, _ value: String?) {
        string(name, value.map { ExactText($0) })
    }

    /// Writes a member that is a string.
    public mutating func string(_ name: String, _ value: ExactText?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        json.string(value.utf8.span, into: &buffer)
    }

    /// Writes a member that is a secret string, given as UTF-8.
    public mutating func secret(_ name: String, _ value: SensitiveBytes?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        value.withRevealedBytes { json.string($0, into: &buffer) }
    }

    /// Writes a member that is the base64 of some bytes.
    public mutating func base64(_ name: String, _ value: SensitiveBytes) {
        secret(name, value.base64())
    }

    /// Writes a member that is an integer.
    public mutating func integer(_ name: String, _ value: Int64?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        json.integer(value, into: &buffer)
    }

    /// Writes a member that is `true` or `false`.
    public mutating func boolean(_ name: String, _ value: Bool?) {
        guard let value else { return }
        json.name(name, into: &buffer)
        json.boolean(value, into: &buffer)
    }

    /// Writes a member whose value is already JSON text.
    public mutating func raw(_ name: String, _ value: SensitiveBytes) {
        json.name(name, into: &buffer)
        value.withRevealedBytes { json.raw($0, into: &buffer) }
    }
}
