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
        #expect(throws: CommandFailure.self) { try command.run(words) }
    }

    @Test("are listed once in the command's help, which lists nothing else")
    func commandHelp() throws {
        for command in Subcommand.all {
            let declared = command.options.map(\.name)
            #expect(Set(declared).count == declared.count, "\(command.name)")
            let words = command.name.split(separator: " ").map(String.init) + ["--help"]
            let help = try Command(words)
            #expect(help.status == 0 && help.error.isEmpty)
            #expect(entries(help.output, indent: 2) == mandatoryFirst(command.options))
            #expect(help.output.hasPrefix("paytoken \(command.name) \(command.usage)\n"))
            #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }

    @Test("are listed once in each step's part of the gateway's help", arguments: Gateway.allCases)
    func stepHelp(_ gateway: Gateway) throws {
        let help = try Command(["request", gateway.rawValue, "--help"]).output
        let parts = help.split(separator: "\n\n").dropFirst().prefix(gateway.steps.count)
        #expect(parts.count == gateway.steps.count)
        for (part, step) in zip(parts, gateway.steps) {
            let declared = step.options.map(\.name)
            #expect(Set(declared).count == declared.count, "\(step.name)")
            #expect(entries(String(part), indent: 6) == mandatoryFirst(step.options))
        }
    }

    @Test("are listed for one step where help names it, also behind an equals sign")
    func helpOfOneStep() throws {
        for words in [["--step", "session"], ["--step=session"]] {
            let help = try Command(["request", "dintero"] + words + ["--help"])
            #expect(help.status == 0)
            #expect(help.output.contains("--return-url") && !help.output.contains("--session-id"))
        }
        let unknown = try Command(["request", "dintero", "--step", "sesion", "--help"])
        #expect(unknown.status == 2)
        #expect(unknown.error.contains("no step sesion; did you mean session?"))
    }

    private func mandatoryFirst(_ options: [CommandOption]) -> [String] {
        (options.filter(\.isMandatory) + options.filter { !$0.isMandatory }).map(\.name)
    }

    @Test("name what is mandatory, and all that is missing is reported at once")
    func missing() {
        for command in Subcommand.all where command.name != RequestCommand.name {
            let mandatory = command.options.filter(\.isMandatory).map { option in
                let usage = "\(option) \(option.placeholder)"
                return option.alternatives.isEmpty
                    ? usage : "\(usage) (or \(option.alternatives.sentence))"
            }
            guard !mandatory.isEmpty else { continue }
            let failure = failure(command, [])
            #expect(failure?.status == .usage)
            #expect(failure?.message == "\(command.name) needs \(mandatory.sentence).")
        }
        for gateway in Gateway.allCases {
            for (step, isSent) in gateway.steps.flatMap({ [($0, false), ($0, true)] }) {
                var words = [gateway.rawValue, "--step", step.name]
                if isSent { words.append("--curl") }
                if step.input == .verified { words.append("--encrypted") }
                var names = step.options.filter { $0.isMandatory && (isSent || !$0.isNeededToSend) }
                    .map(\.name)
                if isSent, !gateway.hasUsualOrigin { names.append("--origin") }
                if step.input == .opened { names.append("--keys") }
                guard !names.isEmpty else { continue }
                let failure = #expect(throws: CommandFailure.self) { try RequestCommand(words) }
                #expect(failure?.status == .usage)
                let message = failure?.message ?? ""
                #expect(message.hasPrefix("\(gateway.rawValue) \(step.name) needs "))
                let said = message.dropLast().split { " ,()".contains($0) }.map(String.init)
                #expect(names.allSatisfy(said.contains), "\(message)")
            }
        }
    }

    @Test(
        "report what is missing in one sentence, with exit 2",
        arguments: [
            (
                "adyen --api-key-env A --keys k",
                "adyen payment needs --merchant-account NAME, --reference TEXT (or --order) and "
                    + "--return-url URL."
            ),
            (
                "adyen",
                "adyen payment needs --merchant-account NAME, --reference TEXT (or --order), --return-url URL and "
                    + "--keys PATH."
            ),
            (
                "adyen --curl",
                "adyen payment needs --api-key-env VARIABLE, --merchant-account NAME, --reference TEXT (or "
                    + "--order), --return-url URL and --keys PATH."
            ),
            (
                "adyen --batch --envelopes --api-key-env A --keys k",
                "adyen payment needs --merchant-account NAME and --return-url URL."
            ),
            ("paypal --keys k", "paypal payment needs --reference-id TEXT (or --order)."),
            (
                "paypal --keys k --dry-run-http",
                "paypal payment needs --access-token-env VARIABLE and --reference-id TEXT (or --order)."
            ),
            (
                "dintero --step session --amount 1",
                "dintero session needs --merchant-reference TEXT (or --order), --currency ALPHA3 (or --order) "
                    + "and --return-url URL."
            ),
            (
                "rbs --step order-status",
                "rbs order-status needs --order-id ID (or --order-number), --user-name NAME (or --token-env) "
                    + "and --password-env VARIABLE (or --token-env)."
            ),
            (
                "rbs --step deposit --reference 1 --token-env T",
                "rbs deposit needs --order-id ID, --operation NAME, --authorized-amount MINOR and --currency ALPHA3."
            ),
            (
                "worldline-direct --keys k --api-key-id i --dry-run-http",
                "worldline-direct payment needs --worldline-merchant-id ID, --secret-api-key-env VARIABLE and "
                    + "--merchant-reference TEXT (or --order)."
            ),
            (
                "worldline-direct --step hosted-checkout --amount 1 --currency EUR --merchant-reference r "
                    + "--return-url a:b --trial-billing-end-date x",
                "--trial-billing needs --trial-billing-amount MINOR and --trial-billing-label TEXT."
            ),
        ])
    func sentence(_ words: String, _ sentence: String) throws {
        let refused = try Command(["request"] + words.split(separator: " ").map(String.init))
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.error.hasSuffix("paytoken: \(sentence)\n"), "\(refused.error)")
    }

    @Test("refuse an unknown option, one without its value, and one that is given twice")
    func usage() {
        for command in Subcommand.all {
            let first = command.name == RequestCommand.name ? ["checkout"] : []
            let unknown = failure(command, first + ["--nonsense", "x"])
            #expect(unknown?.status == .usage)
            #expect(
                unknown?.message == "--nonsense is not an option here; --help lists the options.")
            for option in command.options where option.kind != .flag {
                let bare = failure(command, first + [option.name])
                #expect(bare?.status == .usage)
                #expect(
                    bare?.message == "\(option) needs a value: \(option) \(option.placeholder).")
                guard !option.isRepeatable else { continue }
                let twice = failure(command, first + [option.name, "1", "\(option)=2"])
                #expect(twice?.status == .usage)
                if option.name != "--step" {
                    #expect(twice?.message == "\(option) was given 2 times; give it once.")
                }
            }
            for option in command.options where option.kind == .flag {
                let valued = failure(command, first + ["\(option)=x"])
                #expect(valued?.message == "\(option) takes no value; write \(option) alone.")
            }
        }
    }

    @Test("refuse a reference that is given twice, also where envelopes state references")
    func twiceWithEnvelopes() throws {
        let refused = try Command(
            [
                "request", "adyen", "--batch", "--envelopes", "--reference", "A", "--reference",
                "B", "--merchant-account", "m", "--return-url", "a:b", "--api-key-env", "PATH",
                "--keys", "/nowhere",
            ], input: "")
        #expect(refused.status == 2)
        #expect(refused.error == "paytoken: --reference was given 2 times; give it once.\n")
    }

    @Test("write each name once")
    func names() throws {
        let folder = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Sources/Command/paytoken")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path()))
        var count = 0
        var names: [String: Int] = [:]
        for case let path as String in files where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for line in text.split(separator: "\n")
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let words = line.split { !$0.isLowercase && !$0.isNumber && $0 != "-" }
                for word in words where word.hasPrefix("--") && word.count > 2 {
                    names[String(word), default: 0] += 1
                }
            }
            count += 1
        }
        #expect(count > 40 && names.count > 150)
        #expect(names.filter { $0.value > 1 }.isEmpty)
    }
}
