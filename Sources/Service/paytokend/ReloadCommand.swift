internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms

/// `paytokend reload`: lets a running service load its files anew, and fails if it keeps the old ones.
///
/// systemd's ExecReload= needs this, because a signal has no answer.
struct ReloadCommand: PreparedCommand {
    static let options: [CommandOption] = [
        .socket.mandatory.described("the socket of the running service"),
        process.mandatory,
    ]

    static let process = CommandOption.number(
        "--process", "PID", "the process of the service, which gets the signal SIGHUP")

    /// How long a reload may take: systemd gives up after 90 s.
    private static let limit = Duration.seconds(80)

    private let path: String
    private let process: ChildProcess

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.requireNoOperand(of: "reload")
        path = try arguments.required(.socket)
        let number = try arguments.number(Self.process) ?? 0
        // kill(2) would send a signal to a group of processes for 0.
        guard number > 0, let process = Int32(exactly: number) else {
            throw .usage("\(Self.process) takes the number of a process, not \(number).")
        }
        self.process = ChildProcess(number: process)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        ServiceSignals.block()
        let deadline = ContinuousClock.now + Self.limit
        // A reload that begins after this question reads the files as they are now, whoever asked for it.
        let count = try answer().begun
        guard process.reload() else {
            throw .means("the process \(process.number) does not run, or is another user's.")
        }
        while ContinuousClock.now < deadline {
            guard ServiceSignals.next(within: .milliseconds(50)) == nil else { break }
            let (begun, isOver, hasFailed) = try answer()
            guard begun > count, isOver else { continue }
            guard !hasFailed else {
                throw .means(
                    "new keys or gateway files could not be loaded, and the old ones are used; the service's log names the file."
                )
            }
            return .done
        }
        throw .means("the service has not loaded its files within \(Self.limit).")
    }

    /// Asks the service how many reloads have begun, and how the last one ended.
    private func answer() throws(CommandFailure) -> (begun: Int64, isOver: Bool, hasFailed: Bool) {
        let path = path
        let answer = try failing { () throws(FileError) in try ServiceQuestion.readiness(at: path) }
        return (
            answer["reloads"]?.integer ?? 0, answer["reloading"]?.truth != true,
            answer["reloadFailed"]?.truth == true
        )
    }
}
