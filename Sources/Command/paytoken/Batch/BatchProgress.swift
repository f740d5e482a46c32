internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import FoundationEssentials

/// The progress of a batch: if standard error is a terminal, a line there that is updated in place.
final class BatchProgress: Sendable {
    private struct State {
        var done = 0
        var refused = 0
        var shown = Date.distantPast
    }

    private let state = Lock(State())
    private let start = Date()
    private let isShown = StandardStream.error.isTerminal

    /// The number of lines refused.
    var refused: Int { state.withLock { $0.refused } }

    /// Counts the lines of a part whose answers were written.
    func count(_ part: BatchPart) {
        state.withLock { state in
            state.done += part.count
            state.refused += part.refused
            guard isShown, state.shown.timeIntervalSinceNow < -0.2 else { return }
            state.shown = Date()
            show(state)
        }
    }

    /// Shows the final numbers, and ends the line.
    func end() {
        guard isShown else { return }
        state.withLock { show($0) }
        StandardStream.error.write("\n")
    }

    private func show(_ state: State) {
        let seconds = max(-start.timeIntervalSinceNow, 0.001)
        let rate = Int(Double(state.done) / seconds)
        // The spaces overwrite the rest of a longer line.
        StandardStream.error.write(
            "\r\(state.done) done, \(rate)/s, \(state.refused) refused   ")
    }
}
