internal import ApplePayPrimitives
internal import ApplePayWire

/// What a gateway answered, as the caller's client received it.
///
/// Members that are not known are ignored: gateways add some without notice.
public struct GatewayResponse: Sendable {
    /// The HTTP status code.
    public let status: Int

    /// The body's bytes, undone of any content coding.
    private let body: [UInt8]

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code.
    ///   - body: The body; at most 1 MiB is read.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// The body's object.
    ///
    /// - Throws: ``UnreadableJSONError`` with code `not-json`, then `wrong-type`.
    func object() throws(UnreadableJSONError) -> ResponseValue {
        let root: ResponseValue
        do throws(JSONError) {
            root = try ResponseValue(body)
        } catch {
            throw UnreadableJSONError(.notJSON, field: "")
        }
        guard root.isObject else { throw UnreadableJSONError(.wrongType, field: "") }
        return root
    }
}

extension GatewayResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the length of the body, which may hold an account number.
    public var description: String { "GatewayResponse(\(status), \(body.count) bytes)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension GatewayResponse {
    /// Whether the HTTP status is one of success (RFC 9110 §15.3).
    var isAccepted: Bool { (200..<300).contains(status) }
}
