internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import FoundationEssentials
internal import Glibc

/// One line of JSON for each decision, on standard output, without payment data.
///
/// A thread writes the lines, so that a slow reader delays no payment, unless a caller waits for it. Lines that cannot be written
/// wait, and are tried again. Lines for which there is no space are lost and counted.
final class AuditLog: Sendable {
    /// The greatest number of lines that wait.
    static let limit = 4_096

    /// The pause between two writes, in microseconds.
    private static let pause: UInt32 = 2_000

    /// How long a reader may take to accept lines before the log counts as failing.
    private static let patience = Duration.seconds(2)

    /// The pause before lines that could not be written are tried again, in microseconds.
    private static let retryPause: UInt32 = 500_000

    private struct State {
        var lines: [JSONLine] = []
        /// How many lines were added and not lost, and how many of them were written.
        var (added, written) = (0, 0)
        var lost = 0
        /// The number of lines that the thread writes now, which are not in ``lines``.
        var writing = 0
        /// Since when it writes them.
        var start = ContinuousClock.now
        var isBroken = false
    }

    private let state = Monitor(State())

    /// Starts the thread; nil if the system cannot start one.
    ///
    /// - Parameter output: Writes lines, and returns the number of bytes that were written.
    init?(
        output: @escaping @Sendable (SensitiveBytes) -> Int = { lines in
            lines.withRevealedBytes { StandardStream.output.write($0) }
        }
    ) {
        guard let thread = SystemThread({ [state] in Self.write(state, to: output) }) else {
            return nil
        }
        thread.detach()
    }

    /// The number of lines that were lost.
    var lostCount: Int { state.withLock { $0.lost } }

    /// The number of lines that wait to be written.
    var waitingCount: Int { state.withLock { $0.lines.count + $0.writing } }

    /// Whether lines cannot be written: the last attempt failed or takes long, or so many wait that soon others would be lost.
    var isFailing: Bool {
        state.withLock { state in
            state.isBroken || state.lines.count + state.writing >= Self.limit / 2
                || (state.writing > 0 && state.start + Self.patience < .now)
        }
    }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - event: The kind of decision, such as `pay`.
    ///   - peer: The client.
    ///   - members: Adds what was decided.
    func record(
        _ event: String, by peer: UnixSocket.Peer?, _ members: (inout JSONOutput) -> Void
    ) {
        let line = JSONLine { json in
            json.member("time", Date())
            json.member("event", event)
            json.member("user", peer?.user)
            json.member("process", peer?.process)
            members(&json)
        }
        state.change { state in
            if state.lines.count + state.writing < Self.limit {
                state.lines.append(line)
                state.added += 1
            } else {
                state.lost += 1
            }
        }
    }

    /// Waits until the lines that were added before are written, or the time is over.
    ///
    /// - Returns: Whether they were written; false at once if that fails.
    func isWritten(within limit: Duration) -> Bool {
        let count = state.withLock { $0.added }
        let end = ContinuousClock.now + limit
        while true {
            let result = state.withLock { state in
                state.written >= count ? true : state.isBroken ? false : nil
            }
            if let result { return result }
            guard ContinuousClock.now < end else { return false }
            usleep(Self.pause / 2)
        }
    }

    /// Waits until all lines are written, or the time is over.
    ///
    /// - Returns: Whether all lines were written.
    @discardableResult
    func finish(within limit: Duration) -> Bool {
        state.poll(for: limit) { $0.lines.isEmpty && $0.writing == 0 ? () : nil } != nil
    }

    private static func write(_ state: Monitor<State>, to output: (SensitiveBytes) -> Int) {
        var isCut = false
        while true {
            let lines = state.wait { state -> [JSONLine]? in
                guard !state.lines.isEmpty else { return nil }
                defer { state.lines = [] }
                (state.writing, state.start) = (state.lines.count, .now)
                return state.lines
            }
            guard let lines else { continue }
            let rest = lines.dropFirst(write(lines, to: output, &isCut))
            state.change { state in
                state.isBroken = !rest.isEmpty
                state.written += state.writing - rest.count
                state.writing = 0
                // There is space for them: lines in writing count among those that wait.
                state.lines.insert(contentsOf: rest, at: 0)
            }
            // Lines that come soon are written together, because waking this thread for each of them costs much.
            usleep(rest.isEmpty ? pause : retryPause)
        }
    }

    /// Writes lines at once.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - output: Writes bytes, and returns how many were written.
    ///   - isCut: Whether the output ends within a line: the next one then begins after a line feed.
    /// - Returns: The number of lines that were written as a whole.
    private static func write(
        _ lines: [JSONLine], to output: (SensitiveBytes) -> Int, _ isCut: inout Bool
    ) -> Int {
        var buffer = SecretBuffer()
        if isCut { buffer.append(UInt8(ascii: "\n")) }
        var ends = [buffer.count]
        for line in lines {
            line.bytes.withRevealedBytes { buffer.append($0) }
            ends.append(buffer.count)
        }
        let count = output(buffer.sensitiveBytes())
        if count > 0 { isCut = !ends.contains(count) }
        return ends.dropFirst().count { $0 <= count }
    }
}
