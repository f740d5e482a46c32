/// One call to a device, shared by the thread that makes it and the caller that waits for it.
///
/// The thread owns everything that the device may read or write, so a caller can abandon the call
/// at any time: the thread then drops the closure, and the result if it still arrives.
final class DeviceCall<Output: Sendable>: Sendable {
    /// The work of the thread; `isAwaited` returns false once the caller has abandoned the call.
    typealias Work = @Sendable (_ isAwaited: () -> Bool) throws(PrimitivesError) -> Output

    private enum Stage {
        case ready(Work)
        case running
        case returned(Result<Output, PrimitivesError>)
        case taken
        case abandoned
    }

    private let stage: Monitor<Stage>

    /// Creates a call, which does not start yet.
    init(_ work: @escaping Work) {
        stage = Monitor(.ready(work))
    }

    /// Does the work, on the calling thread, and passes the result to the waiting caller.
    ///
    /// - Returns: False if the call was abandoned; everything that it owned has been released by then.
    func run() -> Bool {
        // Drop the closure before the caller continues, so that the caller has the last reference to a key.
        guard let result = perform() else { return false }
        return stage.change { stage in
            if case .abandoned = stage { return false }
            stage = .returned(result)
            return true
        }
    }

    /// Does the work; returns nil, without calling the device, if the call was abandoned before it began.
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

    /// Waits for the result, and abandons the call if there is none in time.
    ///
    /// - Parameters:
    ///   - limit: How long to wait.
    ///   - willAbandon: Called before the thread can notice that the call is abandoned.
    /// - Returns: The result; nil if the call was abandoned.
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
