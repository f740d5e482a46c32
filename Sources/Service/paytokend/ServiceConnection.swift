internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayServiceHTTP

/// One client's connection: reads a request, answers it, and reads the next one.
struct ServiceConnection: Sendable {
    /// The time limits: between requests, for a head, for a whole request, and for an answer.
    private enum Limits {
        static let idle = Duration.seconds(75)
        static let head = Duration.seconds(5)
        static let request = Duration.seconds(30)
        static let answer = Duration.seconds(30)
        static let rest = Duration.seconds(1)
    }

    /// The greatest bodies: 256 KiB, as for tokens, and 1 MiB with a gateway's message, in base64.
    private static let (bodyLimit, messageLimit) = (256 << 10, 1 << 20)

    /// Why a request is not handled.
    private struct Refusal: Error {
        let reply: ServiceReply
        /// Whether the connection ends after the answer.
        let closes: Bool
    }

    /// How long a client that has just connected may take to begin its request when the service ends.
    static let grace = Duration.seconds(1)

    let socket: UnixSocket
    let peer: UnixSocket.Peer
    let place: Int
    let places: ServicePlaces
    let service: Service

    /// Answers that the service is busy, if the client can take the answer at once; nothing was read from it.
    static func refuse(_ socket: UnixSocket, of service: Service) {
        service.metrics.countBusy()
        _ = send(.busy, to: socket, closes: true, by: .now)
    }

    /// Serves the client until it leaves, or a limit is reached.
    func run() {
        defer { places.leave(place) }
        var reader = RequestReader { head in
            head.segments.starts(with: ["v1", "messages"]) ? Self.messageLimit : Self.bodyLimit
        }
        // A connection that is accepted while the service ends has a request, too.
        repeat {
            do throws(Refusal) {
                guard let call = try next(&reader) else { return }
                let closes = call.head.closes
                // A program that watches whether the service runs would otherwise end one that waits for gateways.
                let isProbe = call.endpoint.isProbe
                guard isProbe || places.begin(place) else { throw busy(closes: closes) }
                let reply = service.answer(call)
                if !isProbe { places.end(place) }
                guard send(reply, closes: closes || places.isClosed), !closes else { return }
            } catch {
                guard send(error.reply, closes: error.closes || places.isClosed), !error.closes
                else {
                    // A client that still sends would never read the answer.
                    return discard()
                }
            }
        } while !places.isClosed
    }

    /// Reads the next request that the client may make; nil if there is none.
    private func next(_ reader: inout RequestReader) throws(Refusal) -> ServiceCall? {
        var start: ContinuousClock.Instant?
        var call: ServiceCall?
        if reader.isBetweenRequests { places.rest(place) }
        while true {
            switch try event(&reader) {
            case .head(let head):
                call = try permitted(head)
                guard places.takeBytes(head.contentLength, for: place) else {
                    throw busy(closes: true)
                }
                if head.expectsContinue {
                    guard isSent(ServiceAnswer.continueHead) else { return nil }
                }
                continue
            case .request(let request):
                if call == nil { call = try permitted(request.head) }
                call?.contents = request.body
                return call
            case nil: break
            }
            if start == nil, !reader.isBetweenRequests { start = .now }
            let limit = reader.isReadingBody ? Limits.request : Limits.head
            let idle = places.isClosed ? Self.grace : Limits.idle
            let deadline = start.map { $0 + limit } ?? .now + idle
            do throws(UnixSocket.Failure) {
                reader.append(try receive(by: deadline))
            } catch {
                guard error == .timedOut, let fault = reader.timeout else { return nil }
                throw refusal(fault)
            }
            guard places.work(place) else { return nil }
        }
    }

    private func event(_ reader: inout RequestReader) throws(Refusal) -> RequestEvent? {
        do throws(RequestFault) {
            return try reader.next()
        } catch {
            throw refusal(error)
        }
    }

    private func refusal(_ fault: RequestFault) -> Refusal {
        service.metrics.countRequest("unreadable", fault.status)
        return Refusal(reply: fault.reply, closes: fault.closes)
    }

    /// Returns the call of a request that the client may make; the body of another one is not read.
    private func permitted(_ head: ServiceHead) throws(Refusal) -> ServiceCall {
        do throws(ServiceReply) {
            return try service.call(head, from: peer)
        } catch {
            throw Refusal(reply: error, closes: head.closes || head.contentLength > 0)
        }
    }

    private func busy(closes: Bool) -> Refusal {
        service.metrics.countBusy()
        return Refusal(reply: .busy, closes: closes)
    }

    /// Receives what has arrived.
    ///
    /// The bytes are not wiped: a token in them is encrypted.
    private func receive(
        by deadline: ContinuousClock.Instant
    ) throws(UnixSocket.Failure) -> [UInt8] {
        try socket.receive(atMost: 16 << 10, by: deadline)
    }

    /// Sends an answer; returns false if the client does not take it.
    private func send(_ reply: ServiceReply, closes: Bool) -> Bool {
        Self.send(reply, to: socket, closes: closes, by: .now + Limits.answer)
    }

    private static func send(
        _ reply: ServiceReply, to socket: UnixSocket, closes: Bool,
        by deadline: ContinuousClock.Instant
    ) -> Bool {
        let answer = ServiceAnswer(
            status: reply.status, contentType: reply.contentType,
            allow: reply.allow,
            retryAfter: reply.retryAfter)
        var bytes = SecretBuffer()
        bytes.append(answer.head(closes: closes, bodyCount: reply.body.count).span)
        reply.body.withRevealedBytes { bytes.append($0) }
        return bytes.withSpan { (try? socket.send($0, by: deadline)) != nil }
    }

    private func isSent(_ bytes: [UInt8]) -> Bool {
        (try? socket.send(bytes.span, by: .now + Limits.answer)) != nil
    }

    /// Ends the answers, and drops what the client still sends, for a moment.
    private func discard() {
        socket.endSending()
        let deadline = ContinuousClock.now + Limits.rest
        while ContinuousClock.now < deadline, (try? receive(by: deadline)) != nil {}
    }
}

extension RequestFault {
    /// The answer to the client.
    var reply: ServiceReply { .fault(status, code, reason) }

    /// The reason, for programs.
    private var code: String {
        switch status {
        case 403: "header-missing"
        case 408: "request-timeout"
        case 411: "length-required"
        case 413: "body-too-long"
        case 415: "not-json"
        case 431: "head-too-long"
        default: "malformed-request"
        }
    }
}
