internal import ApplePayGateways
internal import ApplePayPrimitives

/// A question to a running `paytoken serve`, for `doctor`.
enum ServiceQuestion {
    /// The time for the whole exchange.
    private static let timeLimit = Duration.seconds(5)

    /// The greatest length of an answer with its head, in bytes.
    private static let answerLimit = 64 << 10

    /// Asks whether the service is ready.
    ///
    /// - Parameter path: The path of the service's socket.
    /// - Returns: The object in the answer, whose status is 200 or 503.
    /// - Throws: `FileError` if no process serves the socket, if it does not answer in time, and if the answer is not one of
    ///   `paytoken serve`.
    static func readiness(at path: String) throws(FileError) -> AnswerValue {
        let deadline = ContinuousClock.now + timeLimit
        guard let socket = UnixSocket(connectingTo: path, by: deadline) else {
            throw FileError(path: path, reason: "is not served by a process")
        }
        let request = [
            "GET /readyz HTTP/1.1", "Host: localhost", "Paytoken-Request: true",
            "Connection: close", "", "",
        ].joined(separator: "\r\n")
        let bytes: [UInt8]
        do {
            try socket.send(Array(request.utf8).span, by: deadline)
            bytes = try answer(from: socket, by: deadline)
        } catch {
            throw error == .timedOut
                ? FileError(path: path, reason: "was not answered within 5 s")
                : FileError(path: path, reason: "was closed before it answered")
        }
        guard let body = body(ofAnswer: bytes), let value = try? AnswerValue(object: body) else {
            throw FileError(path: path, reason: "is not the socket of paytoken serve")
        }
        return value
    }

    /// Receives until the service closes the connection, at most one byte more than ``answerLimit``.
    private static func answer(
        from socket: UnixSocket, by deadline: ContinuousClock.Instant
    ) throws(UnixSocket.Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: answerLimit + 1)
        var count = 0
        do throws(UnixSocket.Failure) {
            while count < buffer.count {
                var span = buffer.mutableSpan
                count += try socket.receive(into: &span, from: count, by: deadline)
            }
        } catch {
            guard error == .ended else { throw error }
        }
        return Array(buffer[..<count])
    }

    /// Returns the body of an answer; nil unless its status is 200 or 503, and its only Content-Length is the length of the
    /// body.
    static func body(ofAnswer bytes: [UInt8]) -> [UInt8]? {
        let emptyLine = Array("\r\n\r\n".utf8)
        guard bytes.count <= answerLimit, let end = bytes.firstRange(of: emptyLine),
            let head = String(validating: bytes[..<end.lowerBound], as: UTF8.self)
        else { return nil }
        // CR and LF are one Character.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let lengths = lines.dropFirst().filter { $0.lowercased().hasPrefix("content-length:") }
        let body = bytes[end.upperBound...]
        guard ["HTTP/1.1 200 ", "HTTP/1.1 503 "].contains(where: lines[0].hasPrefix),
            lengths.count == 1, lengths[0].drop(while: { $0 != " " }) == " \(body.count)"
        else { return nil }
        return Array(body)
    }
}
