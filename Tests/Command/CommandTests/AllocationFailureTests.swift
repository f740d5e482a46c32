import ApplePayTokenTestingPrimitives
import Testing

/// Tests/Proofs/AllocationFailures fails the allocations, in a separate process that installs its
/// allocator first.
@Suite("A libcrypto that runs out of memory")
struct AllocationFailureTests {
    @Test("gives the right answer or library-failure, and the right answer once there is memory")
    func answers() throws {
        // One token for each refusal, and for each step some of its allocations, spread evenly.
        // OpenSSL itself leaks memory after some failed allocations, so leaks of this process are
        // not checked.
        let allocations = LongTest.step == 1 ? 20 : 4
        let run = try Command(
            ["1", "\(allocations)"], program: "allocation-failures",
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        let lines = run.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("wrong") }.isEmpty)
        #expect(run.status == 0, "\(run.error)")
        let sum = try #require(lines.last?.split(separator: "\t"))
        #expect(sum.last == "all")
        let counts = sum.compactMap { Int($0) }
        // The counts are: failed, right, library failures, wrong. A run that fails no allocation
        // must not pass.
        let least = [1500, 500, 500].map { $0 / LongTest.step }
        #expect(counts.count == 4 && zip(counts, least).allSatisfy { $0 > $1 })
        #expect(counts.last == 0)
    }
}
