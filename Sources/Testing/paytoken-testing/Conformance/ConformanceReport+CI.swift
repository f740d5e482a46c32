internal import ApplePayPrograms

/// The reports for CI systems.
extension ConformanceReport {
    /// A table of the groups and a list of the findings, in GitHub's Markdown.
    var markdown: String {
        var text = "# Conformance: \(isPassed ? "passed" : "failed")\n\n"
        text += "| group | cases | \(Self.columns.map(\.rawValue).joined(separator: " | ")) |\n"
        text += "|-|" + String(repeating: "-:|", count: Self.columns.count + 1) + "\n"
        for group in groups + [(name: "all", results: results)] {
            let numbers = Self.counts(group.results).map { "\($0.count)" }
                .joined(separator: " | ")
            text += "| \(Self.cell(group.name)) | \(group.results.count) | \(numbers) |\n"
        }
        if strayLines > 0 { text += "\n\(strayLines) lines of the answers belong to no case.\n" }
        guard !findings.isEmpty else { return text }
        text +=
            "\n| case | finding | what is special | expected | answer |\n|-|-|-|-|-|\n"
        for result in findings {
            let cells = [
                String(result.vector.id), result.verdict.rawValue, String(result.vector.comment),
                result.vector.expected, result.answer,
            ]
            text += "| \(cells.map(Self.cell).joined(separator: " | ")) |\n"
        }
        return text
    }

    /// Returns text for a cell of a Markdown table, escaped so that it contains neither markup nor HTML.
    private static func cell(_ text: String) -> String {
        var cell = ""
        for character in text.printable {
            if "\\`*_{}[]()#+!|~<>&".contains(character) {
                cell += character == "<" ? "&lt;" : character == "&" ? "&amp;" : "\\\(character)"
            } else {
                cell.append(character)
            }
        }
        return cell
    }

    /// A test suite for each group, in the JUnit XML that CI systems read.
    ///
    /// False rejects and wrong stages count as failures too.
    var junit: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites tests=\"\(results.count)\" failures=\"\(findings.count)\">\n"
        for group in groups {
            let failures = group.results.count { !$0.verdict.isAcceptable }
            text += "  <testsuite name=\"\(Self.escaped(group.name))\" "
            text += "tests=\"\(group.results.count)\" failures=\"\(failures)\">\n"
            for result in group.results {
                text += "    <testcase classname=\"\(Self.escaped(group.name))\" "
                text += "name=\"\(Self.escaped(String(result.vector.id)))\""
                guard !result.verdict.isAcceptable else {
                    text += "/>\n"
                    continue
                }
                let message =
                    "\(result.verdict.rawValue): expected \(result.vector.expected), "
                    + "answer: \(result.answer)"
                text += "><failure type=\"\(result.verdict.rawValue)\" "
                text += "message=\"\(Self.escaped(message))\"/></testcase>\n"
            }
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    /// Returns text for an element or attribute of HTML or XML; control characters become visible escapes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.printable.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // XML 1.0 does not allow these characters.
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
