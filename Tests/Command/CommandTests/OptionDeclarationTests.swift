import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrograms
import Foundation
import TestVectors
import Testing

@testable import paytoken

@Suite("The declarations of options")
struct OptionDeclarationTests {
    /// Returns the options that a help text lists at an indentation, in order.
    private func entries(_ help: String, indent: Int) -> [String] {
        let start = String(repeating: " ", count: indent)
        return help.split(separator: "\n").filter { $0.hasPrefix(start + "--") }
            .map { line in String(line.dropFirst(indent).prefix { $0 != " " }) }
    }

    /// Returns the command's failure for some words.
    private func failure(_ command: Subcommand, _ words: [String]) -> CommandFailure? {
        #expect(throws: CommandFailure.self) { try command.run(words, .paytoken) }
    }

    @Test("are listed once in the command's help, which lists nothing else")
    func commandHelp() throws {
        for command in Program.paytoken.commands {
            let declared = command.options.map(\.name)
            #expect(Set(declared).count == declared.count, "\(command.name)")
            let words = command.name.split(separator: " ").map(String.init) + ["--help"]
            let help = try Command(words)
            #expect(help.status == 0 && help.error.isEmpty)
            let listed = entries(help.output, indent: 2)
            let mandatory = command.options.filter(\.isMandatory).map(\.name)
            #expect(listed.sorted() == declared.sorted(), "\(command.name)")
            #expect(Array(listed.prefix(mandatory.count)) == mandatory, "\(command.name)")
            #expect(help.output.hasPrefix("paytoken \(command.synopsis)\n"))
            #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }

    @Test("name what is mandatory, and all that is missing is reported at once")
    func missing() {
        for command in Program.paytoken.commands {
            let mandatory = command.options.filter(\.isMandatory).map { option in
                let usage = "\(option) \(option.placeholder)"
                return option.alternatives.isEmpty
                    ? usage : "\(usage) (or \(option.alternatives.map(\.name).alternatives))"
            }
            guard !mandatory.isEmpty else { continue }
            let failure = failure(command, [])
            #expect(failure?.status == .usage)
            #expect(
                failure?.message
                    == "\(command.name) needs \(mandatory.sentence). `paytoken \(command.name) --help` describes the "
                    + "options.")
        }
    }

    @Test("refuse an unknown option, one without its value, and one that is given twice")
    func usage() {
        for command in Program.paytoken.commands {
            let unknown = failure(command, ["--nonsense", "x"])
            #expect(unknown?.status == .usage)
            #expect(
                unknown?.message
                    == "--nonsense is not an option here. `paytoken \(command.name) --help` lists the options."
            )
            for option in command.options where option.kind != .flag {
                let bare = failure(command, [option.name])
                #expect(bare?.status == .usage)
                #expect(
                    bare?.message == "\(option) needs a value: \(option) \(option.placeholder).")
                guard !option.isRepeatable else { continue }
                let twice = failure(command, [option.name, "1", "\(option)=2"])
                #expect(twice?.status == .usage)
                #expect(twice?.message == "\(option) was given 2 times; give it once.")
            }
            for option in command.options where option.kind == .flag {
                let valued = failure(command, ["\(option)=x"])
                #expect(valued?.message == "\(option) takes no value; write \(option) alone.")
            }
        }
    }

    @Test("write each name once")
    func names() throws {
        let sources = TestVectors.directory.deletingLastPathComponent().appending(path: "Sources")
        let files = try ["Programs", "Service", "Command"].flatMap { group in
            try FileManager.default.subpathsOfDirectory(
                atPath: sources.appending(path: group).path()
            ).map { "\(group)/\($0)" }
        }
        var count = 0
        var names: [String: Int] = [:]
        for path in files where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n")
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let words = line.split { !$0.isLowercase && !$0.isNumber && $0 != "-" }
                for word in words where word.hasPrefix("--") && word.count > 2 {
                    names[String(word), default: 0] += 1
                }
            }
            count += 1
        }
        #expect(count > 40 && names.count > 50)
        #expect(names.filter { $0.value > 1 }.isEmpty)
    }
}
