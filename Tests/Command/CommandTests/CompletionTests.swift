import ApplePayOrderPrograms
import ApplePayPrograms
import Foundation
import Testing

@testable import paytoken

@Suite("Completions and manual pages")
struct CompletionTests {
    private static func isInstalled(_ program: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
    }

    /// Returns the words that bash proposes at the end of a command line.
    private func proposed(_ line: String) throws -> Set<String> {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let run = try Command(
            [
                "-c",
                """
                source /dev/stdin
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
                _paytoken && printf '%s\\n' "${COMPREPLY[@]}"
                """, "bash",
            ] + words, program: "/bin/bash", input: Completions(of: .paytoken).script(for: .bash))
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return Set(run.output.split(separator: "\n").map(String.init))
    }

    @Test("propose commands, their second words, options and values in bash")
    func bash() throws {
        #expect(try proposed("paytoken dec") == ["decrypt"])
        #expect(try proposed("paytoken keys l") == ["list"])
        #expect(try proposed("paytoken keys ") == ["csr", "hash", "list", "new"])
        #expect(try proposed("paytoken keys list --fail") == ["--fail-within"])
        #expect(try proposed("paytoken gateway sch") == ["schema"])
        #expect(try proposed("paytoken gateway example be") == ["bepaid"])
        #expect(try proposed("paytoken gateway example or") == ["order"])
        #expect(try proposed("paytoken gateway schema worldline-d") == ["worldline-direct"])
        #expect(try proposed("paytoken completions fi") == ["fish"])
        #expect(try proposed("paytoken request --gate") == ["--gateway"])
        #expect(try proposed("paytoken payments capture --final t") == ["true"])
        #expect(try proposed("paytoken keys new --kind r") == ["rsa"])
        #expect(try proposed("paytoken verify --environment prod") == ["production"])
        #expect(try proposed("paytoken pay --accept ") == ["authorized"])
        #expect(try proposed("paytoken session --region = ch") == ["china"])
    }

    @Test(
        "propose the same options and values in fish",
        .enabled(if: isInstalled("fish")))
    func fish() throws {
        func proposed(_ line: String) throws -> Set<Substring> {
            let run = try Command(
                [
                    "--no-config", "-c", "source /dev/stdin; complete -C $argv[1] | cut -f 1", line,
                ], program: "/usr/bin/fish", input: Completions(of: .paytoken).script(for: .fish))
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
            return Set(run.output.split(separator: "\n"))
        }
        #expect(try proposed("paytoken request --a") == ["--any-age", "--at"])
        #expect(try proposed("paytoken pay --accept ") == ["authorized"])
        #expect(try proposed("paytoken keys l").contains("list"))
    }

    @Test("propose files in bash where they belong, and nothing where any text does")
    func files() throws {
        try GatewayFiles.with { folder in
            let (start, file) = ("\(folder)/bepaid.js", ["\(folder)/bepaid.json"] as Set)
            for line in [
                "decrypt", "request", "receive", "keys hash", "ledger show",
                "request --gateway", "keys csr --key", "decrypt --keys",
            ] {
                let proposed = try proposed("paytoken \(line) \(start)")
                #expect(proposed == file, "\(line)")
            }
            for line in [
                "card add", "payments show", "gateway list", "completions", "decrypt --max-age",
                "decrypt --passphrase-env",
            ] {
                let proposed = try proposed("paytoken \(line) \(start)")
                #expect(proposed.isEmpty, "\(line)")
            }
        }
    }

    @Test(
        "are read by the shells without an error",
        arguments: [(Shell.bash, ["-n"]), (.zsh, ["-n"]), (.fish, ["--no-execute"])]
    )
    func syntax(_ shell: Shell, _ options: [String]) throws {
        // A script is checked only if its shell is installed, but always written.
        let script = try Command(["completions", shell.rawValue])
        #expect(script.status == 0 && script.output.contains("Completions of paytoken for"))
        guard Self.isInstalled(shell.rawValue) else { return }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try script.output.write(to: file, atomically: true, encoding: .utf8)
        let checked = try Command(
            options + [file.path()], program: "/usr/bin/\(shell.rawValue)")
        #expect(checked.status == 0 && checked.error.isEmpty, "\(checked.error)")
    }

    @Test("have all options in the manual of each command, and no warning of groff")
    func manual() throws {
        for command in Program.paytoken.commands {
            let page = try Command(["manual"] + command.name.split(separator: " ").map(String.init))
            #expect(page.status == 0)
            for option in command.options {
                let name = option.name.replacing("-", with: #"\-"#)
                #expect(page.output.contains(name), "\(command.name) \(option)")
            }
            try checkRoff(page.output)
        }
        let program = try Command(["manual"])
        #expect(program.output.contains(#".BR paytoken\-keys\-list (1)"#))
        try checkRoff(program.output)
        #expect(try Command(["manual", "decript"]).error.contains("did you mean decrypt?"))
    }

    private func checkRoff(_ page: String) throws {
        guard Self.isInstalled("groff") else { return }
        let checked = try Command(
            ["-man", "-ww", "-z", "-Kutf8"], program: "/usr/bin/groff", input: page)
        #expect(checked.status == 0 && checked.error.isEmpty, "\(checked.error)")
    }
}
