import ApplePayToken
import BenchmarkFloor
import Dispatch
import TokenMint

/// How the road's rate grows with the threads that share one decryptor.
struct ThreadBenchmark {
    /// Tokens per second of the road and of libcrypto alone, by the number of threads, one value a round.
    private(set) var rates: [Int: [Double]] = [:]
    private(set) var floorRates: [Int: [Double]] = [:]

    /// Measures each number of threads in turns.
    init(_ corpus: Corpus, threadCounts: [Int], rounds: Int) throws {
        let decryptor = try corpus.decryptor()
        _ = try decryptor.decrypt(corpus.ec[0].text, agePolicy: Corpus.receipt)
        let repetitions = 12
        for _ in 0..<rounds {
            for count in threadCounts {
                let tokens = Double(count * repetitions * Corpus.tokenCount)
                let seconds = Self.seconds(threads: count) {
                    for _ in 0..<repetitions {
                        for token in corpus.ec {
                            _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
                        }
                    }
                }
                rates[count, default: []].append(tokens / seconds)
                let floorSeconds = Self.seconds(threads: count) {
                    let floor = try corpus.floor(.ec)
                    for _ in 0..<repetitions { for token in corpus.ec { try floor.run(token) } }
                }
                floorRates[count, default: []].append(tokens / floorSeconds)
            }
        }
    }

    /// The rate with `count` threads over that with one, round by round.
    func growth(_ count: Int) -> Statistics {
        Statistics(zip(rates[count] ?? [], rates[1] ?? []).map { $0 / $1 })
    }

    /// The same of libcrypto alone: what the machine gives.
    func floorGrowth(_ count: Int) -> Statistics {
        Statistics(zip(floorRates[count] ?? [], floorRates[1] ?? []).map { $0 / $1 })
    }

    /// The time from the first thread's start to the last one's end.
    static func seconds(threads count: Int, _ body: @Sendable () throws -> Void) -> Double {
        let start = Floor_now()
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            // What is measured was opened before; a failure here would show as an absurd rate.
            try? body()
        }
        return Double(Floor_now() - start) / 1e9
    }
}
