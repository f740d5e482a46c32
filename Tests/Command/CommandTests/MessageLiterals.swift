import ApplePayGatewayFiles
import Foundation
import TestVectors

/// The texts of messages in the source code of the command.
struct MessageLiterals {
    /// The calls whose arguments are messages.
    private static let calls = [
        ".usage(", ".means(", ".explained(", "Notice.write(", ".envelope(", "FileError(",
    ]

    /// The pieces of text between interpolations that have at least eight characters, by file.
    static func byFile() throws -> [String: Set<String>] {
        let folder = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Sources/Command/paytoken")
        var pieces: [String: Set<String>] = [:]
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path())
        for path in paths where path.hasSuffix(".swift") {
            let file = folder.appending(path: path)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            var literals = MessageLiterals(Array(code.joined(separator: "\n")))
            let found = literals.pieces()
            if !found.isEmpty { pieces[path] = found }
        }
        return pieces
    }

    private let code: [Character]
    private var position = 0

    private init(_ code: [Character]) {
        self.code = code
    }

    private mutating func pieces() -> Set<String> {
        let calls = Self.calls.map { Array($0) }
        var pieces: Set<String> = []
        for start in code.indices {
            guard
                let call = calls.first(where: {
                    $0[0] == code[start] && code[start...].starts(with: $0)
                })
            else { continue }
            position = start + call.count - 1
            for literal in literals() {
                for piece in literal {
                    let text = piece.trimmingCharacters(in: .whitespaces)
                    if text.count >= 8 { pieces.insert(text) }
                }
            }
        }
        return pieces
    }

    /// Reads the string literals between the parenthesis at the position and the one that closes it.
    private mutating func literals() -> [[String]] {
        var literals: [[String]] = []
        var depth = 0
        while position < code.count {
            switch code[position] {
            case "\"":
                literals.append(literal())
                continue
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { break }
        }
        return literals
    }

    /// Reads the string literal at the position; returns the texts between its interpolations.
    private mutating func literal() -> [String] {
        let isRaw = position > 0 && code[position - 1] == "#"
        var pieces = [""]
        position += 1
        while position < code.count, code[position] != "\"" || (isRaw && code[position + 1] != "#")
        {
            let character = code[position]
            position += 1
            guard character == "\\", !isRaw else {
                pieces[pieces.count - 1].append(character)
                continue
            }
            if code[position] == "(" {
                _ = literals()
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(code[position] == "n" ? "\n" : code[position])
                position += 1
            }
        }
        position += 1
        return pieces
    }
}
