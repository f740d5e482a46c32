internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayPrograms

/// What goes between the process with the keys and the one that sends: a request in one direction, its result in the other.
///
/// The first number of a request is its kind: 0 for one to a gateway, 1 for a merchant session of Apple's.
///
/// A frame is its length in 4 bytes, the most significant first, and its contents. A text or a body is its length in 8 bytes
/// and its bytes, a number 8 bytes. Nothing is done before a frame is complete.
enum GatewayFrame {
    /// The greatest length of the contents in bytes: a body of 1 MiB, and as much for everything else.
    static let limit = 2 << 20

    /// The greatest number of headers, or of parameters of a query.
    private static let headerLimit = 256

    /// The contents cannot be read.
    struct Fault: Error {}

    /// Sends contents.
    ///
    /// - Throws: The failure of the connection. The system did not accept the last byte then, so the receiver cannot get the
    ///   contents as a whole.
    static func send(
        _ contents: SensitiveBytes, to socket: UnixSocket, by deadline: ContinuousClock.Instant
    ) throws(UnixSocket.Failure) {
        let count = UInt32(clamping: contents.count)
        let head = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) }
        try socket.send(head.span, by: deadline)
        try contents.withRevealedBytes { bytes throws(UnixSocket.Failure) in
            try socket.send(bytes, by: deadline)
        }
    }

    /// Receives contents; nil if their stated length is over the limit.
    ///
    /// - Throws: The failure of the connection.
    static func receive(
        from socket: UnixSocket, by deadline: ContinuousClock.Instant
    ) throws(UnixSocket.Failure) -> SensitiveBytes? {
        let head = try SecretBytes(count: 4) { bytes throws(UnixSocket.Failure) in
            try socket.fill(&bytes, by: deadline)
        }
        let count = head.array().reduce(0) { $0 << 8 | Int($1) }
        guard count <= limit else { return nil }
        return SensitiveBytes(
            try SecretBytes(count: count) { bytes throws(UnixSocket.Failure) in
                try socket.fill(&bytes, by: deadline)
            })
    }
}

/// What the process that sends is asked for.
enum SenderRequest: Sendable {
    case exchange(GatewayRequest)
    case session(SessionRequest)
}

/// A merchant session that Apple is asked for.
struct SessionRequest: Sendable, Equatable {
    /// The page's domain; empty for Messages for Business.
    var domain = ""
    /// The payment gateway's address, for Messages for Business; empty for a page.
    var paymentGateway = ""
    /// The shop's name.
    let displayName: String
}

extension GatewayFrame {
    /// Returns the contents of a request for a merchant session.
    static func contents(of request: SessionRequest) -> SensitiveBytes {
        var writer = FrameWriter()
        writer.number(1)
        writer.text(request.domain)
        writer.text(request.paymentGateway)
        writer.text(request.displayName)
        return writer.buffer.sensitiveBytes()
    }

    static func contents(of request: GatewayRequest) -> SensitiveBytes {
        var writer = FrameWriter()
        writer.number(0)
        writer.text(request.method)
        writer.text(request.origin)
        writer.text(request.path)
        writer.number(Int64(request.query.count))
        for parameter in request.query {
            writer.text(parameter.name)
            writer.text(parameter.value)
        }
        writer.number(Int64(request.headers.count))
        for header in request.headers {
            writer.text(header.name)
            header.withRevealedValue { writer.bytes($0) }
        }
        writer.number(request.body == nil ? 0 : 1)
        request.body?.withRevealedBytes { writer.bytes($0) }
        writer.number(request.latestStart.map(BootTime.nanoseconds) ?? .max)
        return writer.buffer.sensitiveBytes()
    }

