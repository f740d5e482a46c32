internal import ApplePayAcceptance
internal import ApplePayPrimitives
package import ApplePayPrograms
package import ApplePayWire

/// The next step after the token of the command line was refused.
extension TokenOptions {
    /// Reads the token's text, and passes it to work that may refuse it.
    ///
    /// - Parameter work: Judges the text.
    /// - Returns: The result of `work`.
    /// - Throws: A failure to read the token; the failure of `work`, in which a refusal names the file and what to do next.
    package func judging<Value>(
        _ work: ([UInt8]) throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        let text = try text()
        do throws(CommandFailure) {
            return try work(text)
        } catch {
            guard let refusal = error.refusal else { throw error }
            if let fault = refusal.tokenError, [.json, .field].contains(fault.stage),
                let wrong = WrongToken(text, path: path, fault)
            {
                throw error.explained(message: wrong.message, advice: wrong.advice)
            }
            let isAboutToken =
                !refusal.name.hasPrefix("gateway/")
                && ![.invalidReference, .referenceChanged].contains(refusal.code)
            throw error.explained(
                subject: path == "-" || !isAboutToken ? nil : path,
                advice: advice(refusal) ?? advice(refusal.code, text))
        }
    }

    /// Returns the next step for a refusal; nil for the advice that belongs to its code.
    private func advice(_ refusal: PaymentError) -> String? {
        switch refusal.tokenError?.code {
        case .inFuture where isTimeStated:
            "If \(CommandOption.receiptTime) is a local time, write its offset, such as +02:00, in place of Z. Otherwise "
                + "synchronize the clock that it comes from, and ask the customer for another payment."
        case .tooOld:
            "Ask the customer for another payment. To examine a stored token, state when it was received with "
                + "\(CommandOption.receiptTime), in UTC with Z or with an offset such as +02:00, or accept any age with "
                + "\(CommandOption.anyAge)."
        case .noKeyWithHash, .decryptionFailed:
            (path == "-"
                ? "The command inspect with the same token and options" : "`\(inspection)`")
                + " shows which key and merchant identifier the token needs."
        case .noPathToAnchor where !isTesting:
            "Refuse the payment: the token is forged or was altered on its way. If it is a test token, name its root "
                + "with \(CommandOption.testTrustAnchor)."
        case .invalidHexadecimal where refusal.members.isEmpty:
            "If the token is JSON or base64, leave out \(CommandOption.hexadecimal)."
        default: nil
        }
    }

    /// Returns the next step for a refusal of the order or the claim; nil for the advice that belongs to its code.
    private func advice(_ code: PaymentError.Code?, _ text: [UInt8]) -> String? {
        switch code {
        case .alreadyClaimed: "Do not charge. \(firstClaim(text))"
        case .windowTooWide:
            "Give \(CommandOption.maximumAge) \(ledgerWindow ?? "SECONDS") or less: the ledger's window cannot be changed."
        default: nil
        }
    }

    /// Whether the time of receipt is not this moment.
    private var isTimeStated: Bool {
        if case .received = agePolicy { true } else { false }
    }

    /// The window of the ledger as a number of seconds; nil if it cannot be opened.
    private var ledgerWindow: String? {
        guard let ledger, let location = try? LedgerLocation(ledger) else { return nil }
        return (try? location.open())?.window.description
    }

    /// Returns how to look up the first claim of the token's transaction.
    private func firstClaim(_ text: [UInt8]) -> String {
        guard let ledger, let location = try? LedgerLocation(ledger),
            let transaction = try? PaymentToken(parsing: text, form: form).transactionId
        else { return "Look up the first payment of this transaction." }
        return "\(location.command("ledger show \(transaction)")) shows the first claim."
    }
}

/// A file that is recognizably not a token.
package struct WrongToken {
    /// A sentence that names the file's contents.
    package let message: String

    /// The next step, in a sentence.
    package let advice: String

    /// Recognizes the kind of a text that cannot be parsed as a token; nil if it is not known.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - path: Its file; `-` is standard input.
    ///   - refusal: The first fault of the text.
    package init?(_ text: [UInt8], path: String, _ refusal: PaymentTokenError) {
        let isFile = path != "-"
        let name = isFile ? path : "Standard input"
        /// A command that converts the file to a new one, or how to convert standard input.
        func conversion(_ command: String, _ advice: String) -> String {
            guard isFile else { return "\(advice)." }
            let new = FileStatus.free("\(path).corrected")
            return
                "`\(command) < \(path.shellWord) > \(new.shellWord)` writes \(new) without this fault."
        }
        switch ContentKind(text.span) {
        case .empty:
            message = "\(name) is empty; a payment token was expected."
            advice = "Give the payment object as the browser or app sent it."
        case .utf16:
            message = "\(name) is UTF-16 text; a payment token must be UTF-8."
            advice = conversion(
                "iconv -f \(Self.encoding(text)) -t UTF-8", "Convert it to UTF-8")
        case .byteOrderMark:
            message = "\(name) begins with a byte order mark, which JSON does not permit."
            advice = conversion("tail -c +4", "Remove its first 3 bytes")
        case .base64Lines:
            message = "\(name) is base64 in several lines; a token in base64 must be one line."
            advice = conversion("tr -d '\\r\\n'", "Remove the line breaks")
        case .pem(let label):
            message = "\(name) is PEM with \(WrongFile.name(label)), not a payment token."
            advice =
                "Give the payment object as the browser or app sent it; keys belong to \(CommandOption.keys)."
        case .der:
            message =
                "\(name) is DER, such as a key, a certificate or a signature, not a payment token."
            advice =
                "Give the payment object as the browser or app sent it; keys belong to \(CommandOption.keys)."
        case .json, nil:
            switch refusal.code {
            case .controlCharacter
            where refusal.offset.map { Self.isLineBreak($0, of: text) } == true:
                message =
                    "\(name) has a line break inside a JSON string, as a terminal, an editor or an e-mail inserts it."
                advice = conversion("tr -d '\\r\\n'", "Remove the line breaks")
            case .unexpectedEnd:
                message = refusal.description
                advice =
                    "The end of \(isFile ? path : "the text") is missing: compare its length, \(text.count) bytes, with that of "
                    + "the text which the client sent. A column of a database, a log or a copy may have cut it."
            default: return nil
            }
        }
    }

    private static func isLineBreak(_ offset: Int, of text: [UInt8]) -> Bool {
        text.indices.contains(offset) && [0x0A, 0x0D].contains(text[offset])
    }

    /// Returns the name of a text's encoding for iconv, which takes the byte order from a byte order mark only.
    private static func encoding(_ text: [UInt8]) -> String {
        if text[0] == 0 { return "UTF-16BE" }
        return text[1] == 0 ? "UTF-16LE" : "UTF-16"
    }
}
