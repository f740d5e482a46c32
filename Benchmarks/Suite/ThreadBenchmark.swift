import ApplePayToken
import ApplePayTokenTesting
import BenchmarkFloor
import Foundation
import Synchronization

/// Measures how the rate grows with the threads that share one decryptor, compared with
/// libcrypto's growth.
struct ThreadBenchmark {
    /// Tokens per second for the library and for libcrypto alone, by the number of threads, one
    /// value per round.
    private(set) var rates: [Int: [Double]] = [:]
    private(set) var floorRates: [Int: [Double]] = [:]

    /// Measures the library and libcrypto alone in turns, with each number of threads.
    ///
    /// A turn takes a few milliseconds, so that a program that runs at the same time affects all
    /// turns of a round, or one round of many. Every second round goes backward, and every thread
    /// prepares the same objects first.
    ///
    /// - Parameters:
    ///   - corpus: The tokens.
    ///   - threadCounts: The numbers of threads; must include 1 and 2.
    ///   - rounds: The fewest and the most rounds; the fewest are enough if the median is settled
    ///     by then.
    /// - Throws: Any error that decrypting a token or libcrypto throws.
    init(_ corpus: Corpus, threadCounts: [Int], rounds: ClosedRange<Int>) throws {
        let decryptor = try corpus.decryptor()
        _ = try decryptor.decrypt(corpus.ec[0].text, agePolicy: Corpus.receipt)
        let tokens = corpus.ec.prefix(Corpus.tokenCount / 2)
        let subjects = threadCounts.flatMap { [($0, false), ($0, true)] }
        for round in 0..<rounds.upperBound {
            if round >= rounds.lowerBound, growthOverFloor(2).isSettled { break }
            for (count, isFloor) in round.isMultiple(of: 2) ? subjects : subjects.reversed() {
                let rate = try Self.rate(
                    threads: count, tokens: tokens, prepare: { try corpus.floor(.ec) },
                    each: { floor, token in
                        if isFloor {
                            try floor.run(token)
                        } else {
                            _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
                        }
                    })
                if isFloor {
                    floorRates[count, default: []].append(rate)
                } else {
                    rates[count, default: []].append(rate)
                }
            }
        }
    }

    /// Returns the library's rate with `count` threads divided by its rate with one, round by
    /// round.
    func growth(_ count: Int) -> Statistics {
        Statistics(zip(rates[count] ?? [], rates[1] ?? []).map { $0 / $1 })
    }

    /// Returns the same ratio for libcrypto alone, which is the limit of the machine.
    func floorGrowth(_ count: Int) -> Statistics {
        Statistics(zip(floorRates[count] ?? [], floorRates[1] ?? []).map { $0 / $1 })
    }

    /// Returns the library's growth divided by libcrypto's in the same round.
    func growthOverFloor(_ count: Int) -> Statistics {
        let growths = zip(rates[count] ?? [], rates[1] ?? []).map { $0 / $1 }
        let floorGrowths = zip(floorRates[count] ?? [], floorRates[1] ?? []).map { $0 / $1 }
        return Statistics(zip(growths, floorGrowths).map { $0 / $1 })
    }

    /// The start time of the first thread and the end time of the last one, in nanoseconds, and
    /// any error.
    private final class Times: Sendable {
        let state = Mutex<(begin: UInt64, end: UInt64, failure: (any Error)?)>((.max, 0, nil))
    }

    /// Measures threads that start at the same time, each of which processes all tokens.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - tokens: The tokens for each thread.
    ///   - prepare: Creates the objects that a thread does not share; not measured.
    ///   - each: Processes a token.
    /// - Returns: Tokens per second of all threads together, from the start of the first one to
    ///   the end of the last one.
    /// - Throws: Any error that `prepare` or `each` throws.
    static func rate<Context>(
        threads count: Int,
        tokens: some Collection<Sample> & Sendable,
        prepare: @escaping @Sendable () throws -> Context,
        each: @escaping @Sendable (Context, Sample) throws -> Void
    ) throws -> Double {
        let times = Times()
        let ready = DispatchGroup()
        let done = DispatchGroup()
        for _ in 0..<count {
            ready.enter()
            done.enter()
        }
        for _ in 0..<count {
            Thread.detachNewThread {
                defer { done.leave() }
                let context = Result { try prepare() }
                ready.leave()
                ready.wait()
                do {
                    let context = try context.get()
                    let begin = Floor_now()
                    for token in tokens { try each(context, token) }
                    let end = Floor_now()
                    times.state.withLock {
                        $0.begin = min($0.begin, begin)
                        $0.end = max($0.end, end)
                    }
                } catch {
                    times.state.withLock { $0.failure = error }
                }
            }
        }
        done.wait()
        let (begin, end, failure) = times.state.withLock { $0 }
        if let failure { throw failure }
        return Double(count * tokens.count) / (Double(end - begin) / 1e9)
    }
}
