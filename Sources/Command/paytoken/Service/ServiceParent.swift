/// Starts the two processes of the service where systemd does not: the one with the keys, and the one that sends.
///
/// It has neither, passes SIGHUP and SIGTERM on, starts a process again that was killed, and ends with them.
struct ServiceParent {
    /// The pause before a process that was killed is started again, so that one that is killed at once uses little time.
    private static let pause = Duration.milliseconds(200)

    /// How long the process that sends may take to create its socket.
    private static let startLimit = Duration.seconds(5)

    /// The words for the process with the keys.
    let serving: [String]
    /// The words for the process that sends.
    let sending: [String]
    /// The socket of the process that sends.
    let socket: String

    /// Runs until both processes have ended.
    ///
    /// - Returns: The exit status of a process that ended by itself, or `done` after SIGTERM.
    func run() throws(CommandFailure) -> ExitStatus {
        ServiceSignals.block()
        // The process that sends gets no variable: some are secrets of the other one.
        var sender = try start(sending, keepsEnvironment: false)
        // The other process asks gateways as soon as it runs.
        _ = UnixSocket(connectingTo: socket, by: .now + Self.startLimit, waitsForListener: true)
        var server = try start(serving, keepsEnvironment: true)
        var status: ExitStatus?
        while true {
            switch ServiceSignals.next(within: .seconds(60)) {
            case .reload: server.reload()
            case .end:
                status = status ?? .done
                server.end()
            case .child, nil: break
            }
            while let (process, end) = ChildProcess.ended() {
                let isServer = process == server.number
                guard isServer || process == sender.number else { continue }
                if status != nil {
                    // The sender ends last, because the other process may wait for its answers.
                    guard isServer else { continue }
                    sender.end()
                    return status ?? .done
                }
                if case .exited(let number) = end {
                    (isServer ? sender : server).end()
                    return ExitStatus(rawValue: number) ?? .means
                }
                Notice.write(
                    "the process that \(isServer ? "has the keys" : "sends requests") was killed, and is started again."
                )
                _ = ServiceSignals.next(within: Self.pause)
                if isServer {
                    server = try start(serving, keepsEnvironment: true)
                } else {
                    sender = try start(sending, keepsEnvironment: false)
                }
            }
        }
    }

    private func start(
        _ words: [String], keepsEnvironment: Bool
    ) throws(CommandFailure) -> ChildProcess {
        guard let process = ChildProcess.start(words, keepsEnvironment: keepsEnvironment) else {
            throw .means("the system cannot start another process of this program.")
        }
        return process
    }
}
