import ApplePayWire
import Foundation

// ledger-race race LEDGER COUNT [SECONDS]             8 processes claim each transaction once; repeated for SECONDS
// ledger-race threads COUNT                           8 tasks claim each transaction once in memory
// ledger-race crash LEDGER ROUNDS COUNT [EVERY CMD]   kills processes; CMD restarts the server every EVERY rounds
// ledger-race clock LEDGER ROUNDS COUNT OFFSET        kills processes while the seconds in OFFSET are added to the clock
// ledger-race contract LEDGER                         checks the guarantees of every ledger
// ledger-race refused LEDGER SECONDS NUMBER [CMD]     expects that a claim fails in time
// ledger-race fill LEDGER [CMD]                       claims until the disk is full, which CMD undoes
// ledger-race free LEDGER NUMBER                      expects that a transaction was not claimed
// ledger-race responsive LEDGER                       expects that tasks do not wait while a ledger hangs
// ledger-race repeat LEDGER GROUP COUNT GRANTED       claims again, and expects that GRANTED claims succeed
// ledger-race check LEDGER COUNT GROUP LOG…           compares the workers' logs with the ledger
// ledger-race rate LEDGER TASKS SECONDS               prints the number of claims per second
// ledger-race payments LEDGER TASKS SECONDS           prints the number of payments per second: claims with their attempts
// ledger-race waits LEDGER TASKS SECONDS              prints the claims per second, and the longest wait in milliseconds
// ledger-race payment-waits LEDGER TASKS SECONDS      prints the payments per second, and the longest wait for one call
// ledger-race fair LEDGER SECONDS                     compares two processes that claim at the same time with one
// ledger-race attempts LEDGER COUNT                   checks attempts, then races for COUNT orders
// ledger-race claim LEDGER NUMBER SECONDS             claims a transaction, and keeps the ledger open for SECONDS
// ledger-race begin LEDGER ORDER NUMBER SECONDS       begins an attempt, and keeps the ledger open for SECONDS
// ledger-race change LEDGER ORDER STATE NUMBER…       changes an order's last attempt, and frees these transactions
// ledger-race missing LEDGER yes|no                   expects that attempts may, or may not, be missing
// ledger-race restored LEDGER CMD                     expects that CMD, which restores it, ends the use of an open ledger
// ledger-race present LEDGER COUNT                    fills a ledger before a measurement
let words = Array(CommandLine.arguments.dropFirst())

func number(_ index: Int) -> Int { words.count > index ? Int(words[index]) ?? 0 : 0 }

do {
    switch words.first {
    case "race" where words.count == 3 || words.count == 4:
        try await Race(words[1]).run(processes: 8, count: number(2), seconds: Double(number(3)))
    case "threads" where words.count == 2: try await Race.threads(count: number(1))
    case "crash" where words.count == 4 || words.count == 6:
        try await Race(words[1]).crash(
            rounds: number(2), count: number(3), restart: words.count == 6 ? words[5] : nil,
            every: number(4))
    case "clock" where words.count == 5:
        try await Race(words[1]).crash(
            rounds: number(2), count: number(3), clock: JumpingClock(words[4]))
    case "contract" where words.count == 2:
        try await Contract(ledger: RaceLedger.create(words[1])).check()
    case "refused" where words.count == 4 || words.count == 5:
        try await Refusal.check(
            words[1], seconds: number(2), number: number(3),
            after: words.count == 5 ? words[4] : nil)
    case "fill" where words.count == 2 || words.count == 3:
        try await Refusal.fill(words[1], emptying: words.count == 3 ? words[2] : nil)
    case "free" where words.count == 3: try await Refusal.checkFree(words[1], number: number(2))
    case "responsive" where words.count == 2: try await Responsiveness.check(words[1])
    case "repeat" where words.count == 5:
        try await Repetition.check(
            words[1], group: number(2), count: number(3), granted: number(4))
    case "check" where words.count >= 5:
        let log = try RaceLog(Array(words[4...]))
        try await log.check(
            RaceLedger.open(words[1], timeout: 60), count: number(2), of: number(3))
        print("\(log.count) claims of \(log.claimed.count) transactions, none twice, none lost")
    case "rate" where words.count == 4:
        try await Rate.measure(words[1], tasks: number(2), seconds: Double(words[3]) ?? 1)
    case "payments" where words.count == 4:
        try await Rate.measurePayments(
            words[1], tasks: number(2), seconds: Double(words[3]) ?? 1)
    case "waits" where words.count == 4:
        try await Rate.measure(
            words[1], tasks: number(2), seconds: Double(words[3]) ?? 1, isTimed: true)
    case "payment-waits" where words.count == 4:
        try await Rate.measurePayments(
            words[1], tasks: number(2), seconds: Double(words[3]) ?? 1, isTimed: true)
    case "fair" where words.count == 3:
        try await Fairness.check(words[1], seconds: number(2))
    case "present" where words.count == 3: try await Rate.fill(words[1], count: number(2))
    case "attempts" where words.count == 3:
        try await Attempts(location: words[1]).check()
        try await Attempts(location: words[1]).race(count: number(2))
    case "claim" where words.count == 4:
        try await Step(location: words[1]).claim(number(2), wait: number(3))
    case "begin" where words.count == 5:
        try await Step(location: words[1]).begin(
            ExactText(words[2]), claiming: number(3), wait: number(4))
    case "change" where words.count >= 4:
        try await Step(location: words[1]).change(
            ExactText(words[2]), to: words[3], freeing: words.indices.dropFirst(4).map(number))
    case "missing" where words.count == 3:
        try await Attempts.checkMissing(words[1], isExpected: words[2] == "yes")
    case "restored" where words.count == 3:
        try await Attempts(location: words[1]).restored(by: words[2])
    case "worker" where words.count == 8:
        try await Worker(
            location: words[1], log: words[2], count: number(3), group: number(4),
            number: number(5), start: Double(words[6]) ?? 0,
            mode: Worker.Mode(rawValue: words[7]) ?? .claim
        ).run()
    default:
        throw Failure(
            "ledger-race race|threads|crash|clock|contract|refused|fill|free|responsive|repeat|rate|payments|waits|payment-waits|fair|attempts|claim|begin|change|missing|restored|present LEDGER …"
        )
    }
} catch {
    FileHandle.standardError.write(Data("ledger-race: \(error)\n".utf8))
    exit(1)
}
