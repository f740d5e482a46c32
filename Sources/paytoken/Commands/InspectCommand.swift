internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension CommandOption {
    static let json = flag("--json", "for machines")
}

/// `paytoken inspect`: shows the contents of a token, as a tree for people or as JSON for
/// machines.
///
/// With `--keys`, also explains why these keys do or do not decrypt the token.
struct InspectCommand: OptionCommand {
    static let options = [.json] + KeyOptions.options + TokenOptions.options

    private let options: TokenOptions
    private let isForMachines: Bool
    private let verifier: PaymentTokenVerifier

    /// Verifies signatures without regard to the environment that the options require.
    private let prover: PaymentTokenVerifier

    private let keys: KeyOptions
    private let keyring: MerchantKeyring?

    init(_ arguments: Arguments) throws(CommandFailure) {
        options = try TokenOptions(arguments, path: arguments.token())
        isForMachines = arguments.has(.json)
        verifier = try options.verifier()
        prover = try options.verifierOfAnyEnvironment()
        keys = try KeyOptions(arguments)
        keyring = keys.paths.isEmpty ? nil : try keys.keyringToShow()
    }

    /// Succeeds whatever the verdict is, so that refused tokens can be inspected as well.
    func run() throws(CommandFailure) -> ExitStatus {
        let text = try options.text()
        let token = try refusing(try PaymentToken(parsing: text, form: options.form))
        var nodes = TokenInspection(
            token, verifier: verifier, prover: prover, agePolicy: options.agePolicy
        ).nodes
        if let keyring {
            let identifiers = [keys.merchantIdentifier].compactMap { $0 }
            nodes.append(
                KeyInspection(
                    token, verifier: prover, keyring: keyring, merchantIdentifiers: identifiers
                ).node)
        }
        return write(nodes) ? .done : .means
    }

    private func write(_ nodes: [InspectionNode]) -> Bool {
        guard isForMachines else {
            return StandardStream.output.write(nodes.map { $0.text() }.joined())
        }
        var sink = ByteArraySink()
        var json = JSONWriter()
        json.beginObject(into: &sink)
        for node in nodes { node.write(to: &json, into: &sink) }
        json.endObject(into: &sink)
        sink.append(UInt8(ascii: "\n"))
        return StandardStream.output.writeAll(sink.bytes.span)
    }
}
