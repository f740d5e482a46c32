/// Why a request was refused.
///
/// Contains no byte of the request.
package struct RequestFault: Error, Hashable, Sendable {
    /// The status of the answer.
    package let status: Int

    /// What is wrong, and what to send instead: one sentence for the client's developer, in ASCII.
    package let reason: String

    /// Whether the connection must be closed after the answer, because the end of the request was not read.
    ///
    /// The client may still be sending. On a Unix socket its next write fails once the connection is closed, and it may
    /// never read the answer: end the own side with `shutdown`, and read and drop for a short time before closing.
    package let closes: Bool

    init(_ status: Int, _ reason: String, closes: Bool = true) {
        self.status = status
        self.reason = reason
        self.closes = closes
    }

    /// One fault of each status, except 400 and 403, which other checks have, too.
    package static let others = [
        incompleteBody(3765, of: 5000), noLength, bodyTooLong(256 << 10), notJSON,
        unknownExpectation, headTooLong,
        unsupportedVersion,
    ]

    /// Returns the same fault, after which the connection is closed or not.
    func closing(_ closes: Bool) -> RequestFault { RequestFault(status, reason, closes: closes) }
}

/// The faults, in the order of the checks.
extension RequestFault {
    static let headTooLong = RequestFault(
        431,
        "The head has more than 8192 bytes: leave out fields that the service does not need, such as cookies."
    )
    static let malformedLine = RequestFault(
        400,
        "A line of the head does not end with CR LF, or contains another control character: end each line with CR LF, and "
            + "send no other.")
    static let malformedRequestLine = RequestFault(
        400, "The request does not begin with a line such as: GET /v1/payments/1001 HTTP/1.1")
    static let unsupportedVersion = RequestFault(
        505, "The service supports HTTP/1.1: end the first line with HTTP/1.1")
    static let notOriginForm = RequestFault(
        400, "The target is not a path: send /v1/pay, for example, without scheme and host.")
    static let malformedQuery = RequestFault(
        400,
        "The path has a fragment, or its query is malformed: send different names with values, such as ?after=0, with "
            + "letters, digits and -._~ only.")
    static let slashAtEnd = RequestFault(
        400, "The path ends with a slash: leave it out, as in /v1/pay.")
    static let malformedPath = RequestFault(
        400,
        "The path has an empty segment, a segment . or .., or a character that must be encoded: send, for example, "
            + "/v1/payments/a%2Fb for the reference a/b.")
    static let malformedEncoding = RequestFault(
        400,
        "The path has a percent-encoding that is not two upper-case hexadecimal digits, encodes a letter, "
            + "a digit, NUL or one of -._~, or is not UTF-8: encode only other characters, such as %2F for a slash."
    )
    static let tooManyFields = RequestFault(
        431, "The head has more than 32 fields: leave out those that the service does not need.")
    static let foldedField = RequestFault(
        400, "A line of the head begins with a blank: write each field in one line.")
    static let malformedField = RequestFault(
        400,
        "A field has no colon, a character in its name that is not permitted, or is not ASCII: send, for example, "
            + "Host: localhost.")
    static let duplicateField = RequestFault(
        400, "A field occurs twice: send each field once.")
    static let hasTransferEncoding = RequestFault(
        411, "The request has Transfer-Encoding: send Content-Length, and the body in one piece.")
    static let noHost = RequestFault(
        400, "The field Host is missing: send, for example, Host: localhost.")
    static let malformedHost = RequestFault(
        400, "The field Host is not a host: send, for example, Host: localhost.")
    static let noLength = RequestFault(
        411,
        "The field Content-Length is missing: send the number of bytes in the body, such as Content-Length: 120."
    )
    static let malformedLength = RequestFault(
        400,
        "The field Content-Length is not a number, or begins with a zero: send the number of bytes in the body, such as "
            + "Content-Length: 120.")
    static func bodyTooLong(_ limit: Int) -> RequestFault {
        RequestFault(
            413,
            "The body has more than \(limit) bytes, the limit of this path: send one request in it, and nothing else."
        )
    }
    static let incompleteHead = RequestFault(
        408, "The head did not end in time: send all of it at once, with an empty line as its end.")
    static func incompleteBody(_ received: Int, of length: Int) -> RequestFault {
        RequestFault(
            408,
            "The body has \(received) of the \(length) bytes that Content-Length announces: send all of it, and count bytes, "
                + "not characters.")
    }
    static let bodyOfGet = RequestFault(
        400, "A request with GET must not have a body: leave it out, and Content-Length.")
    static let unknownExpectation = RequestFault(
        417, "The field Expect is not 100-continue: leave it out.")
    static let notForService = RequestFault(
        403, "Every request needs the header Paytoken-Request: true.")
    static let encodedContent = RequestFault(
        415, "The body has a Content-Encoding: send it as it is, without this field.")
    static let notJSON = RequestFault(
        415,
        "The body must be JSON, not a form or another type: send it with the header Content-Type: application/json, "
            + "with at most charset=utf-8.")
}
