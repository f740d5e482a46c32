import Foundation

/// Compares the time from a token's bytes to a payment with the minimum that libcrypto needs.
@main
enum Main {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static let usage = """
        benchmarks [--quick] [--json FILE] [--guard]   the table and the ratios; --guard fails when a
                                                       ratio misses its budget by more than a tenth
                                                       (dearest-json: three) and by more than twice
                                                       its standard error
        benchmarks growth [--quick] [--json FILE]      the cost of a token as tokens, keys and signers grow
        benchmarks plot FILE                           the growth that FILE holds, as SVG

        """

    /// Fails if a row exceeds its budget in three runs, because other programs on the machine may
    /// spoil one run.
    private static func check(_ report: Report, _ corpus: Corpus) throws {
        var lost = report.lost
        for _ in 0..<2 where !lost.isEmpty {
            lost.formIntersection(try Report(corpus, isQuick: true).lost)
        }
        guard lost.isEmpty else {
            throw BenchmarkFailure("out of budget: \(lost.sorted().joined(separator: ", "))")
        }
    }

    private static func run(_ words: [String]) throws {
        var options = words
        func flag(_ name: String) -> Bool {
            let isThere = options.contains(name)
            options.removeAll { $0 == name }
            return isThere
        }
        func value(_ name: String) throws -> String? {
            guard let place = options.firstIndex(of: name) else { return nil }
            guard place + 1 < options.count else { throw BenchmarkFailure("\(name) needs a value") }
            defer { options.removeSubrange(place...place + 1) }
            return options[place + 1]
        }
        let isQuick = flag("--quick")
        let isGuard = flag("--guard")
        let json = try value("--json")
        switch options {
        case []:
            let corpus = try Corpus()
            let report = try Report(corpus, isQuick: isQuick)
            print(report.table)
            try json.map { try report.json.write(to: URL(filePath: $0)) }
            if isGuard { try check(report, corpus) }
        case ["growth"]:
            let growth = try Growth(Corpus(), isQuick: isQuick)
            print(growth.table)
            try json.map { try growth.json.write(to: URL(filePath: $0)) }
        case let options where options.first == "plot" && options.count == 2:
            let growth = try Growth(json: Data(contentsOf: URL(filePath: options[1])))
            print(Plot(growth).svg, terminator: "")
        default:
            throw BenchmarkFailure("unknown words\n\n\(usage)")
        }
    }
}
