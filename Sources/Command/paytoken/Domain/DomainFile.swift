internal import ApplePayGateways
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// A domain association file, with which Apple verifies that a domain is the merchant's.
///
/// Apple does not document its form. Two forms are known from published files: a merchant's own file is CMS SignedData
/// in lines of base64 with the URL alphabet; the file of a payment platform is hexadecimal digits. Both contain a JSON
/// object. The signatures are not verified here. A file in another form can be genuine.
struct DomainFile: Equatable {
    /// The most bytes that are read; known files have 228 to 9,223.
    static let limit = 1 << 16

    /// The domain for which Apple made the file; nil in the file of a payment platform, which is for all its merchants.
    let domain: ExactText?

    /// The merchant's team in Apple's portal (`teamId`), or the identifier of the payment platform (`pspId`).
    let owner: ExactText

    /// The time of the download from Apple's portal, as the file states it; nil in the file of a payment platform.
    let date: ExactText?

    /// Recognizes a file; nil if it is in neither of the two known forms.
    init?(_ contents: [UInt8]) {
        let characters = contents.filter { !$0.isWhiteSpace }
        let decoded = Hexadecimal.decoded(characters.span) ?? Self.decodedBase64(characters)
        // In a signature, the object comes before the certificates; it contains no other objects. A brace alone could be
        // one of the lengths before it.
        guard let decoded, let start = decoded.firstRange(of: Array("{\"".utf8))?.lowerBound,
            let end = decoded[start...].firstIndex(of: UInt8(ascii: "}")),
            let object = try? AnswerValue(object: Array(decoded[start...end])),
            let owner = object["teamId"]?.quoted ?? object["pspId"]?.quoted
        else { return nil }
        self.owner = owner
        domain = object["domain"]?.quoted
        date = object["dateCreated"]?.quoted
    }

    /// A description for people, without an article.
    var text: String {
        guard let domain else {
            return "domain association file of the payment platform \(String(owner).prefix(16))…"
        }
        return
            (["domain association file for \(domain)", "team \(owner)"]
            + [date.map { "made on \($0)" }].compactMap(\.self)).joined(separator: ", ")
    }

    /// Returns the bytes of base64 with the URL alphabet and without padding (RFC 4648 §5); nil for other texts.
    private static func decodedBase64(_ characters: [UInt8]) -> [UInt8]? {
        let standard = characters.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return Base64.decoded((standard + padding).span)
    }
}
