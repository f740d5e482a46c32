internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object for one token, ended by a line feed, in memory that is wiped.
struct Answer {
    private var buffer = SecretBuffer()
    private var json = JSONWriter()

    /// Creates an answer that begins with the line's identifier, if there is one.
    private init(id: [UInt8]? = nil) {
        json.beginObject(into: &buffer)
        if let id {
            json.name("id", into: &buffer)
            json.raw(id.span, into: &buffer)
        }
    }

    /// Returns the answer for a token that was verified and not decrypted; `id` is the line's identifier, as JSON.
    static func accepted(id: [UInt8]? = nil, _ token: VerifiedToken) -> Answer {
        var answer = verified(id: id, token)
        answer.end()
        return answer
    }

    /// Returns the answer for a decrypted token.
    ///
    /// - Parameters:
    ///   - id: The line's identifier, as JSON.
    ///   - payment: The decrypted payment.
    ///   - isRevealed: Whether the payment is shown unmasked.
    ///   - claim: The payment's claim; nil if it was not claimed.
    /// - Returns: The answer.
    static func accepted(
        id: [UInt8]? = nil,
        _ payment: Payment,
        isRevealed: Bool,
        claim: AnswerClaim?
    ) -> Answer {
        var answer = verified(id: id, payment.token)
        if let claim { answer.string("serial", claim.serial) }
        answer.paymentData(payment, isRevealed: isRevealed)
        let omitted = payment.data.omittedMembers
        if !omitted.isEmpty { answer.strings("omittedMembers", omitted) }
        answer.end()
        return answer
    }

    /// Returns the beginning of an answer, with the facts of a verified token.
    private static func verified(id: [UInt8]?, _ token: VerifiedToken) -> Answer {
        var answer = Answer(id: id)
        answer.string("status", "ok")
        answer.string("version", token.parsed.version.rawValue)
        answer.string("transactionId", token.parsed.transactionId)
        answer.string("signingTime", time(token.signature.signingTime))
        answer.string("environment", token.signature.environment.rawValue)
        answer.string("agePolicy", agePolicy(token.signature))
        answer.strings("unwrapped", token.parsed.unwrapped)
        return answer
    }

    /// Returns the answer for an accepted line of vectors, with nothing masked.
    static func conforming(id: [UInt8], _ payment: Payment) -> Answer {
        var answer = Answer(id: id)
        answer.string("status", "ok")
        answer.paymentData(payment, isRevealed: true)
        answer.end()
        return answer
    }

    /// Returns the answer for a line of a batch with the body of its request.
    ///
    /// A JSON body is copied unchanged, another body becomes a string, and a missing body becomes
    /// null.
    static func requested(id: [UInt8]?, _ request: GatewayRequest) -> Answer {
        var answer = Answer(id: id)
        answer.string("status", "ok")
        answer.json.name("body", into: &answer.buffer)
        if let body = request.body {
            let isJSON = request.contentType?.hasPrefix("application/json") == true
            body.withRevealedBytes { body in
                if isJSON {
                    answer.json.raw(body, into: &answer.buffer)
                } else {
                    answer.json.string(body, into: &answer.buffer)
                }
            }
        } else {
            answer.json.null(into: &answer.buffer)
        }
        answer.end()
        return answer
    }

    /// Returns the answer for a refused token.
    static func refused(id: [UInt8]? = nil, _ error: PaymentTokenError) -> Answer {
        refused(id: id, error, message: error.description)
    }

    /// Returns the answer for a refused token, with a message for people.
    static func refused(
        id: [UInt8]? = nil,
        _ error: PaymentTokenError,
        message: String
    ) -> Answer {
        refused(id: id, error.code, message: message)
    }

    /// Returns the answer for a line that the command refused, with or without a message; `id` is JSON.
    static func refused(
        id: [UInt8]?,
        _ code: PaymentTokenError.Code,
        message: String? = nil
    ) -> Answer {
        var answer = Answer(id: id)
        answer.refusal(code, isForPeople: message != nil)
        if let message { answer.string("message", message.printable) }
        answer.end()
        return answer
    }

    /// Writes the answer to standard output, and then keeps or releases the claim that was made
    /// for it.
    ///
    /// - Parameter claim: The claim, if there is one.
    /// - Returns: Whether the whole answer was written.
    func write(_ claim: AnswerClaim? = nil) -> Bool {
        let written = buffer.withSpan { StandardStream.output.write($0) }
        if let claim { AnswerClaim.settle([(0..<buffer.count, claim)], written: written) }
        return written == buffer.count
    }

    /// Appends the answer to other answers.
    func append(to answers: SecretBuffer) {
        buffer.withSpan { answers.append($0) }
    }

    private mutating func end() {
        json.endObject(into: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Writes a refusal; only answers for people contain more than stage and code, answers to test vectors do not.
    private mutating func refusal(_ code: PaymentTokenError.Code, isForPeople: Bool) {
        string("status", "error")
        string("stage", code.stage.rawValue)
        string("code", code.name)
        if isForPeople { string("disposition", code.disposition.rawValue) }
    }

    private mutating func string(_ name: String, _ value: String) {
        json.name(name, into: &buffer)
        json.string(value, into: &buffer)
    }

    private mutating func strings(_ name: String, _ values: [String]) {
        json.name(name, into: &buffer)
        json.beginArray(into: &buffer)
        for value in values { json.string(value, into: &buffer) }
        json.endArray(into: &buffer)
    }

    private mutating func paymentData(_ payment: Payment, isRevealed: Bool) {
        json.name("paymentData", into: &buffer)
        PayloadWriter(payment.data, isRevealed: isRevealed).write(to: &json, into: &buffer)
    }

    /// Returns a time in ISO 8601 and UTC, to the second.
    static func time(_ date: Date) -> String {
        InternetTime.text(date) ?? date.formatted(Date.ISO8601FormatStyle())
    }

    private static func agePolicy(_ signature: VerifiedSignature) -> String {
        signature.receiptTime.map { "received-at \(time($0))" } ?? "any-age"
    }
}
