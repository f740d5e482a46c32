internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

/// Writes Apple's payment data object with Apple's names and nesting, with secrets masked unless
/// they are revealed.
struct PayloadWriter {
    /// The path of a value: the names of the members that lead to it, `[]` for an array's
    /// elements.
    private typealias Path = [String]

    /// The values that are shown unmasked; all others are masked, including unknown members.
    ///
    /// Source: Apple, *Payment token format reference*; PCI DSS v4.0, requirements 3.3 and 3.4.
    private static let shown: [Path] = [
        ["applicationExpirationDate"],
        ["currencyCode"],
        ["transactionAmount"],
        ["deviceManufacturerIdentifier"],
        ["paymentDataType"],
        ["paymentData", "eciIndicator"],
        ["authenticationResponses", "[]", "merchantIdentifier"],
        ["authenticationResponses", "[]", "transactionAmount"],
        ["merchantTokenMetadata", "cardMetadata", "cardCountry"],
        ["merchantTokenMetadata", "cardMetadata", "expirationDate"],
        ["merchantTokenMetadata", "cardMetadata", "fpanSuffix"],
        ["merchantTokenMetadata", "cardMetadata", "longDescription"],
        ["merchantTokenMetadata", "cardMetadata", "shortDescription"],
        ["merchantTokenMetadata", "cardArt", "[]", "name"],
        ["merchantTokenMetadata", "cardArt", "[]", "type"],
        ["merchantTokenMetadata", "cardArt", "[]", "url"],
    ]

    /// Returns whether the object or array contains a value that is shown.
    private static func isOpened(_ path: Path) -> Bool {
        shown.contains { $0.count > path.count && $0.starts(with: path) }
    }

    private static let accountNumber: Path = ["applicationPrimaryAccountNumber"]

    /// The payment data.
    let data: PaymentData

    /// Whether secrets are shown.
    let isRevealed: Bool

    /// Writes the object as a value.
    func write(to json: inout JSONWriter, into buffer: inout SecretBuffer) {
        data.rawPayload.withRevealedBytes { text in
            // The payload was checked to be strict JSON when it was decrypted.
            guard let index = try? JSONIndex(text) else { return json.null(into: &buffer) }
            if isRevealed {
                json.compact(index.root, in: text, into: &buffer)
            } else {
                write(index.root, at: [], index, text, &json, &buffer)
            }
        }
    }

    /// Writes a value; descends only into objects and arrays with a shown value, so the list limits
    /// the depth.
    private func write(
        _ value: JSONValue,
        at path: Path,
        _ index: JSONIndex,
        _ text: Span<UInt8>,
        _ json: inout JSONWriter,
        _ buffer: inout SecretBuffer
    ) {
        switch value.kind {
        case .string where path == Self.accountNumber:
            json.string(data.accountNumber.masked, into: &buffer)
        case .string where Self.shown.contains(path), .number where Self.shown.contains(path),
            .null:
            json.compact(value, in: text, into: &buffer)
        case .object where Self.isOpened(path):
            json.beginObject(into: &buffer)
            for member in index.members(of: value) {
                let name = index.string(member.name, in: text)
                json.name(name, into: &buffer)
                write(member.value, at: path + [name], index, text, &json, &buffer)
            }
            json.endObject(into: &buffer)
        case .array where Self.isOpened(path):
            json.beginArray(into: &buffer)
            for element in index.elements(of: value) {
                write(element, at: path + ["[]"], index, text, &json, &buffer)
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
