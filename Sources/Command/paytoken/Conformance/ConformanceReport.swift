/// The results of all cases, for machines and for people.
struct ConformanceReport {
    /// The results, in the order of the cases.
    let results: [ConformanceResult]

    /// The number of lines that do not answer a case.
    let strayLines: Int

    /// The verdicts that the tables count, in the order of their columns.
    static let columns: [ConformanceVerdict] = [
        .correct, .declined, .falseAccept, .wrongPlaintext, .missingAnswer, .falseReject,
        .wrongStage,
    ]

    /// Whether all cases are free of false accepts, wrong plaintexts and missing answers.
    var isPassed: Bool { !results.contains { $0.verdict.isFailure } }

    /// The results that are not as expected.
    var findings: [ConformanceResult] { results.filter { !$0.verdict.isAcceptable } }

    /// Returns the number of results with each verdict.
    static func counts(_ results: [ConformanceResult]) -> [ConformanceVerdict: Int] {
        results.reduce(into: [:]) { $0[$1.verdict, default: 0] += 1 }
    }

    /// The groups in the order of their first cases, each with its results.
    var groups: [(name: String, results: [ConformanceResult])] {
        var names: [String] = []
        var groups: [String: [ConformanceResult]] = [:]
        for result in results {
            if groups[result.vector.group] == nil { names.append(result.vector.group) }
            groups[result.vector.group, default: []].append(result)
        }
        return names.map { ($0, groups[$0] ?? []) }
    }

    /// The report for machines: a JSON object for each finding, then one with the totals.
    var lines: String {
        let totals = Self.totals(results)
        let byGroup = groups.map { "\(JSONText.string($0.name)):{\(Self.totals($0.results))}" }
        return findings.map { result in
            let members = [
                ("id", result.vector.id), ("group", result.vector.group),
                ("finding", result.verdict.rawValue), ("expected", result.vector.expected),
                ("answer", result.answer),
            ]
            let text = members.map { "\(JSONText.string($0)):\(JSONText.string($1))" }
            return "{\(text.joined(separator: ","))}\n"
        }.joined()
            + "{\"passed\":\(isPassed),\"cases\":\(results.count),\(totals),"
            + "\"stray-lines\":\(strayLines),\"groups\":{\(byGroup.joined(separator: ","))}}\n"
    }

    private static func totals(_ results: [ConformanceResult]) -> String {
        let counts = counts(results)
        return columns.map { "\"\($0.rawValue)\":\(counts[$0] ?? 0)" }.joined(separator: ",")
    }

    /// The report for people: a line for each group with findings, then the totals.
    var summary: String {
        var text = ""
        for group in groups {
            let counts = Self.counts(group.results)
            let findings = Self.columns.filter { !$0.isAcceptable && counts[$0] != nil }
            guard !findings.isEmpty else { continue }
            let parts = findings.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
            text += "\(group.name.printable): \(parts.joined(separator: ", "))\n"
        }
        let counts = Self.counts(results)
        text += "\(results.count) cases: "
        text += Self.columns.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
        text += ".\n"
        if strayLines > 0 { text += "\(strayLines) lines of the answers belong to no case.\n" }
        return text
            + (isPassed
                ? "Passed: no false accept, no wrong plaintext and no missing answer.\n"
                : "Failed: there is a false accept, a wrong plaintext or a missing answer.\n")
    }
}

/// Writes JSON strings.
enum JSONText {
    /// Returns a JSON string.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
