internal import ApplePayPrimitives
internal import CPaytoken

/// The parts of memory from which threads allocate.
enum MemoryArenas {
    /// Lets all threads share as many parts as there are processors, not eight times as many.
    ///
    /// A connection's thread does the work of its requests, so with a part for each the memory would grow for a long time.
    /// If the C library refuses, it does.
    static func limit() { _ = CPaytoken_limit_arenas(Int32(clamping: SystemThread.processorCount)) }
}
