package import ApplePayTransport
internal import ApplePayWire

/// Reads an answer strictly while its bytes arrive (RFC 9112).
///
/// An answer whose end is not certain is never complete, because a cut body could look like another answer.
package struct ResponseReader {
    /// Why bytes are not an answer.
    package enum Fault: String, CaseIterable {
        case notHTTP = "does not begin with an HTTP/1 status line"
        case malformedField = "has a malformed header field"
        case headTooLong = "has a head of more than 32 KiB or 100 fields"
        case tooManyInterimAnswers = "is preceded by more than 8 interim answers"
        case switchesProtocols = "switches to another protocol"
        case contradictoryLength = "states its length twice or in a form that is not permitted"
        case encoded = "has an encoded body, although the request accepts none (Content-Encoding)"
        case malformedChunk = "has a malformed chunk"
        case bodyTooLong = "has a body that is longer than the limit"
        case cut = "ended before it was complete"
    }

    /// How much of the answer has been read.
    package enum State: Equatable {
        case statusLine
        case fields
        case body(remaining: Int)
        case bodyUntilEnd
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case complete
        case refused(Fault)
    }

    /// The maximum length of status lines, fields and trailers together, in bytes.
    private static let longestHead = 32 << 10

    /// The maximum length of a chunk's size with its extensions, in bytes.
    private static let longestChunkLine = 256

    private static let mostFields = 100
    private static let mostInterimAnswers = 8

    private let longestBody: Int
    private let opensTunnel: Bool
    package private(set) var state = State.statusLine
    private var line: [UInt8] = []
    private var headCount = 0
    private var interimCount = 0
    private var permitsChunks = false
    private(set) var status = 0
    private var fields: [(name: String, value: String)] = []
    private var body: [UInt8] = []

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - longestBody: The maximum length of the body, in bytes.
    ///   - opensTunnel: Whether it is the answer to CONNECT, of which only the head is read: a success has no body (RFC 9112
    ///     §6.3), and a refusal's body is not needed.
    package init(longestBody: Int, opensTunnel: Bool = false) {
        self.longestBody = longestBody
        self.opensTunnel = opensTunnel
    }

    /// Whether the answer is complete or refused, so that no further byte is read.
    package var isOver: Bool {
        switch state {
        case .complete, .refused: true
        default: false
        }
    }

    /// The answer; nil unless it is complete.
    package var response: GatewayResponse? {
        guard state == .complete else { return nil }
        return GatewayResponse(status: status, headers: fields, body: body)
    }

    /// Reads the next bytes.
    ///
    /// Those after the answer's end are ignored: no other request was sent.
    package mutating func read(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .complete, .refused: return
            case .body(let remaining):
                let part = rest.prefix(remaining)
                body += part
                state =
                    part.count == remaining ? .complete : .body(remaining: remaining - part.count)
                rest = rest.dropFirst(part.count)
            case .chunk(let remaining):
                let part = rest.prefix(remaining)
                body += part
                state =
                    part.count == remaining ? .chunkEnd : .chunk(remaining: remaining - part.count)
                rest = rest.dropFirst(part.count)
            case .bodyUntilEnd:
                if rest.count > longestBody - body.count { return refuse(.bodyTooLong) }
                body += rest
                return
            case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
                readByte(rest.removeFirst())
            }
        }
    }

    /// Reads the end of the connection.
    ///
    /// - Parameter isCertain: Whether the server itself ended it, as TLS proves with `close_notify`.
    package mutating func readEnd(isCertain: Bool) {
        switch state {
        case .complete, .refused: break
        case .bodyUntilEnd where isCertain: state = .complete
        default: refuse(.cut)
        }
    }

    private mutating func refuse(_ fault: Fault) {
        state = .refused(fault)
        body = []
        line = []
    }

    /// Appends a byte to the current line, and reads the line if it is complete.
    private mutating func readByte(_ byte: UInt8) {
        let isChunk = state == .chunkSize || state == .chunkEnd
        if isChunk {
            guard line.count < Self.longestChunkLine else { return refuse(.malformedChunk) }
        } else {
            headCount += 1
            // A text that is not HTTP is recognized by its first bytes, before it fills the head.
            if state == .statusLine, line.count < 7, byte != Array("HTTP/1.".utf8)[line.count] {
                return refuse(.notHTTP)
            }
            guard headCount <= Self.longestHead else { return refuse(.headTooLong) }
        }
        line.append(byte)
        guard byte == UInt8(ascii: "\n") else { return }
        let text = line.dropLast(2)
        // A line feed without a carriage return, or a carriage return elsewhere, is read differently by different programs.
        guard line.dropLast().last == UInt8(ascii: "\r"), text.allSatisfy(\.isPermittedInField)
        else {
            return refuse(lineFault)
        }
        line = []
        readLine(text)
    }

    private var lineFault: Fault {
        switch state {
        case .statusLine: .notHTTP
        case .chunkSize, .chunkEnd: .malformedChunk
        default: .malformedField
        }
    }

    private mutating func readLine(_ text: ArraySlice<UInt8>) {
        switch state {
        case .statusLine: readStatus(text)
        case .fields where text.isEmpty: readHeadEnd()
        case .trailers where text.isEmpty: state = .complete
        case .fields, .trailers: readField(text)
        case .chunkEnd where text.isEmpty: state = .chunkSize
        case .chunkSize: readChunkSize(text)
        default: refuse(.malformedChunk)
        }
    }

    /// Reads `HTTP/1.1 200 OK` (RFC 9112 §4); the reason may be missing, with its blank.
    private mutating func readStatus(_ text: ArraySlice<UInt8>) {
        let parts = text.split(
            separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        let version = parts[0].last
        guard parts.count >= 2, parts[0].count == 8,
            version == UInt8(ascii: "0") || version == UInt8(ascii: "1"),
            parts[1].count == 3, let code = parts[1].decimal, (100..<600).contains(code)
        else { return refuse(.notHTTP) }
        permitsChunks = version == UInt8(ascii: "1")
        status = code
        state = .fields
    }

    /// Reads a field of the head; those after a chunked body are checked and not used.
    private mutating func readField(_ text: ArraySlice<UInt8>) {
        let name = text.prefix { $0 != UInt8(ascii: ":") }
        // A name that begins with a blank would continue the line before (obs-fold, RFC 9112 §5.2).
        guard !name.isEmpty, name.count < text.count, name.allSatisfy(\.isTokenCharacter) else {
            return refuse(.malformedField)
        }
        guard fields.count < Self.mostFields else { return refuse(.headTooLong) }
        guard state == .fields else { return }
        let value = text.dropFirst(name.count + 1).trimmingBlanks()
        fields.append(
            (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }

    /// Finds the length of the body (RFC 9112 §6.3).
    private mutating func readHeadEnd() {
        guard status >= 200 else { return readInterimEnd() }
        guard status != 204, status != 304, !opensTunnel else {
            state = .complete
            return
        }
        guard values("content-encoding").allSatisfy({ $0.elementsEqual("identity".utf8) }) else {
            return refuse(.encoded)
        }
        let lengths = values("content-length")
        let codings = values("transfer-encoding")
        if codings == [Array("chunked".utf8)], lengths.isEmpty, permitsChunks {
            state = .chunkSize
        } else if codings.isEmpty, lengths.isEmpty {
            state = .bodyUntilEnd
        } else if codings.isEmpty, lengths.count == 1,
            let length = lengths[0][...].decimal
        {
            guard length <= longestBody else { return refuse(.bodyTooLong) }
            state = length == 0 ? .complete : .body(remaining: length)
        } else {
            refuse(.contradictoryLength)
        }
    }

    /// Drops an interim answer such as `100 Continue`, and expects the next one (RFC 9110 §15.2).
    private mutating func readInterimEnd() {
        guard status != 101 else { return refuse(.switchesProtocols) }
        interimCount += 1
        guard interimCount <= Self.mostInterimAnswers else { return refuse(.tooManyInterimAnswers) }
        fields = []
        state = .statusLine
    }

    /// Returns the values of a field, in lower case as far as they are ASCII.
    private func values(_ name: String) -> [[UInt8]] {
        fields.filter { $0.name.utf8.map(\.asciiLowercased).elementsEqual(name.utf8) }
            .map { $0.value.utf8.map(\.asciiLowercased) }
    }

    /// Reads a chunk's size; extensions are ignored (RFC 9112 §7.1).
    private mutating func readChunkSize(_ text: ArraySlice<UInt8>) {
        let digits = text.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks()
        let values = digits.compactMap(Hexadecimal.value(of:))
        guard (1...8).contains(digits.count), values.count == digits.count else {
            return refuse(.malformedChunk)
        }
        let size = values.reduce(0) { $0 << 4 | Int($1) }
        guard size <= longestBody - body.count else { return refuse(.bodyTooLong) }
        state = size == 0 ? .trailers : .chunk(remaining: size)
    }
}

extension ArraySlice<UInt8> {
    /// The number that decimal digits state; nil for another text, such as one with a sign.
    fileprivate var decimal: Int? { DecimalDigits.integer(span).map { Int($0) } }
}
