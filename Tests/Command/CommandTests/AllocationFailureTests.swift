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
        let run = try Command(
            ["1", "20"], program: "allocation-failures",
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        let lines = run.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("wrong") }.isEmpty)
        #expect(run.status == 0, "\(run.error)")
        let sum = try #require(lines.last?.split(separator: "\t"))
        #expect(sum.last == "all")
        let counts = sum.compactMap { Int($0) }
        // The counts are: failed, right, library failures, wrong. A run that fails no allocation
        // must not pass.
        #expect(counts.count == 4 && counts[0] > 1500 && counts[1] > 500 && counts[2] > 500)
        #expect(counts.last == 0)
    }
}
