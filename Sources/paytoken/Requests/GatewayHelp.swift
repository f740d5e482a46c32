/// What `paytoken request GATEWAY --help` prints.
enum GatewayHelp {
    private static let width = 100

    /// The steps of a gateway, each with its options.
    static func text(_ gateway: Gateway) -> String {
        var text = "paytoken request \(gateway.rawValue): \(gateway.title)\n"
        for step in gateway.steps {
            text += "\n  \(words(step))\n"
            text += lines(step.options.sorted().map { "\($0) VALUE" } + step.flags.sorted())
            if let option = step.referenceOption {
                text +=
                    "      with --batch --envelopes, a line's reference takes the place of \(option)\n"
            }
        }
        return text + """

            Steps with a TOKEN take the options of decrypt as well, but --ledger and --reveal; --amount,
            --currency, --application-data and --order are compared with an opened token. With --encrypted,
            --keys may be left out: then nothing is compared. Requests are addressed to the live gateway
            unless an option names another (Adyen's to its test server without --live-prefix). Options that
            end in -env name an environment variable with a secret. --dry-run-http prints the whole request,
            masked, in place of the body alone.

            """
    }

    /// How the step is asked for.
    private static func words(_ step: GatewayStep) -> String {
        let name = step.name == Gateway.defaultStep ? [] : ["--step \(step.name)"]
        let token =
            switch step.input {
            case .none: [String]()
            case .verified: ["[TOKEN] --encrypted"]
            case .opened: ["[TOKEN] --keys PATH…"]
            }
        return (token + name).joined(separator: " ")
    }

    /// Options, as many in a line as fit.
    private static func lines(_ options: [String]) -> String {
        var lines: [String] = []
        for option in options {
            if let last = lines.last, last.count + option.count + 2 <= width {
                lines[lines.count - 1] = "\(last)  \(option)"
            } else {
                lines.append("      \(option)")
            }
        }
        return lines.map { "\($0)\n" }.joined()
    }
}
