internal import ApplePayPrimitives
internal import CPaytoken

/// The parts of memory from which threads allocate.
enum MemoryArenas {
    /// Lets all threads share four times as many parts as there are processors, half as many as the C library would make.
    ///
    /// A connection's thread does the work of its requests, so with more parts the memory would grow for a long time; with fewer,
    /// threads wait for each other. If the C library refuses, it makes its own number.
    static func limit() {
        _ = CPaytoken_limit_arenas(Int32(clamping: 4 * SystemThread.processorCount))
    }
}
