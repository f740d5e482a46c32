internal import ApplePayPrimitives
internal import FoundationEssentials

/// One line of JSON for each decision, on standard output, without payment data.
///
/// A thread writes the lines, so that a slow reader delays no payment. Lines for which there is no space are lost and counted.
final class AuditLog: Sendable {
    /// The greatest number of lines that wait.
    private static let limit = 4_096

    private struct State {
        var lines: [JSONLine] = []
        var lost = 0
        var isWriting = false
        var isBroken = false
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Starts the thread; nil if the system cannot start one.
    init?() {
        guard let thread = SystemThread({ [state] in Self.write(state) }) else { return nil }
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

    private static func write(_ state: Monitor<State>) {
        while true {
            let lines: [JSONLine]? = state.wait { state in
                guard !state.lines.isEmpty else { return nil }
                defer { state.lines = [] }
                state.isWriting = true
                return state.lines
            }
            let isWritten = (lines ?? []).map { $0.write() }
            state.change { state in
                let failures = isWritten.filter { !$0 }.count
                state.lost += failures
                state.isBroken = failures > 0
                state.isWriting = false
            }
        }
    }
}
