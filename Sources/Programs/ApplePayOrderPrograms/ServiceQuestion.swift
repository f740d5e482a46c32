package import ApplePayGateways
internal import ApplePayHTTPS
package import ApplePayPrimitives
internal import ApplePayPrograms

/// A question to a running `paytokend`, for `doctor` and `paytokend reload`.
package enum ServiceQuestion {
    /// The time for the whole exchange.
    private static let timeLimit = Duration.seconds(5)

    /// The greatest length of an answer's body, in bytes.
    private static let bodyLimit = 1 << 20

    /// Asks whether the service is ready.
    ///
    /// - Parameter path: The path of the service's socket.
    /// - Returns: The object in the answer, whose status is 200 or 503.
    /// - Throws: `FileError` if this user may not connect, if no process serves the socket, if it does not answer in time, and if
    ///   the answer is not one of `paytokend`.
    package static func readiness(at path: String) throws(FileError) -> AnswerValue {
        let deadline = ContinuousClock.now + timeLimit
        guard let socket = UnixSocket(connectingTo: path, by: deadline) else {
            throw FileError(
                path: path,
                reason: FileRight.write.obstacle(to: path) == .rights
                    ? "does not permit this user, \(ProcessUser.name), to connect"
                    : "is not served by a process")
        }
        let request = [
            "GET /readyz HTTP/1.1", "Host: localhost", "Paytoken-Request: true",
            "Connection: close", "", "",
        ].joined(separator: "\r\n")
        let answer: GatewayResponse?
        do {
            try socket.send(Array(request.utf8).span, by: deadline)
            answer = try Self.answer(from: socket, by: deadline)
        } catch {
            throw error == .timedOut
                ? FileError(path: path, reason: "was not answered within 5 s")
                : FileError(path: path, reason: "was closed before it answered")
        }
        guard let answer, [200, 503].contains(answer.status), let value = try? answer.object()
        else { throw FileError(path: path, reason: "is not the socket of paytokend") }
        return value
    }

    /// Receives an answer; nil if it is not one of HTTP, or has a body that is too long.
    private static func answer(
        from socket: UnixSocket, by deadline: ContinuousClock.Instant
    ) throws(UnixSocket.Failure) -> GatewayResponse? {
        var reader = ResponseReader(longestBody: bodyLimit)
        while !reader.isOver {
            do throws(UnixSocket.Failure) {
                reader.read(try socket.receive(atMost: 16 << 10, by: deadline))
            } catch {
                guard error == .ended else { throw error }
                reader.readEnd(isCertain: false)
            }
        }
        return reader.response
    }
}
