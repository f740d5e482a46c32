internal import ApplePayPrimitives
internal import ApplePayPrograms

/// The result of a check; the raw values are names for machines.
enum CheckResult: String {
    case passed
    case warning
    case failed
    case notReached = "not-reached"

    /// One character that shows the result.
    var mark: String {
        switch self {
        case .passed: "✓"
        case .warning: "!"
        case .failed: "✗"
        case .notReached: "·"
        }
    }

    /// How marks and headings are written.
    fileprivate var appearance: TerminalStyle.Appearance {
        switch self {
        case .passed: .green
        case .warning: .yellow
        case .failed: .red
        case .notReached: .faint
        }
    }
}

/// A check or a fact, with the entries below it.
struct TreeEntry {
    let result: CheckResult?

    /// The name of the check or fact; empty for a text without a name.
    let name: String

    /// A value or sentences.
    let text: String

    /// What to do, a sentence each.
    let advice: [String]

    /// The entries below this one.
    let entries: [TreeEntry]

    init(
        _ result: CheckResult?,
        _ name: String,
        _ text: String,
        advice: [String] = [],
        entries: [TreeEntry] = []
    ) {
        self.result = result
        self.name = name
        self.text = text
        self.advice = advice
        self.entries = entries
    }

    /// Creates a fact.
    init(_ name: String, _ text: String, entries: [TreeEntry] = []) {
        self.init(nil, name, text, entries: entries)
    }

    /// The mark and the name.
    fileprivate var head: String {
        [result?.mark ?? "", name.printable].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Returns the column after the longest head of this entry and those below it, with two spaces.
    ///
    /// - Parameter branch: The width of the branch before this entry's head.
    /// - Returns: The column, counted from 0.
    fileprivate func column(branch: Int = 0) -> Int {
        entries.reduce(branch + head.count + 2) {
            max($0, $1.column(branch: branch == 0 ? 4 : branch + 2))
        }
    }
}

/// Text for people: a heading and a tree, in lines of limited width.
///
/// Characters that control a terminal are escaped, whatever entries contain.
struct TreeText {
    /// The lines, each with its line feed.
    private(set) var text = ""

    private let style: TerminalStyle

    /// The column in which all texts begin.
    private let column: Int

    init(_ heading: String, _ result: CheckResult, _ entries: [TreeEntry], style: TerminalStyle) {
        self.style = style
        column = entries.map { $0.column() }.max() ?? 0
        for line in Self.lines(heading.printable, width: style.width) {
            text += style.text(line, result.appearance, .bold) + "\n"
        }
        text += "\n"
        for entry in entries { add(entry, branch: "", stem: "", below: "  ") }
    }

    /// Adds an entry and all entries below it.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - branch: The beginning of its first line.
    ///   - stem: The beginning of its other lines.
    ///   - below: The beginning of all lines below it.
    private mutating func add(_ entry: TreeEntry, branch: String, stem: String, below: String) {
        addHead(entry, branch: branch, stem: stem)
        let start = below + (entry.entries.isEmpty ? "" : "│ ")
        for sentence in entry.advice {
            let lines = Self.lines(sentence.printable, width: style.width - start.count - 2)
            for (number, line) in lines.enumerated() {
                text += style.text(start, .faint)
                text += style.text(number == 0 ? "→ " : "  ", .bold) + line + "\n"
            }
        }
        for (index, next) in entry.entries.enumerated() {
            let isLast = index == entry.entries.count - 1
            let stem = below + (isLast ? "  " : "│ ")
            add(next, branch: below + (isLast ? "└ " : "├ "), stem: stem, below: stem)
        }
    }

    /// Adds the mark, the name and the text of an entry.
    private mutating func addHead(_ entry: TreeEntry, branch: String, stem: String) {
        text += style.text(branch, .faint)
        switch entry.result {
        case .notReached: text += style.text(entry.head, .faint)
        case .failed: text += style.text(entry.head, .red, .bold)
        case let result?:
            text += style.text(result.mark, result.appearance) + entry.head.dropFirst(1)
        case nil: text += entry.head
        }
        let printable = entry.text.printable
        // An entry without a name begins where names begin.
        let column = entry.name.isEmpty ? branch.count + (entry.result == nil ? 0 : 2) : column
        // A long word, such as a hash or a command, gets a line without the name, so that it can be copied in one piece.
        let isBelow = Self.words(printable, width: style.width).contains {
            $0.count > style.width - column
        }
        let indentation = isBelow ? stem.count + 2 : column
        var lines = Self.lines(printable, width: style.width - indentation)
        if !isBelow, !lines.isEmpty {
            text += String(repeating: " ", count: column - branch.count - entry.head.count)
            text += body(lines.removeFirst(), of: entry)
        }
        text += "\n"
        let space = String(repeating: " ", count: indentation - stem.count)
        for line in lines {
            text += style.text(stem, .faint) + space + body(line, of: entry) + "\n"
        }
    }

    /// Returns a line of an entry's text.
    private func body(_ line: String, of entry: TreeEntry) -> String {
        entry.result == .notReached ? style.text(line, .faint) : line
    }

    /// Returns text in lines of at most `width` characters; only longer words are divided.
    private static func lines(_ text: String, width: Int) -> [String] {
        let width = max(width, 1)
        var lines: [String] = []
        for word in words(text, width: width) {
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] = "\(last) \(word)"
                continue
            }
            var rest = word[...]
            while rest.count > width {
                lines.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            }
            lines.append(String(rest))
        }
        return lines
    }

    /// Returns the words of a text; a command between backquotes is one word if it has at most `width` characters.
    private static func words(_ text: String, width: Int) -> [String] {
        var words: [String] = []
        var isCommand = false
        for word in text.split(separator: " ") {
            if isCommand {
                words[words.count - 1] += " \(word)"
            } else {
                words.append(String(word))
            }
            if !word.count(where: { $0 == "`" }).isMultiple(of: 2) { isCommand.toggle() }
        }
        return words.flatMap {
            $0.count <= width ? [$0] : $0.split(separator: " ").map(String.init)
        }
    }
}