    static func request(_ contents: SensitiveBytes) throws(Fault) -> SenderRequest {
        var reader = FrameReader(contents)
        guard try reader.count(1) == 0 else {
            let request = SessionRequest(
                domain: try reader.text(), paymentGateway: try reader.text(),
                displayName: try reader.text())
            try reader.end()
            return .session(request)
        }
        let (method, origin, path) = (
            try reader.text(), try reader.text(), try reader.text()
        )
        var query: [(name: String, value: String)] = []
        for _ in 0..<(try reader.count(headerLimit)) {
            query.append((try reader.text(), try reader.text()))
        }
        var headers: [GatewayHeader] = []
        for _ in 0..<(try reader.count(headerLimit)) {
            // This process logs nothing, and need not know which values are secret.
            headers.append(GatewayHeader(secret: try reader.text(), try reader.bytes()))
        }
        let body = try reader.count(1) == 1 ? try reader.bytes() : nil
        let latestStart = try reader.number()
        try reader.end()
        var request = GatewayRequest(
            method: method, origin, path, query: query, headers: headers, body: body)
        if latestStart != .max { request.latestStart = BootTime.instant(at: latestStart) }
        return .exchange(request)
    }

    /// Returns the contents of a request's result.
    static func contents(
        of result: Result<GatewayResponse, GatewayTransportError>
    ) -> SensitiveBytes {
        var writer = FrameWriter()
        switch result {
        case .success(let response):
            writer.number(Int64(response.status))
            writer.number(Int64(response.headers.count))
            for header in response.headers {
                writer.text(header.name)
                writer.text(header.value)
            }
            writer.bytes(response.bytes.span)
        case .failure(let error):
            writer.number(0)
            writer.text(error.code.rawValue)
            writer.number(error.requestMayHaveReachedGateway ? 1 : 0)
            writer.text(error.detail ?? "")
        }
        return writer.buffer.sensitiveBytes()
    }

    static func result(
        _ contents: SensitiveBytes
    ) throws(Fault) -> Result<GatewayResponse, GatewayTransportError> {
        var reader = FrameReader(contents)
        let status = try reader.count(999)
        if status == 0 {
            guard let code = GatewayTransportError.Code(ExactText(try reader.text())) else {
                throw Fault()
            }
            let mayHaveReached = try reader.count(1) == 1
            let detail = try reader.text()
            try reader.end()
            return .failure(
                GatewayTransportError(
                    code, requestMayHaveReachedGateway: mayHaveReached,
                    detail: detail.isEmpty ? nil : detail))
        }
        guard status >= 100 else { throw Fault() }
        var headers: [(name: String, value: String)] = []
        for _ in 0..<(try reader.count(4 * headerLimit)) {
            headers.append((try reader.text(), try reader.text()))
        }
        let body = try reader.bytes().withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
        try reader.end()
        return .success(GatewayResponse(status: status, headers: headers, body: body))
    }
}

/// Writes the contents of a frame.
private struct FrameWriter {
    private(set) var buffer = SecretBuffer()

    mutating func number(_ number: Int64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            buffer.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
    }

    mutating func bytes(_ bytes: Span<UInt8>) {
        number(Int64(bytes.count))
        buffer.append(bytes)
    }

    mutating func text(_ text: String) { bytes(Array(text.utf8).span) }
}

/// Reads the contents of a frame, which the other process may have made up.
private struct FrameReader {
    private let contents: SensitiveBytes
    private var position = 0

    init(_ contents: SensitiveBytes) { self.contents = contents }

    mutating func number() throws(GatewayFrame.Fault) -> Int64 {
        try part(8).withRevealedBytes { bytes in
            bytes.indices.reduce(0) { $0 << 8 | Int64(bytes[$1]) }
        }
    }

    /// Reads a number of 0 to `limit`.
    mutating func count(_ limit: Int) throws(GatewayFrame.Fault) -> Int {
        guard let number = Int(exactly: try number()), (0...limit).contains(number) else {
            throw GatewayFrame.Fault()
        }
        return number
    }

    mutating func bytes() throws(GatewayFrame.Fault) -> SensitiveBytes {
        try part(try count(GatewayFrame.limit))
    }

    mutating func text() throws(GatewayFrame.Fault) -> String {
        let bytes = try bytes().withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw GatewayFrame.Fault()
        }
        return text
    }

    func end() throws(GatewayFrame.Fault) {
        guard position == contents.count else { throw GatewayFrame.Fault() }
    }

    private mutating func part(_ count: Int) throws(GatewayFrame.Fault) -> SensitiveBytes {
        guard count <= contents.count - position,
            let part = contents.slice(position..<position + count)
        else { throw GatewayFrame.Fault() }
        position += count
        return part
    }
}
