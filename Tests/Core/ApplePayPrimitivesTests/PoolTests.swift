import Testing

@testable import ApplePayPrimitives

@Suite("A pool of contexts")
struct PoolTests {
    private final class Context {}

    /// The number of contexts created.
    private let made: Lock<Int>

    private let pool: Pool<Context, PrimitivesError>

    init() {
        let made = Lock(0)
        self.made = made
        pool = Pool { () throws(PrimitivesError) in
            made.withLock { $0 += 1 }
            return Context()
        }
    }

    @Test("lends a context again, unless its use failed")
    func failed() throws {
        for _ in 0..<3 { try pool.withContext { _ in } }
        #expect(made.withLock { $0 } == 1)
        #expect(throws: PrimitivesError.invalidPoint) {
            try pool.withContext { _ throws(PrimitivesError) in throw .invalidPoint }
        }
        try pool.withContext { _ in }
        #expect(made.withLock { $0 } == 2)
    }

    @Test("lends an idle context to any thread")
    func threads() throws {
        let pool = pool
        for _ in 0..<20 {
            let thread = try #require(SystemThread { try? pool.withContext { _ in () } })
            thread.join()
        }
        #expect(made.withLock { $0 } == 1)
        pool.removeIdle()
        try pool.withContext { _ in }
        #expect(made.withLock { $0 } == 2)
    }
}
