internal import ApplePayAcceptance
internal import ApplePayPrimitives
package import ApplePayPrograms
internal import ApplePayWire

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
            if let fault = refusal.tokenError, let wrong = WrongToken(text, path: path, fault) {
                throw error.explained(message: wrong.message, advice: wrong.advice)
            }
            let isAboutToken =
                !refusal.name.hasPrefix("gateway/")
                && ![.invalidReference, .referenceChanged, .noPayment].contains(refusal.code)
            throw error.explained(
                subject: path == "-" || !isAboutToken ? nil : path,
                advice: advice(refusal, text))
        }
    }

    /// Returns the next step for a refusal; nil for the advice that belongs to its code.
    private func advice(_ refusal: PaymentError, _ text: [UInt8]) -> String? {
        if let code = refusal.code { return advice(code, text) }
        return switch refusal.tokenError?.code {
        case .trailingText where Self.isHexadecimal(text):
            "Add \(CommandOption.hexadecimal) if the sender cannot decode it."
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
        case .noPathToAnchor where isTesting:
            "It was made with another root than \(anchorName): give the root of the test tool that made it with "
                + "\(CommandOption.testTrustAnchor), or leave the option out for a token of Apple's."
        case .noPathToAnchor:
            "Refuse the payment: the token is forged, unless a test tool, such as paytoken-testing, made it; only in a test, "
                + "name its root with \(CommandOption.testTrustAnchor)."
        case .invalidHexadecimal where refusal.members.isEmpty:
            "If the token is JSON or base64, leave out \(CommandOption.hexadecimal)."
        default: nil
        }
    }

    /// Returns whether a text is hexadecimal of a JSON object.
    private static func isHexadecimal(_ text: [UInt8]) -> Bool {
        let digits = text.filter { !$0.isWhiteSpace }
        return Hexadecimal.decoded(digits.span)?.first == UInt8(ascii: "{")
    }

    /// Returns the next step for a refusal of the order or the claim; nil for the advice that belongs to its code.
    private func advice(_ code: PaymentError.Code, _ text: [UInt8]) -> String? {
        switch code {
        case .alreadyClaimed: "\(code.advice) \(firstClaim(text))"
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
