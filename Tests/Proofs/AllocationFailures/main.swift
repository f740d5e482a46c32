// Fails libcrypto's allocations one at a time, and reports every answer that is neither the right
// one nor a library failure. The tests run this in a separate process, since
// CRYPTO_set_mem_functions(3) must be called before all other functions of libcrypto.
//
// Arguments: the most tokens for each refusal, and the most allocations to fail in each scenario;
// a scenario has up to 18,000.

import CAllocationFailures
import Foundation

/// Runs scenarios, each with one failing allocation and with all later ones failing too.
///
/// Prints a line for each.
///
/// - Returns: The sum of the tallies.
func run(
    _ scenarios: [Scenario],
    _ tally: (Scenario, Scenario.Later) throws -> Tally
) throws -> Tally {
    var sum = Tally()
    for scenario in scenarios {
        for later in Scenario.Later.allCases {
            let result = try tally(scenario, later)
            print("\(result.columns)\t\(scenario.name)\(later == .all ? ", and all later" : "")")
            sum.add(result)
        }
    }
    return sum
}

guard allocation_failures_install() else {
    print("libcrypto was in use before")
    exit(2)
}
let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard words.count == 2, words.allSatisfy({ $0 > 0 }) else {
    print("allocation-failures TOKENS ALLOCATIONS")
    exit(2)
}
let scenarios = try Scenarios()
print("failed\tright\tlibrary-failure\twrong\tscenario and which of its allocations")
var sum = try run(scenarios.start()) { try $0.runApart($1, limit: words[1]) }
sum.add(try run(scenarios.all(limit: words[0])) { try $0.run($1, limit: words[1]) })
print("\(sum.columns)\tall")
exit(sum.wrong == 0 ? 0 : 1)
