// differential [MUTANTS [SEED]]: compares verdicts on all vectors and on mutants, on all cores.
// Fails for a class of difference that TestVectors/differential-exceptions.tsv does not list, and
// for a listed class that no longer occurs.

import ApplePayPrimitives
import Foundation
import TestVectors

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
let seed = CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 1
let start = Date()
var outcomes: [Differential.Outcome: Int] = [:]
let own = (cases: TestVectors.syntheticCasesFile, root: TestVectors.root)
outcomes.merge(try Differential(cases: own.cases, root: own.root).vectors(), uniquingKeysWith: +)
if let shared = TestVectors.sharedFolder?.appending(path: "conformance") {
    let foreign = try Differential(
        cases: shared.appending(path: "cases.jsonl"), root: shared.appending(path: "pki/root.pem"))
    outcomes.merge(foreign.vectors(), uniquingKeysWith: +)
} else {
    print("skipped: the conformance corpus is not here")
}
// Eight streams on every machine, so that a seed gives the same mutants everywhere.
let streams = 8
let merged = Lock(outcomes)
let engines = try (0..<streams).map { _ in try Differential(cases: own.cases, root: own.root) }
DispatchQueue.concurrentPerform(iterations: streams) { stream in
    let share = count / streams + (stream < count % streams ? 1 : 0)
    let found = engines[stream].mutants(share, seed: seed &+ UInt64(stream) &* 1_000_003)
    merged.withLock { $0.merge(found, uniquingKeysWith: +) }
}
outcomes = merged.withLock { $0 }
let seconds = Date().timeIntervalSince(start)
let exceptions = try Differential.exceptions()
var failures = 0
for (outcome, number) in outcomes.sorted(by: { $0.value > $1.value }) {
    let note =
        outcome.agrees ? "agree" : exceptions[outcome] == nil ? "NOT LISTED" : "listed"
    if !outcome.agrees, exceptions[outcome] == nil { failures += 1 }
    print("\(number)\t\(outcome.ours)\tOpenSSL \(outcome.openSSL)\t\(note)")
}
for (outcome, exception) in exceptions
where outcomes[outcome] == nil && (exception.isFrequent || count >= 1_000_000) {
    failures += 1
    print("0\t\(outcome.ours)\tOpenSSL \(outcome.openSSL)\tLISTED, BUT GONE")
}
print(
    "\(outcomes.values.reduce(0, +)) signatures in \(Int(seconds)) s, seed \(seed); \(failures) classes not as listed"
)
exit(failures == 0 ? 0 : 1)
