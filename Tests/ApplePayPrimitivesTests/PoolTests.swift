import Testing

@testable import ApplePayPrimitives

@Suite("A pool of contexts")
struct PoolTests {
    private final class Context {}

    @Test("lends what is idle to any thread, so that threads one after another share one context")
    func threads() throws {
        let made = Lock(0)
        let pool = Pool { () throws(PrimitivesError) in
            made.withLock { $0 += 1 }
            return Context()
        }
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
