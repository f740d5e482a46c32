internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

extension CommandOption {
    static let card = CommandOption(
        "--card", "FILE",
        "instead of a token: a card that the gateway stored, as card of pay or payments show; a file, or env:NAME"
    )
    static let initiator = choice(
        "--initiator", of: PaymentInitiator.self,
        "who begins the payment with a stored card, and for what; mandatory with \(card)")
}

extension StoredCardFile {
    /// Reads a card from a file, or from an environment variable (`env:NAME`); no message repeats its text.
    static func card(_ path: String) throws(CommandFailure) -> StoredCard {
        let prefix = "env:"
        let isVariable = path.utf8.starts(with: prefix.utf8)
        let name = String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        let text = Array(
            try failing { () throws(FileError) in
                try GatewayFile.secret(isVariable ? .environment(name) : .file(path))
            }.revealText().utf8)
        let value: AnswerValue
        do throws(JSONError) {
            value = try AnswerValue(text)
        } catch {
            throw .usage("\(path) is not a stored card\(WrongFile.fault(text, error)) \(form)")
        }
        do throws(FileError) {
            return try card(value)
        } catch {
            if let other = WrongFile.object(value) {
                throw .usage("\(path) is not a stored card; it is \(other.rawValue). \(form)")
            }
            let member = error.path.isEmpty ? "the card" : "its member \(error.path.printable)"
            throw .usage("\(path) is not a stored card: \(member) \(error.reason). \(form)")
        }
    }

    /// The form of a card, for messages.
    private static let form =
        "Give the object card of the answer of pay or payments show, such as with jq .card."
}
