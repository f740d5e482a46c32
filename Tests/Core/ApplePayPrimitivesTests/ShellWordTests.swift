import Foundation
import Testing

@testable import ApplePayPrimitives

@Suite("Words of a command line")
struct ShellWordTests {
    @Test(
        "are quoted only if a shell requires it",
        arguments: [
            ("keys/one.pem", "keys/one.pem"), ("", "''"), ("a b", "'a b'"), ("-x", "./-x"),
            ("-", "-"),
            ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"), ("~", "'~'"), ("ä", "'ä'"),
            ("a'\u{301}b", "'a'\\''\u{301}b'"), ("-\u{301}", "'./-\u{301}'"),
            ("a\u{1B}'\\`", #"$'a\x1b\'\\\x60'"#), ("a\u{202E}b", #"$'a\xe2\x80\xaeb'"#),
        ])
    func quoted(_ text: String, _ word: String) {
        #expect(text.shellWord.utf8.elementsEqual(word.utf8))
    }

    @Test(
        "are read back by a shell",
        .enabled(if: FileManager.default.fileExists(atPath: "/bin/bash")))
    func read() throws {
        for text in [
            "a b", "it's", "", "$HOME `id` \"x\" \\", "a\u{1B}\n'\\`\u{202E}", "*?[a]{b}!#&;|<>",
            "'\u{301};echo '\u{301}",
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-c", "printf %s \(text.shellWord)"]
            process.environment = ["LC_ALL": "C.UTF-8"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(String(decoding: output, as: UTF8.self) == text)
        }
    }
}
