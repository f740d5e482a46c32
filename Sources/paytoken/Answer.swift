internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// One JSON object for one token, ended by a line feed, in memory that is wiped.
struct Answer {
    private var buffer = SecretBuffer()
    private var json = JSONWriter()

    /// An answer that begins with the case's name, where there is one.
    private init(id: Span<UInt8>? = nil) {
        json.beginObject(into: &buffer)
        if let id {
            json.name("id", into: &buffer)
            json.raw(id, into: &buffer)
        }
    }

    /// The answer for a token that is proven, and perhaps opened.
    ///
    /// - Parameters:
    ///   - token: The proven token.
    ///   - payment: What it held; nil when it was not opened.
    ///   - isRevealed: Whether what it held is shown.
    /// - Returns: The answer.
    static func accepted(_ token: VerifiedToken, payment: Payment?, isRevealed: Bool) -> Answer {
        var answer = Answer()
        answer.string("status", "ok")
        answer.string("version", token.token.version.rawValue)
        answer.string("transactionId", token.token.transactionId)
        answer.string("signingTime", time(token.signature.signingTime))
        answer.string("agePolicy", agePolicy(token.signature))
        answer.json.name("unwrapped", into: &answer.buffer)
        answer.json.beginArray(into: &answer.buffer)
        for name in token.token.unwrapped { answer.json.string(name, into: &answer.buffer) }
        answer.json.endArray(into: &answer.buffer)
        if let payment { answer.paymentData(payment, isRevealed: isRevealed) }
        answer.end()
        return answer
    }

    /// The answer for a line of vectors that was accepted, nothing masked.
    static func conforming(id: Span<UInt8>, _ payment: Payment) -> Answer {
        var answer = Answer(id: id)
        answer.string("status", "ok")
        answer.paymentData(payment, isRevealed: true)
        answer.end()
        return answer
    }

    /// The answer for a token that was refused.
    static func refused(_ error: PaymentTokenError) -> Answer {
        var answer = Answer()
        answer.refusal(error.stage.rawValue, error.code)
        answer.string("message", error.description)
        answer.end()
        return answer
    }

    /// The answer for a line of vectors that was refused; `id` is JSON.
    static func refused(id: Span<UInt8>, stage: String, code: String) -> Answer {
        var answer = Answer(id: id)
        answer.refusal(stage, code)
        answer.end()
        return answer
    }

    /// Writes the answer to standard output; false when nobody reads any more.
    func write() -> Bool {
        buffer.withSpan { StandardStream.output.write($0) }
    }

    private mutating func end() {
        json.endObject(into: &buffer)
        buffer.append(UInt8(ascii: "\n"))
    }

    private mutating func refusal(_ stage: String, _ code: String) {
        string("status", "error")
        string("stage", stage)
        string("code", code)
    }

    private mutating func string(_ name: String, _ value: String) {
        json.name(name, into: &buffer)
        json.string(value, into: &buffer)
    }

    private mutating func paymentData(_ payment: Payment, isRevealed: Bool) {
        json.name("paymentData", into: &buffer)
        PayloadWriter(payment.data, isRevealed: isRevealed).write(to: &json, into: &buffer)
    }

    /// ISO 8601 in UTC, to the second.
    static func time(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }

    private static func agePolicy(_ signature: VerifiedSignature) -> String {
        signature.receiptTime.map { "received-at \(time($0))" } ?? "any-age"
    }
}
