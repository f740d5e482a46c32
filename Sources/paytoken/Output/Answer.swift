internal import ApplePayGateways
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object for one token, ended by a line feed, in memory that is wiped.
struct Answer {
    private var buffer = SecretBuffer()
    private var json = JSONWriter()

    /// An answer that begins with the case's name, where there is one.
    private init(id: [UInt8]? = nil) {
        json.beginObject(into: &buffer)
        if let id {
            json.name("id", into: &buffer)
            json.raw(id.span, into: &buffer)
        }
    }

    /// The answer for a token that is proven, and perhaps opened.
    ///
    /// - Parameters:
    ///   - id: What the line was called, as JSON.
    ///   - token: The proven token.
    ///   - payment: What it held; nil when it was not opened.
    ///   - isRevealed: Whether what it held is shown.
    /// - Returns: The answer.
    static func accepted(
        id: [UInt8]? = nil,
        _ token: VerifiedToken,
        payment: Payment?,
        isRevealed: Bool
    ) -> Answer {
        var answer = Answer(id: id)
        answer.string("status", "ok")
        answer.string("version", token.token.version.rawValue)
        answer.string("transactionId", token.token.transactionId)
        answer.string("signingTime", time(token.signature.signingTime))
        answer.string("environment", token.signature.environment.rawValue)
        answer.string("agePolicy", agePolicy(token.signature))
        answer.strings("unwrapped", token.token.unwrapped)
        if let payment {
            answer.paymentData(payment, isRevealed: isRevealed)
            let omitted = payment.data.omittedMembers
            if !omitted.isEmpty { answer.strings("omittedMembers", omitted) }
        }
        answer.end()
        return answer
    }

    /// The answer for a line of vectors that was accepted, nothing masked.
    static func conforming(id: [UInt8], _ payment: Payment) -> Answer {
        var answer = Answer(id: id)
        answer.string("status", "ok")
        answer.paymentData(payment, isRevealed: true)
        answer.end()
        return answer
    }

    /// The answer for a line of a batch of which a request was made: its body, JSON as it stands and
    /// anything else as a string; null where the request has none.
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

    /// The answer for a token that was refused.
    static func refused(id: [UInt8]? = nil, _ error: PaymentTokenError) -> Answer {
        var answer = Answer(id: id)
        answer.refusal(error.code)
        answer.string("message", error.description)
        answer.end()
        return answer
    }

    /// The answer for a line that was refused with a message of the command's own or none; `id` is JSON.
    static func refused(
        id: [UInt8]?,
        _ code: PaymentTokenError.Code,
        message: String? = nil
    ) -> Answer {
        var answer = Answer(id: id)
        answer.refusal(code)
        if let message { answer.string("message", message) }
        answer.end()
        return answer
    }

    /// Writes the answer to standard output, and keeps or releases the claim that was made for it.
    ///
    /// - Parameter claim: The claim, if there is one.
    /// - Returns: Whether all of the answer was written.
    func write(_ claim: AnswerClaim? = nil) -> Bool {
        let written = buffer.withSpan { StandardStream.output.write($0) }
        if let claim { AnswerClaim.settle([(0..<buffer.count, claim)], written: written) }
        return written == buffer.count
    }

    /// Writes the answer behind others.
    func append(to answers: SecretBuffer) {
        buffer.withSpan { answers.append($0) }
    }

    private mutating func end() {
        json.endObject(into: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }

    private mutating func refusal(_ code: PaymentTokenError.Code) {
        string("status", "error")
        string("stage", code.stage.rawValue)
        string("code", code.name)
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

    /// ISO 8601 in UTC, to the second.
    static func time(_ date: Date) -> String {
        InternetTime.text(date) ?? date.formatted(Date.ISO8601FormatStyle())
    }

    private static func agePolicy(_ signature: VerifiedSignature) -> String {
        signature.receiptTime.map { "received-at \(time($0))" } ?? "any-age"
    }
}
