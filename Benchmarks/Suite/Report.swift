import Foundation

/// The results of one run: a table for people, JSON for programs, and the budget's rows.
struct Report {
    /// One row of the budget.
    struct Ratio: Encodable {
        let name: String
        let value: Double
        let spread: Double
        let error: Double
        let budget: Double

        /// Whether a larger value is better.
        let isRate: Bool

        /// The factor by which the guard lets the value miss its budget.
        let allowance: Double

        /// Whether the value misses the budget by more than the allowance and by more than twice its
        /// standard error.
        ///
        /// Other programs on the machine make a value uncertain, and an uncertain value does not
        /// count as a regression.
        var isLost: Bool {
            isRate
                ? value * (1 + 2 * error) < budget / allowance
                : value * (1 - 2 * error) > budget * allowance
        }
    }

    private struct Row: Encodable {
        let name: String
        let microseconds: Double
        let spread: Double
    }

    private struct Contents: Encodable {
        let ratios: [Ratio]
        let allocationsPerToken: [String: Double]
        let rows: [Row]
        let tokensPerSecond: [String: Double]
    }

    private let contents: Contents
    private let oneShot: (command: Double, baseline: Double)

    /// The rate with two threads divided by the rate with one, for the library and for libcrypto
    /// alone.
    private let growth: (library: Double, libcrypto: Double)

    init(_ corpus: Corpus, isQuick: Bool) throws {
        let pipeline = try PipelineBenchmark(corpus, rounds: isQuick ? 25 : 150)
        let orders = try OrderBenchmark(corpus, rounds: isQuick ? 25 : 150)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let threadCounts = Set([1, 2, cores]).sorted()
        let threads = try ThreadBenchmark(
            corpus, threadCounts: threadCounts, rounds: isQuick ? 100...200 : 200...800)
        let command = try CommandBenchmark(corpus, isQuick: isQuick)
        oneShot = (command.oneShot.median, command.baseline.median)
        growth = (threads.growth(2).median, threads.floorGrowth(2).median)

        func ratio(
            _ name: String,
            _ value: Statistics,
            _ budget: Double,
            isRate: Bool = false,
            allowance: Double = 1.1
        ) -> Ratio {
            Ratio(
                name: name, value: value.median, spread: value.spread, error: value.error,
                budget: budget, isRate: isRate, allowance: allowance)
        }
        let allocations = pipeline.allocations
        contents = Contents(
            ratios: [
                ratio(
                    "warm-ec", pipeline.turns.ratio("EC_v1 library", over: "EC_v1 libcrypto"), 1.05),
                ratio(
                    "cold-ec",
                    pipeline.turns.ratio(
                        "EC_v1 library, chain not remembered",
                        over: "EC_v1 libcrypto with its chain"),
                    1.50),
                ratio(
                    "new-signer",
                    pipeline.turns.ratio("EC_v1 library, new signer", over: "EC_v1 library"), 4.00),
                ratio(
                    "forged-signer",
                    pipeline.turns.ratio("EC_v1 library, forged signer", over: "EC_v1 library"),
                    3.00),
                ratio(
                    "forged-intermediate",
                    pipeline.turns.ratio(
                        "EC_v1 library, forged intermediate", over: "EC_v1 library"),
                    10.00),
                // Reading text is slower, or libcrypto faster, on some machines: 18.7, 19.3 and 24.4 on three of them.
                ratio("dearest-json", pipeline.dearestJSON(corpus), 20.00, allowance: 1.3),
                ratio(
                    "refusal-chain",
                    pipeline.turns.ratio(
                        "EC_v1 library, refused at chain",
                        over: "EC_v1 library, chain not remembered"),
                    2.00),
                ratio(
                    "refusal-10000-keys",
                    pipeline.turns.ratio("EC_v1 refusal, 10,000 keys", over: "EC_v1 library"), 2.00),
                ratio(
                    "warm-rsa", pipeline.turns.ratio("RSA_v1 library", over: "RSA_v1 libcrypto"),
                    1.05),
                ratio("threads-2", threads.growthOverFloor(2), 0.98, isRate: true),
                ratio("batch", command.batchRatio, 0.85, isRate: true),
                ratio("decrypt-once", command.oneShotRatio, 2.30),
                ratio("pay", orders.memoryRatio, 1.30),
            ] + (orders.fileRatio.map { [ratio("pay-sqlite", $0, 1.30)] } ?? []),
            allocationsPerToken: [
                "pipeline": allocations.pipeline, "libcrypto": allocations.floor,
            ],
            rows: Self.rows(
                PipelineBenchmark.names + corpus.costlyTexts.map(\.name), pipeline.turns)
                + Self.rows(OrderBenchmark.names, orders.memory, ", ledger in memory")
                + (orders.file.map {
                    Self.rows(OrderBenchmark.fileNames, $0, ", SQLite, by the clock")
                } ?? []),
            tokensPerSecond: Dictionary(
                uniqueKeysWithValues: threadCounts.map {
                    ("\($0) threads", Statistics(threads.rates[$0] ?? []).median)
                } + [("batch", command.batchRate.median)])
        )
    }

