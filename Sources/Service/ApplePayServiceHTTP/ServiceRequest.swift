/// A request of a client of the service, as it was received.
///
/// It has the field `Paytoken-Request: true`, and with POST `Content-Type: application/json`; whether the body is JSON
/// was not checked.
package struct ServiceRequest: Sendable, Equatable {
    /// The request line and the fields.
    package let head: ServiceHead

    /// The body, with the length that the head states; empty if it states none.
    package let body: [UInt8]

    package var method: ServiceHead.Method? { head.method }

    /// The path as it was received, percent-encoded, without the query.
    package var path: String { head.path }

    /// The decoded segments of the path.
    package var segments: [String] { head.segments }

    /// The values of the query, by their names.
    package var query: [String: String] { head.query }

    /// Whether the connection must be closed after the answer.
    package var closes: Bool { head.closes }

    /// Returns the value of the field with a name in lower case, without surrounding blanks; nil without such a field.
    package func field(_ name: String) -> String? { head.field(name) }
}

extension ServiceRequest: CustomStringConvertible, CustomReflectable {
    /// The method, the path and the length of the body, which may contain a token.
    package var description: String {
        "ServiceRequest(\(method?.rawValue ?? "another method") \(path), \(body.count) bytes)"
    }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The head of a request: its request line and its fields.
package struct ServiceHead: Sendable, Equatable {
    /// The methods that the service accepts.
    package enum Method: String, Sendable, CaseIterable {
        /// Reads.
        case get = "GET"

        /// Changes something, or has a body.
        case post = "POST"
    }

    /// The method; nil for another one, which no path has.
    package let method: Method?

    /// The path as it was received, percent-encoded, beginning with a slash, without the query; printable ASCII.
    package let path: String

    /// The decoded segments of the path: none is empty, `.` or `..`, and none contains NUL.
    ///
    /// A segment contains a slash if the path has `%2F`.
    package let segments: [String]

    /// The values of the query, by their names; letters, digits and `-._~`.
    package let query: [String: String]

    /// Whether the connection must be closed after the answer: the client asks for it, or uses HTTP/1.0 or another method.
    package let closes: Bool

    /// The length of the body, in bytes.
    package let contentLength: Int

    /// Whether the client waits for `100 Continue` (``ServiceAnswer/continueHead``) before it sends the body.
    package let expectsContinue: Bool

    /// The values of the fields, without surrounding blanks, by their names in lower case.
    package let fields: [String: String]

    /// Returns the value of the field with a name in lower case, without surrounding blanks; nil without such a field.
    package func field(_ name: String) -> String? { fields[name] }
}
