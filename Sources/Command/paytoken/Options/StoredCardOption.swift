internal import ApplePayGateways
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

extension CommandOption {
    static let card = CommandOption(
        "--card", "FILE",
        "instead of a token: a card that the gateway stored, as card of pay or payments show; a file, or env:NAME",
        kind: .file)
    static let initiator = choice(
        "--initiator", of: PaymentInitiator.self,
        "who begins the payment with a stored card, and for what; mandatory with \(card)")
}

extension StoredCardFile {
    /// Reads a card from a file, or from an environment variable (`env:NAME`); no message repeats its text.
    static func card(_ path: String) throws(CommandFailure) -> StoredCard {
        let text = try contents(path)
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

    private static func contents(_ path: String) throws(CommandFailure) -> [UInt8] {
        let prefix = "env:"
        if path.utf8.starts(with: prefix.utf8) {
            let name = String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            guard let card = EnvironmentVariable.read(name), card.count > 0 else {
                let variable = EnvironmentVariable.isName(name) ? name : "that it names"
                throw .usage(
                    "\(CommandOption.card): the environment variable \(variable) is not set or is empty."
                )
            }
            return Array(card.revealText().utf8)
        }
        // A name of a file has a period or a slash, or is short; a word without these may be the card's identifier.
        guard
            path.utf8.count < 16 || path.utf8.contains(where: "./".utf8.contains)
                || (try? FileStatus(path)) != nil
        else {
            throw .usage(
                "\(CommandOption.card) is not the name of a file; it is not repeated here, because it may be the card's "
                    + "identifier. \(form)")
        }
        return try FileContents.bytes(of: path, limit: 1 << 16, "a stored card")
    }

    /// The form of a card, for messages.
    private static let form =
        "Give the object card of the answer of pay or payments show, such as with jq .card."
}
