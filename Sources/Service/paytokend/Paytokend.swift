internal import ApplePayOrderPrograms
internal import ApplePayPrograms

/// The service: pays orders for other programs, in a process with keys, and sends in another one without.
@main
enum Paytokend {
    static func main() {
        MemoryArenas.limit()
        let isManual = CommandLine.arguments.dropFirst().first == "manual"
        Program.paytokend.main(isService: !isManual)
    }
}

extension Program {
    static let paytokend = Program(
        name: "paytokend",
        summary: "pays orders for other programs, over HTTP on a Unix socket",
        description: """
            Verifies and decrypts Apple Pay payment tokens, and pays orders with them, for
            programs in any language, which have neither keys nor account numbers.
            """,
        operand: "OperateService.md explains the service; ForEveryLanguage.md has its clients.",
        exits: [
            .done: "it was ended, or the description was printed",
            .usage: "the command line or a gateway file is wrong",
            .means: "a key, a file, the ledger or the system failed",
        ],
        commands: [
            Subcommand(
                "",
                "\(CommandOption.socket.usage) \(CommandOption.ledger.usage) \(CommandOption.gateway.usage) "
                    + "\(CommandOption.keys) PATH…",
                "pay orders for other programs, over HTTP on a Unix socket; these have neither keys nor account numbers",
                ServeCommand.self,
                examples:
                    "\(CommandOption.socket) /run/paytoken/socket \(CommandOption.ledger) orders "
                    + "\(CommandOption.gateway) shop.json \(CommandOption.keys) keys"),
            Subcommand(
                "send", CommandOption.socket.usage,
                "send the service's requests, in a process without keys; paytokend starts it unless systemd does",
                SendCommand.self, examples: "send \(CommandOption.socket) /run/paytoken-send/socket"
            ),
            Subcommand(
                "reload", "\(CommandOption.socket.usage) \(ReloadCommand.process.usage)",
                "let a running service load keys and gateway files anew, and fail if it keeps the old ones",
                ReloadCommand.self,
                examples:
                    "reload \(CommandOption.socket) /run/paytoken/socket \(ReloadCommand.process) 4711"
            ),
            .manual(of: "send"),
        ])
}
