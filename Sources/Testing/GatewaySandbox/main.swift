import ApplePayTokenTestingPrimitives
import Glibc

/// The command line of `gateway-sandbox`.
struct CommandLineOptions {
    /// The port; 0 for any free one.
    var port: UInt16 = 0

    /// How long the connection of a request that times out stays open, in seconds.
    var silence = 120

    /// How long after its request a late payment is made, in seconds.
    var delay = 30

    /// The folder for gateway files; nil to write none.
    var folder: String?

    /// Where the gateways send their messages; nil to send none.
    var shop: ShopAddress?

    /// Whether the help is printed instead of serving.
    var printsHelp = false

    /// Reads the command-line arguments; nil if they are wrong.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help": printsHelp = true
            case "--port":
                guard let value = rest.popFirst().flatMap({ UInt16($0) }) else { return nil }
                port = value
            case "--silence":
                guard let value = rest.popFirst().flatMap({ Int($0) }), (1...3600).contains(value)
                else { return nil }
                silence = value
            case "--late":
                guard let value = rest.popFirst().flatMap({ Int($0) }), (0...3600).contains(value)
                else { return nil }
                delay = value
            case "--files":
                guard let value = rest.popFirst(), !value.isEmpty else { return nil }
                folder = value
            case "--notify":
                guard let value = rest.popFirst().flatMap(ShopAddress.init) else { return nil }
                shop = value
            default: return nil
            }
        }
    }
}

guard let options = CommandLineOptions(Array(CommandLine.arguments.dropFirst())) else {
    StandardStream.error.write(
        "\(Help.usage); see gateway-sandbox --help\n".utf8)
    exit(2)
}
if options.printsHelp {
    StandardStream.output.write(Help.text.utf8)
    exit(0)
}

/// Ends the program with a message and exit status 3.
func fail(_ message: String) -> Never {
    StandardStream.error.write("gateway-sandbox: \(message)\n".utf8)
    exit(3)
}

TerminationSignals.unblock()
let server: SandboxServer
do {
    server = try SandboxServer(
        port: options.port, silence: options.silence, delay: options.delay, shop: options.shop)
} catch {
    fail("cannot listen on port \(options.port) of 127.0.0.1")
}
if let folder = options.folder {
    do {
        try GatewayFiles.write(to: folder, origin: server.origin)
    } catch {
        fail("cannot write files in \(folder): \(error)")
    }
}
// The stream has no buffer, so a script that waits for this line can continue at once.
StandardStream.output.write("\(server.origin)\n".utf8)
server.run()
