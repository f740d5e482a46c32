internal import ApplePayPrograms

/// Starts the two processes of the service where systemd does not: the one with the keys, and the one that sends.
///
/// It has neither, passes SIGHUP and SIGTERM on, starts a process again that was killed, and ends with them. It also starts the
/// one that sends again when that ends by itself, because its rules about files do not permit what has changed.
struct ServiceParent {
    /// The pause before a process that was killed is started again, so that one that is killed at once uses little time.
    private static let pause = Duration.milliseconds(200)

    /// How long the process that sends may take to create its socket.
    private static let startLimit = Duration.seconds(5)

    /// The words for the process with the keys.
    let serving: [String]
    /// The words for the process that sends.
    let sending: [String]
    /// The variables with secrets of the process that sends.
    let sendingSecrets: [String]
    /// The socket of the process that sends.
    let socket: String

    /// The two processes.
    private enum Part: String {
        case server = "has the keys"
        case sender = "sends requests"
    }

    /// Runs until both processes have ended.
    ///
    /// - Returns: The exit status of a process that ended by itself, or `done` after SIGTERM.
    /// - Throws: A failure if the system cannot start a process.
    func run() throws(CommandFailure) -> ExitStatus {
        ServiceSignals.block()
        var running = [Part.sender: try start(.sender)]
        // The status to end with, once the service ends.
        var status: ExitStatus?
        // The processes to start after the pause.
        var missing: [Part] = []
        var first = signalBeforeSender()
        if first == nil { running[.server] = try start(.server) } else { missing = [.server] }
        while true {
            switch first ?? ServiceSignals.next(within: missing.isEmpty ? .seconds(60) : Self.pause)
            {
            case .reload: running[.server]?.reload()
            case .end: status = status ?? .done
            case .child: break
            case nil:
                for part in missing { running[part] = try start(part) }
                missing = []
            }
            first = nil
            while let (process, end) = ChildProcess.ended() {
                let ended = running.first { $0.value.number == process }
                guard let part = ended?.key else { continue }
                running[part] = nil
                switch end {
                case .exited(ExitStatus.done.rawValue) where part == .sender && status == nil:
                    missing.append(part)
                case .exited(let number):
                    status = status ?? ExitStatus(rawValue: number) ?? .means
                case .killed:
                    guard status == nil else { continue }
                    Notice.write(
                        "the process that \(part.rawValue) was killed, and is started again.")
                    missing.append(part)
                }
            }
            if let status {
                // The sender ends last, because the other process may wait for its answers.
                guard let last = running[.server] ?? running[.sender] else { return status }
                last.end()
                missing = []
            }
        }
    }

    /// Waits for the socket of the process that sends, because the other one asks gateways as soon as it runs.
    ///
    /// - Returns: A signal that came before; nil if the socket is there, or is not within the limit.
    private func signalBeforeSender() -> ServiceSignals.Request? {
        let limit = ContinuousClock.now + Self.startLimit
        while ContinuousClock.now < limit {
            let slice = ContinuousClock.now + .milliseconds(20)
            if UnixSocket(connectingTo: socket, by: slice, waitsForListener: true) != nil { break }
            if let signal = ServiceSignals.next(within: .zero) { return signal }
        }
        return nil
    }

    private func start(_ part: Part) throws(CommandFailure) -> ChildProcess {
        // Neither process gets a secret of the other one; of the other variables, some are secrets of the server.
        let forSender = sendingSecrets + ["SWIFT_BACKTRACE"]
        let process =
            switch part {
            case .server: ChildProcess.start(serving) { !sendingSecrets.contains($0) }
            case .sender: ChildProcess.start(sending) { forSender.contains($0) }
            }
        guard let process else {
            throw .means("the system cannot start another process of this program.")
        }
        return process
    }
}
