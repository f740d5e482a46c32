/// An event on a connection.
package enum RequestEvent: Sendable, Equatable {
    /// The head of a request with a body, which is read if the owner calls ``RequestReader/next()`` again.
    case head(ServiceHead)

    /// A whole request.
    case request(ServiceRequest)
}

/// Reads one request after another from the bytes of a connection (RFC 9112).
///
/// The same bytes cause the same events, in whatever parts they arrive. A request is not looked at before the owner
/// calls ``next()`` for it, so a client that sends several at once waits for each answer. To limit memory to one head or
/// one body and one part, append only after ``next()`` returned nil.
package struct RequestReader: Sendable {
    /// The maximum length of a head with its last line, in bytes.
    package static let longestHead = 8 << 10

    private let bodyLimit: @Sendable (ServiceHead) -> Int
    private var buffer: [UInt8] = []
    /// The end of the last line of the head that was read.
    private var lineStart = 0
    /// The position before which no other line ends.
    private var scanned = 0
    private var lines = HeadLines()
    /// The head of the request whose body is read.
    private var head: ServiceHead?
    private var end: RequestFault?

    /// Creates a reader for one connection.
    ///
    /// - Parameter bodyLimit: Returns the maximum length of a request's body, in bytes; at most 9,999,999.
    package init(bodyLimit: @escaping @Sendable (ServiceHead) -> Int) {
        self.bodyLimit = bodyLimit
    }

    /// Whether no byte of another request has arrived, so that the connection can be closed without loss.
    package var isBetweenRequests: Bool { buffer.isEmpty && head == nil }

    /// Whether a head is complete, and its body is not.
    package var isReadingBody: Bool { head != nil }

    /// Why the next request is refused if no more of it arrives in time; nil if no byte of it has arrived.
    package var timeout: RequestFault? {
        guard let head else { return buffer.isEmpty ? nil : .incompleteHead }
        return .incompleteBody(buffer.count, of: head.contentLength)
    }

    /// Appends bytes that arrived; ``next()`` reads them.
    package mutating func append(_ bytes: [UInt8]) {
        guard end == nil else { return }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next event; nil if more bytes are needed.
    ///
    /// - Throws: Why the next request is refused. If the fault closes the connection, every further call throws it again.
    package mutating func next() throws(RequestFault) -> RequestEvent? {
        if let end { throw end }
        do throws(RequestFault) {
            return try nextEvent()
        } catch {
            if error.closes {
                end = error
                buffer = []
            } else {
                dropHead()
            }
            throw error
        }
    }

    private mutating func nextEvent() throws(RequestFault) -> RequestEvent? {
        if head == nil {
            head = try readHead()
            if let head, head.contentLength > 0 { return .head(head) }
        }
        guard let head else { return nil }
        guard buffer.count >= head.contentLength else {
            buffer.reserveCapacity(head.contentLength)
            return nil
        }
        // The body keeps the buffer's memory, so an idle connection does not.
        let rest = Array(buffer[head.contentLength...])
        buffer.removeLast(rest.count)
        let body = buffer
        (buffer, self.head) = (rest, nil)
        return .request(ServiceRequest(head: head, body: body))
    }

    /// Reads the lines that have arrived; the head is removed from the buffer when it is complete.
    private mutating func readHead() throws(RequestFault) -> ServiceHead? {
        while let lineFeed = buffer[scanned...].firstIndex(of: 0x0A), lineFeed < Self.longestHead {
            let line = buffer[lineStart..<lineFeed]
            lineStart = lineFeed + 1
            scanned = lineStart
            guard let head = try lines.read(line, bodyLimit: bodyLimit) else { continue }
            dropHead()
            return head
        }
        guard buffer.count < Self.longestHead else { throw .headTooLong }
        scanned = buffer.count
        return nil
    }

    private mutating func dropHead() {
        buffer.removeFirst(lineStart)
        (lines, lineStart, scanned) = (HeadLines(), 0, 0)
    }
}
