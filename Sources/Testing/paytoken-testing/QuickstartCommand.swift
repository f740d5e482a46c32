internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import FoundationEssentials

/// `paytoken-testing quickstart`: makes a test PKI and an order in a folder, and prints the commands that come next.
///
/// The output is a shell script: what it prints for people are comments. Tokens are valid for 300 s, so the commands make
/// them.
struct QuickstartCommand: PreparedCommand {
    static let options: [CommandOption] = []

    private let path: String

    /// The folder of the programs, with a slash at its end, if this one was not found through PATH.
    private let programs: String

    init(_ arguments: Arguments) throws(CommandFailure) {
        guard arguments.operands.count == 1, let path = arguments.operands.first, !path.isEmpty,
            !path.hasPrefix("-")
        else { throw .usage("quickstart takes one word: the name of a new folder.") }
        self.path = path
        let own = CommandLine.arguments.first ?? ""
        programs = own.lastIndex(of: "/").map { String(own[...$0]) } ?? ""
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let contents = try? FileManager.default.contentsOfDirectory(atPath: path)
        if let contents {
            guard contents.isEmpty else {
                throw .means("\(path) is not empty; name a new folder, or remove this one.")
            }
        } else {
            try PKICommand.createFolder(path, mode: 0o755)
        }
        do {
            try PKICommand(folder: "\(path)/pki").write()
            try PKICommand.write(
                """
                {"reference":"order-1001","amount":1099,"currency":"EUR","description":"Test"}

                """, to: "\(path)/order.json", mode: 0o644)
        } catch {
            // This command created what is in the folder, and the folder unless it existed.
            try? FileManager.default.removeItem(atPath: "\(path)/pki")
            if contents == nil { try? FileManager.default.removeItem(atPath: path) }
            throw error
        }
        return StandardStream.output.write(script) ? .done : .means
    }

    /// The five commands, each after a comment that explains it.
    private var script: String {
        func program(_ name: String) -> String { "\(programs)\(name)".shellWord }
        func file(_ name: String) -> String { "\(path)/\(name)".shellWord }
        let token = """
            \(program("paytoken-testing")) token --pki \(file("pki")) --for \(file("pki/merchants/one.cert.pem")) \\
                --amount 1099 --currency EUR > \(file("token.json")) &&
            """
        let keys =
            "--keys \(file("pki/merchants")) --test-trust-anchor \(file("pki/root.pem"))"
        let account = "--gateway \(file("gateways/bepaid.json")) --ledger \(file("ledger"))"
        return """
            # \(path.shellWord) has the keys of a test merchant, and an order of 10.99 EUR. These five commands come next.

            # 1. Create the ledger, in which each order is paid once, and check the installation.
            \(program("paytoken")) ledger init --window 300 --ledger \(file("ledger")) &&
                \(program("paytoken")) doctor --keys \(file("pki/merchants")) --ledger \(file("ledger"))

            # 2. Make a token, as a customer's device does, and decrypt it.
            \(token)
                \(program("paytoken")) decrypt \(file("token.json")) --order \(file("order.json")) \\
                \(keys)

            # 3. Start gateways on this machine, which move no money. They print their address; errors are in sandbox.log.
            (\(program("gateway-sandbox")) --files \(file("gateways")) 2> \(file("sandbox.log")) &
                echo $! > \(file("sandbox.pid"))) | head -n 1 | tee \(file("address"))

            # 4. Pay the order with a new token at one of them, bePaid.
            \(token)
                \(program("paytoken")) pay \(file("token.json")) --order \(file("order.json")) \\
                \(keys) \\
                \(account)

            # 5. Refund a part of it.
            \(program("paytoken")) payments refund order-1001 --amount 500 --reason returned \\
                \(account)

            # The gateways run until you end them: kill $(cat \(file("sandbox.pid")))

            """
    }
}
