package import ApplePayAcceptance

/// The answers to tokens.
extension JSONLine {
    /// Returns the answer for a token that was verified and not decrypted.
    package static func verified(_ token: VerifiedToken) -> JSONLine {
        JSONLine { $0.facts(token) }
    }

    /// Returns the answer for a decrypted token.
    ///
    /// - Parameters:
    ///   - payment: The decrypted payment.
    ///   - isRevealed: Whether the payment is shown unmasked.
    ///   - isClaimed: Whether its transaction was claimed.
    /// - Returns: The answer.
    package static func decrypted(
        _ payment: Payment, isRevealed: Bool, isClaimed: Bool
    ) -> JSONLine {
        JSONLine { json in
            json.facts(payment.token)
            json.member("claimed", isClaimed ? true : nil)
            json.paymentData(payment.data, isRevealed: isRevealed)
            let omitted = payment.data.omittedMembers
            json.member("omittedMembers", omitted.isEmpty ? nil : omitted)
            json.member("advice", payment.data.advice)
        }
    }

    /// Returns the answer for a refused token, a payment or an operation, with a message and an advice for people; nil for those of
    /// the refusal.
    package static func refused(
        _ error: PaymentError, message: String? = nil, advice: String? = nil
    ) -> JSONLine {
        JSONLine { json in
            json.refused(error.name)
            json.member("disposition", error.disposition.rawValue)
            json.member("message", (message ?? error.description).printable)
            json.member("advice", (advice ?? error.advice).printable)
            if let token = error.token { json.identity(token) }
        }
    }
}

extension PaymentData {
    /// What to do about a payment that most gateways refuse; nil for any other.
    package var advice: String? {
        guard type == .emv else { return nil }
        return "Few gateways accept EMV data. \(PaymentError.Code.unsupportedEMV.advice)"
    }
}

extension JSONOutput {
    /// Adds the identifier, which is JSON, and the status.
    package mutating func begin(_ status: String, _ id: [UInt8]? = nil) {
        member("id", json: id)
        member("status", status)
    }

    /// Adds the stage and the code of a name: `stage/code`.
    package mutating func refused(_ name: String, _ id: [UInt8]? = nil) {
        let parts = name.split(separator: "/")
        begin("error", id)
        member("stage", parts.first.map(String.init))
        member("code", parts.last.map(String.init))
    }

    fileprivate mutating func identity(_ token: TokenIdentity) {
        member("publicKeyHash", token.publicKeyHash)
        member("transactionId", token.transactionId)
        member("signingTime", token.signingTime)
    }

    fileprivate mutating func facts(_ token: VerifiedToken) {
        begin("ok")
        member("version", token.parsed.version.rawValue)
        identity(token.identity)
        member("environment", token.signature.environment.rawValue)
        let receipt = token.signature.receiptTime
        member("agePolicy", receipt.map { "received-at \($0.internetTime)" } ?? "any-age")
        member("unwrapped", token.parsed.unwrapped)
    }
}
