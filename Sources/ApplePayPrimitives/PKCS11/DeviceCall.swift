/// One call of a device, between the thread that makes it and the caller that waits for it.
///
/// The thread owns everything that the device may read or write, so a caller can abandon the call at
/// any time: the closure, and the result if it still comes, are dropped on the thread.
final class DeviceCall<Output: Sendable>: Sendable {
    /// What the thread does; `isAwaited` returns false once the caller has abandoned the call.
    typealias Work = @Sendable (_ isAwaited: () -> Bool) throws(PrimitivesError) -> Output

    private enum Stage {
        case ready(Work)
        case running
        case returned(Result<Output, PrimitivesError>)
        case taken
        case abandoned
    }

    private let stage: Monitor<Stage>

    /// Takes the work, which does not begin yet.
    init(_ work: @escaping Work) {
        stage = Monitor(.ready(work))
    }

    /// Does the work, on the calling thread, and passes the result to the caller that waits.
    ///
    /// - Returns: False when the call was abandoned; everything that it owned is gone by then.
    func run() -> Bool {
        // The closure is dropped before the caller goes on, so that the caller's reference to a key
        // is the last one.
        guard let result = perform() else { return false }
        return stage.change { stage in
            if case .abandoned = stage { return false }
            stage = .returned(result)
            return true
        }
    }

    /// Returns nil when the call was abandoned before it began: the device is then not called.
    private func perform() -> Result<Output, PrimitivesError>? {
        let work: Work? = stage.withLock { stage in
            guard case .ready(let work) = stage else { return nil }
            stage = .running
            return work
        }
        guard let work else { return nil }
        return Result { () throws(PrimitivesError) in try work { isAwaited } }
    }

    private var isAwaited: Bool {
        stage.withLock { stage in
            if case .abandoned = stage { return false }
            return true
        }
    }

    /// Waits for the result, and abandons the call when there is none in time.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - willAbandon: Called before the thread can notice that the call is abandoned.
    /// - Returns: The result; nil when the call is abandoned.
    func result(
        within limit: Duration,
        willAbandon: () -> Void
    ) -> Result<Output, PrimitivesError>? {
        if let result = stage.wait(atMost: limit, Self.take) { return result }
        return stage.withLock { stage in
            if let result = Self.take(&stage) { return result }
            willAbandon()
            stage = .abandoned
            return nil
        }
    }

    private static func take(_ stage: inout Stage) -> Result<Output, PrimitivesError>? {
        guard case .returned(let result) = stage else { return nil }
        stage = .taken
        return result
    }
}
