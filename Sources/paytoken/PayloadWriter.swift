internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// Writes Apple's payment data object with Apple's names and nesting, secrets masked unless told otherwise.
struct PayloadWriter {
    /// What becomes of a member; what is not listed is unknown and masked.
    private indirect enum Rule: Sendable {
        /// Shown as it stands.
        case shown

        /// Shown with most of its digits covered.
        case accountNumber

        /// An object whose members have rules of their own.
        case object([String: Rule])

        /// An array, all of whose elements have one rule.
        case array(Rule)
    }

    /// Source: Apple, *Payment token format reference*; PCI DSS v4.0, requirements 3.3 and 3.4.
    private static let payload = Rule.object([
        "applicationPrimaryAccountNumber": .accountNumber,
        "applicationExpirationDate": .shown,
        "currencyCode": .shown,
        "transactionAmount": .shown,
        "deviceManufacturerIdentifier": .shown,
        "paymentDataType": .shown,
        "paymentData": .object(["eciIndicator": .shown]),
        "authenticationResponses": .array(
            .object(["merchantIdentifier": .shown, "transactionAmount": .shown])),
        "merchantTokenMetadata": .object([
            "cardMetadata": .object([
                "cardCountry": .shown, "expirationDate": .shown, "fpanSuffix": .shown,
                "longDescription": .shown, "shortDescription": .shown,
            ]),
            "cardArt": .array(.object(["name": .shown, "type": .shown, "url": .shown])),
        ]),
    ])

    private let data: PaymentData
    private let isRevealed: Bool

    init(_ data: PaymentData, isRevealed: Bool) {
        self.data = data
        self.isRevealed = isRevealed
    }

    func write(to json: inout JSONWriter, into buffer: inout SecretBuffer) {
        data.rawPayload.withRevealedBytes { text in
            // The payload was strict JSON when it was opened.
            guard let index = try? JSONIndex(text) else { return json.null(into: &buffer) }
            if isRevealed {
                json.compact(index.root, in: text, into: &buffer)
            } else {
                write(index.root, Self.payload, index, text, &json, &buffer)
            }
        }
    }

    /// Descends only where a rule does, so no deeper than the rules are.
    private func write(
        _ value: JSONValue,
        _ rule: Rule?,
        _ index: JSONIndex,
        _ text: Span<UInt8>,
        _ json: inout JSONWriter,
        _ buffer: inout SecretBuffer
    ) {
        switch (rule, value.kind) {
        case (.shown, .string), (.shown, .number):
            json.compact(value, in: text, into: &buffer)
        case (.accountNumber, .string):
            json.string(data.accountNumber.masked, into: &buffer)
        case (.object(let rules), .object):
            json.beginObject(into: &buffer)
            for member in index.members(of: value) {
                let name = index.string(member.name, in: text)
                json.name(name, into: &buffer)
                write(member.value, rules[name], index, text, &json, &buffer)
            }
            json.endObject(into: &buffer)
        case (.array(let rule), .array):
            json.beginArray(into: &buffer)
            for element in index.elements(of: value) {
                write(element, rule, index, text, &json, &buffer)
            }
            json.endArray(into: &buffer)
        default:
            json.string(mask(value), into: &buffer)
        }
    }

    private func mask(_ value: JSONValue) -> String {
        "(\(value.contentRange.count) \(value.kind == .string ? "characters" : "bytes"), masked)"
    }
}
