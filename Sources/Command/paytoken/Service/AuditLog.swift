internal import ApplePayPrimitives
internal import FoundationEssentials
internal import Glibc

/// One line of JSON for each decision, on standard output, without payment data.
///
/// A thread writes the lines, so that a slow reader delays no payment. Lines for which there is no space are lost and counted.
final class AuditLog: Sendable {
    /// The greatest number of lines that wait.
    static let limit = 4_096

    /// The pause between two writes, in microseconds.
    private static let pause: UInt32 = 2_000

    private struct State {
        var lines: [JSONLine] = []
        var lost = 0
        var isWriting = false
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

    /// Whether the last line could not be written, or lines are lost now.
    var isFailing: Bool {
        state.withLock { $0.isBroken || $0.lines.count >= Self.limit }
    }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - event: The kind of decision, such as `pay`.
    ///   - peer: The client.
    ///   - members: Adds what was decided.
    func record(
        _ event: String, by peer: UnixSocket.Peer?, _ members: (inout JSONMembers) -> Void
    ) {
        let line = JSONLine { json in
            json.member("time", Date())
            json.member("event", event)
            json.member("user", peer?.user)
            json.member("process", peer?.process)
            members(&json)
        }
        state.change { state in
            if state.lines.count < Self.limit {
                state.lines.append(line)
            } else {
                state.lost += 1
            }
        }
    }

    /// Waits until all lines are written, or the time is over.
    func finish(within limit: Duration) {
        _ = state.poll(for: limit) { $0.lines.isEmpty && !$0.isWriting ? () : nil }
    }

    private static func write(_ state: Monitor<State>, to output: (SensitiveBytes) -> Int) {
        while true {
            let lines: [JSONLine]? = state.wait { state in
                guard !state.lines.isEmpty else { return nil }
                defer { state.lines = [] }
                state.isWriting = true
                return state.lines
            }
            let lost = unwritten(lines ?? [], to: output)
            state.change { state in
                state.lost += lost
                state.isBroken = lost > 0
                state.isWriting = false
            }
            // Lines that come soon are written together, because waking this thread for each of them costs much.
            usleep(pause)
        }
    }

    /// Writes lines at once, and returns how many were not written as a whole.
    private static func unwritten(
        _ lines: [JSONLine], to output: (SensitiveBytes) -> Int
    ) -> Int {
        let buffer = SecretBuffer()
        let ends = lines.map { line in
            line.bytes.withRevealedBytes { buffer.append($0) }
            return buffer.count
        }
        let written = output(buffer.sensitiveBytes())
        return ends.filter { $0 > written }.count
    }
}
