import FuzzTargets
import Testing

@Suite("A fuzz target")
struct FuzzReplayTests {
    @Test(
        "passes for every seed and every finding: whole, shortened and with a bit flipped",
        arguments: FuzzTarget.allCases)
    func seeds(_ target: FuzzTarget) throws {
        let seeds = try FuzzSeeds.of(target)
        #expect(seeds.count > 1)
        for (number, seed) in seeds.enumerated() {
            var flipped = seed
            if !flipped.isEmpty { flipped[number * 7 % flipped.count] ^= 1 << (number % 8) }
            for input in [seed, Array(seed.dropLast(1 + number % 40)), flipped] {
                let fault = target.fault(of: input)
                #expect(fault == nil, "seed \(number)")
            }
        }
    }
}
