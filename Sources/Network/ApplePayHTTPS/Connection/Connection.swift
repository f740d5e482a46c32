internal import ApplePayPrimitives
internal import ApplePayTransport
internal import Glibc

/// A socket with TLS on top of it, if there is any, for one exchange.
final class Connection {
    private let socket: TCPSocket
    private let cancellation: WakeUp
    private var tls: TLSSession?

    /// Bytes for the socket that it has not taken.
    private var output: SensitiveBytes?
    private var sentCount = 0

    /// Whether the system accepted a byte of the request, or of a TLS record with some of its bytes.
    private var mayHaveReachedServer = false

    /// Whether the output begins with the request, and not with what prepares the connection.
    private var isRequest = false

    /// Whether the socket took all of the request; later output is only TLS's own, such as a key update.
    private var isRequestSent = false

    /// Why TLS ended, such as an alert of the server.
    private var alert: String?

    /// Takes a connected socket.
    init(_ socket: consuming TCPSocket, _ cancellation: WakeUp) {
        self.socket = socket
        self.cancellation = cancellation
    }

    // MARK: Before the request

    /// Asks a proxy for a tunnel (RFC 9110 §9.3.6).
    ///
    /// - Throws: `proxy-refused` with the proxy's status, `timed-out`, `canceled`, `connection-failed`.
    func openTunnel(
        through proxy: HTTPProxy, to address: ServerAddress, _ deadline: Deadline
    ) throws(GatewayTransportError) {
        output = proxy.request(for: address)
        var head = TunnelReader()
        while !head.isComplete {
            switch try step(deadline) {
            case .bytes(let bytes): try head.read(bytes)
            case .nothingYet: break
            case .end, .failed: throw failure(.connectionFailed)
            }
        }
    }

    /// Makes the TLS handshake, and sends its last message.
    ///
    /// - Throws: `tls-failed`, `timed-out`, `canceled`, `connection-failed`.
    func startTLS(_ session: TLSSession, _ deadline: Deadline) throws(GatewayTransportError) {
        while true {
            let isComplete = try handshake(session)
            take(session.takeOutput())
            if isComplete, output == nil { break }
            switch try step(deadline) {
            case .bytes(let bytes):
                guard session.receive(bytes) else { throw failure(.tlsFailed) }
            case .nothingYet: break
            case .end, .failed: throw failure(.connectionFailed)
            }
        }
        tls = session
    }

    /// Goes on with the handshake, and returns whether it is complete; if it fails, the server gets an alert with the reason.
    private func handshake(_ session: TLSSession) throws(GatewayTransportError) -> Bool {
        do {
            return try session.handshake()
        } catch {
            take(session.takeOutput())
            sendOutput()
            throw error
        }
    }

    // MARK: The request and its answer

    /// Sends the request and reads the answer.
    ///
    /// - Parameters:
    ///   - request: Its bytes.
    ///   - beginning: When the first of them must have been sent.
    ///   - whole: When the answer must be complete.
    ///   - longestBody: The maximum length of the answer's body, in bytes.
    /// - Returns: The answer.
    /// - Throws: Any code; its `requestMayHaveReachedGateway` is exact.
    func send(
        _ request: SensitiveBytes, _ beginning: Deadline, _ whole: Deadline, longestBody: Int
    ) throws(GatewayTransportError) -> GatewayResponse {
        guard !beginning.isOver else { throw failure(.timedOut) }
        if let tls {
            guard request.withRevealedBytes({ tls.write($0) }) else { throw failure(.tlsFailed) }
            take(tls.takeOutput())
        } else {
            output = request
        }
        isRequest = true
        var reader = ResponseReader(longestBody: longestBody)
        while true {
            switch try step(mayHaveReachedServer ? whole : beginning) {
            case .bytes(let bytes): read(bytes, &reader)
            case .nothingYet: break
            case .end: reader.readEnd(isCertain: tls == nil)
            case .failed: reader.readEnd(isCertain: false)
            }
            switch reader.state {
            case .complete: return try complete(reader)
            case .refused(.bodyTooLong): throw failure(.answerTooLong)
            case .refused(.cut): throw failure(.connectionFailed, alert)
            case .refused(let fault): throw failure(.unreadableAnswer, fault.rawValue)
            default: break
            }
        }
    }

    /// Gives an answer's bytes to the reader, decrypted if there is TLS.
    private func read(_ bytes: [UInt8], _ reader: inout ResponseReader) {
        guard let tls else { return reader.read(bytes) }
        guard tls.receive(bytes) else { return reader.readEnd(isCertain: false) }
        while true {
            switch tls.read() {
            case .bytes(let bytes): reader.read(bytes)
            case .nothingYet: return take(tls.takeOutput())
            case .end: return reader.readEnd(isCertain: true)
            case .failed(let reason):
                alert = reason
                return reader.readEnd(isCertain: false)
            }
        }
    }

    /// Returns a complete answer.
    ///
    /// One that came before the request was sent as a whole can only be a refusal.
    private func complete(_ reader: ResponseReader) throws(GatewayTransportError) -> GatewayResponse
    {
        guard let response = reader.response, isRequestSent || response.status >= 400 else {
            throw failure(.unreadableAnswer, "came before the request was sent")
        }
        return response
    }

    // MARK: The socket

    /// Waits until the socket can send or has bytes, and does both.
    private func step(_ deadline: Deadline) throws(GatewayTransportError) -> TCPSocket.Reading {
        let events = Int16(POLLIN) | (output == nil ? 0 : Int16(POLLOUT))
        switch Poll.wait([(socket.descriptor, events)], cancellation, deadline) {
        case .canceled: throw failure(.canceled)
        case .timedOut: throw failure(.timedOut)
        case .ready: break
        }
        sendOutput()
        return socket.receive()
    }

    /// Sends as much output as the socket takes.
    private func sendOutput() {
        guard let output else { return }
        let count = output.withRevealedBytes {
            socket.send($0.extracting(droppingFirst: sentCount))
        }
        if isRequest, count > 0 { mayHaveReachedServer = true }
        sentCount += count
        guard sentCount == output.count else { return }
        isRequestSent = isRequest
        self.output = nil
        sentCount = 0
    }

    /// Appends bytes of TLS to the output.
    private func take(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var text = SecretBuffer()
        output?.withRevealedBytes { text.append($0.extracting(droppingFirst: sentCount)) }
        text.append(bytes.span)
        output = text.sensitiveBytes()
        sentCount = 0
    }

    private func failure(_ code: GatewayTransportError.Code, _ detail: String? = nil)
        -> GatewayTransportError
    {
        GatewayTransportError(
            code, requestMayHaveReachedGateway: mayHaveReachedServer, detail: detail)
    }
}