    private static func rows(_ names: [String], _ turns: Turns, _ suffix: String = "") -> [Row] {
        names.map { name in
            let times = turns.times(name)
            return Row(name: name + suffix, microseconds: times.median, spread: times.spread)
        }
    }

    /// The JSON output, for programs.
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(contents)
        }
    }

    /// The table, for people; the last lines show the budget's rows.
    var table: String {
        var lines = [
            "µs of processor time per token or order, medians over \(Corpus.tokenCount) different tokens; ± half the",
            "distance of the quartiles", "",
        ]
        for row in contents.rows {
            lines.append(
                "\(Self.padded(row.name, 50)) \(Self.number(row.microseconds, 9)) ± \(Self.percent(row.spread))"
            )
        }
        lines.append("")
        for (name, rate) in contents.tokensPerSecond.sorted(by: { $0.key < $1.key }) {
            lines.append("\(Self.padded(name, 36)) \(Self.number(rate, 9)) tokens per second")
        }
        lines.append(
            "\(Self.padded("2 threads over 1", 36)) \(Self.number(growth.library, 9)) times, "
                + "libcrypto alone \(Self.number(growth.libcrypto, 0)) times")
        lines.append(
            "\(Self.padded("paytoken decrypt, one token", 36)) \(Self.number(oneShot.command, 9)) ms, "
                + "a program that loads libcrypto and a key \(Self.number(oneShot.baseline, 0)) ms")
        lines.append("")
        for ratio in contents.ratios {
            let relation = ratio.isRate ? "at least" : "at most"
            lines.append(
                "\(Self.padded(ratio.name, 18)) \(Self.number(ratio.value, 6)) ± \(Self.percent(ratio.spread)), "
                    + "its median ± \(Self.percent(ratio.error)), "
                    + "budget \(relation) \(Self.number(ratio.budget, 0))")
        }
        lines.append("")
        for ratio in contents.ratios {
            lines.append("ratio \(ratio.name) \(Self.number(ratio.value, 0))")
        }
        lines.append(
            "allocations warm-ec \(Self.number(contents.allocationsPerToken["pipeline"] ?? .nan, 0))"
        )
        return lines.joined(separator: "\n")
    }

    /// The rows that miss their budget by more than their allowance and by more than the machine's noise.
    var lost: Set<String> {
        var lost = Set(contents.ratios.filter(\.isLost).map(\.name))
        if (contents.allocationsPerToken["pipeline"] ?? .infinity) > 100 {
            lost.insert("allocations")
        }
        return lost
    }

    static func number(_ value: Double, _ width: Int) -> String {
        padded(String(format: "%.2f", value), -width)
    }

    static func percent(_ value: Double) -> String { String(format: "%.1f %%", value * 100) }

    /// Returns the text padded with spaces on the right, or on the left for a negative width.
    static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(abs(width) - text.count, 0))
        return width < 0 ? blanks + text : text + blanks
    }
}
