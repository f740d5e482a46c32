package import ApplePayPrimitives
package import ApplePayToken
internal import ApplePayTransport
package import ApplePayWire

/// Writes Apple's payment data object with Apple's names and nesting, with secrets masked unless
/// they are revealed.
package struct PayloadWriter {
    /// How a value is shown; all others are masked, including unknown members.
    private indirect enum Form: Sendable {
        /// A string or a number, unmasked.
        case plain
        /// The first and last digits.
        case accountNumber
        /// An object with the members that are shown.
        case object([(name: String, form: Form)])
        /// An array.
        case array(of: Form)
    }

    /// The values that are shown.
    ///
    /// Source: Apple, *Payment token format reference*; PCI DSS v4.0, requirements 3.3 and 3.4.
    private static let shown = Form.object([
        ("applicationPrimaryAccountNumber", .accountNumber),
        ("applicationExpirationDate", .plain),
        ("currencyCode", .plain),
        ("transactionAmount", .plain),
        ("deviceManufacturerIdentifier", .plain),
        ("paymentDataType", .plain),
        ("paymentData", .object([("eciIndicator", .plain)])),
        (
            "authenticationResponses",
            .array(of: .object([("merchantIdentifier", .plain), ("transactionAmount", .plain)]))
        ),
        (
            "merchantTokenMetadata",
            .object([
                (
                    "cardMetadata",
                    .object([
                        ("cardCountry", .plain),
                        ("expirationDate", .plain),
                        ("fpanSuffix", .plain),
                        ("longDescription", .plain),
                        ("shortDescription", .plain),
                    ])
                ),
                (
                    "cardArt",
                    .array(of: .object([("name", .plain), ("type", .plain), ("url", .plain)]))
                ),
            ])
        ),
    ])

    package let data: PaymentData

    /// Whether secrets are shown.
    package let isRevealed: Bool

    /// Writes the object as a value.
    package func write(to json: inout JSONWriter, into buffer: inout SecretBuffer) {
        data.rawPayload.withRevealedBytes { text in
            // The payload was checked to be strict JSON when it was decrypted.
            guard let index = try? JSONIndex(text) else { return json.null(into: &buffer) }
            if isRevealed {
                json.compact(index.root, in: text, into: &buffer)
            } else {
                write(index.root, as: Self.shown, index, text, &json, &buffer)
            }
        }
    }

    /// Writes a value; descends only into objects and arrays with a shown value, so the forms limit the depth.
    private func write(
        _ value: JSONValue,
        as form: Form?,
        _ index: JSONIndex,
        _ text: Span<UInt8>,
        _ json: inout JSONWriter,
        _ buffer: inout SecretBuffer
    ) {
        switch (value.kind, form) {
        case (.string, .accountNumber):
            json.string(data.accountNumber.masked, into: &buffer)
        case (.string, .plain), (.number, .plain), (.null, _):
            json.compact(value, in: text, into: &buffer)
        case (.object, .object(let members)):
            json.beginObject(into: &buffer)
            for member in index.members(of: value) {
                json.name(index.string(member.name, in: text), into: &buffer)
                let form = members.first { index.equals(member.name, $0.name, in: text) }?.form
                write(member.value, as: form, index, text, &json, &buffer)
            }
            json.endObject(into: &buffer)
        case (.array, .array(let form)):
            json.beginArray(into: &buffer)
            for element in index.elements(of: value) {
                write(element, as: form, index, text, &json, &buffer)
            }
            json.endArray(into: &buffer)
        default:
            json.string(mask(value), into: &buffer)
        }
    }

    private func mask(_ value: JSONValue) -> String {
        let count = value.contentRange.count
        let unit = value.kind == .string ? "character" : "byte"
        return "(\(count) \(unit)\(count == 1 ? "" : "s"), masked)"
    }
}
