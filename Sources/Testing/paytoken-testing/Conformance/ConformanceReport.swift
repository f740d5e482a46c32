internal import ApplePayPrograms
internal import ApplePayWire

/// The results of all cases, for machines and for people.
struct ConformanceReport {
    /// The results, in the order of the cases.
    let results: [ConformanceResult]

    /// The number of lines that do not answer a case.
    let strayLines: Int

    /// The verdicts that the tables count, in the order of their columns.
    static let columns: [ConformanceVerdict] = [
        .correct, .declined, .falseAccept, .falseAcceptForm, .wrongPlaintext, .missingAnswer,
        .falseReject, .wrongStage,
    ]

    /// Whether all cases are free of false accepts, wrong plaintexts and missing answers.
    var isPassed: Bool { !results.contains { $0.verdict.isFailure } }

    /// The results that are not as expected.
    var findings: [ConformanceResult] { results.filter { !$0.verdict.isAcceptable } }

    /// Returns the number of results with each verdict, in the order of the columns.
    static func counts(
        _ results: [ConformanceResult]
    ) -> [(verdict: ConformanceVerdict, count: Int)] {
        columns.map { column in (column, results.count { $0.verdict == column }) }
    }

    /// The groups in the order of their first cases, each with its results.
    var groups: [(name: String, results: [ConformanceResult])] {
        var names: [ExactText] = []
        var groups: [ExactText: [ConformanceResult]] = [:]
        for result in results {
            if groups[result.vector.group] == nil { names.append(result.vector.group) }
            groups[result.vector.group, default: []].append(result)
        }
        return names.map { (String($0), groups[$0] ?? []) }
    }

    /// The report for machines: a JSON object for each finding, then one with the totals.
    var lines: [JSONLine] {
        let totals = JSONLine { json in
            json.member("passed", isPassed)
            json.member("cases", results.count)
            Self.write(results, to: &json)
            json.member("stray-lines", strayLines)
            json.object("groups") { json in
                for group in groups {
                    json.object(group.name) { Self.write(group.results, to: &$0) }
                }
            }
        }
        return findings.map { result in
            JSONLine { json in
                json.member("id", result.vector.id)
                json.member("group", result.vector.group)
                json.member("finding", result.verdict.rawValue)
                json.member("expected", result.vector.expected)
                json.member("answer", result.answer)
            }
        } + [totals]
    }

    private static func write(_ results: [ConformanceResult], to json: inout JSONOutput) {
        for (verdict, count) in counts(results) { json.member(verdict.rawValue, count) }
    }

    /// The report for people: a line for each group with findings, then the totals.
    var summary: String {
        var text = ""
        for group in groups {
            let parts = Self.counts(group.results)
                .filter { !$0.verdict.isAcceptable && $0.count > 0 }
                .map { "\($0.count) \($0.verdict.rawValue)" }
            guard !parts.isEmpty else { continue }
            text += "\(group.name.printable): \(parts.joined(separator: ", "))\n"
        }
        let counts = Self.counts(results).map { "\($0.count) \($0.verdict.rawValue)" }
        text += "\(results.count) cases: \(counts.joined(separator: ", ")).\n"
        if strayLines > 0 { text += "\(strayLines) lines of the answers belong to no case.\n" }
        return text
            + (isPassed
                ? "Passed: no false accept, no wrong plaintext and no missing answer.\n"
                : "Failed: there is a false accept, a wrong plaintext or a missing answer.\n")
    }
}
