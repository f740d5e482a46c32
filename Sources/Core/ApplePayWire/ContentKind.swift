/// The kind of a file that is not what was expected, recognized by its first bytes, for messages.
package enum ContentKind: Hashable, Sendable {
    /// The file is empty, or contains only white space.
    case empty

    /// UTF-16 text, with or without a byte order mark.
    case utf16

    /// Text in UTF-8 that begins with a byte order mark (EF BB BF).
    case byteOrderMark

    /// PEM; `label` is the one of the first block, such as `CERTIFICATE`.
    case pem(label: String)

    /// DER: a certificate, a key, PKCS#12 or a CMS signature.
    case der

    /// JSON text.
    case json

    /// Base64 in several lines.
    case base64Lines

    /// The number of bytes in which the first PEM block must begin; text may come before it.
    private static let searchedCount = 4096

    /// The longest label of PEM that is repeated in a message.
    private static let labelLimit = 64

    /// Recognizes a kind of file; nil if the contents are of none of these kinds.
    ///
    /// - Parameter bytes: The contents of the file.
    package init?(_ bytes: Span<UInt8>) {
        let start = bytes.indices.first { !bytes[$0].isWhiteSpace }
        guard let start else {
            self = .empty
            return
        }
        if Self.isUTF16(bytes) {
            self = .utf16
        } else if let label = Self.pemLabel(bytes) {
            self = .pem(label: label)
        } else if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            self = .byteOrderMark
        } else if bytes.count > 1, bytes[0] == 0x30, bytes[1] > 0x80 {
            self = .der
        } else if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") {
            self = .json
        } else if Self.isBase64InLines(bytes) {
            self = .base64Lines
        } else {
            return nil
        }
    }

    /// Returns whether there is a byte order mark of UTF-16, or every second of the first four bytes is zero.
    private static func isUTF16(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2 else { return false }
        if bytes[0] == 0xFE, bytes[1] == 0xFF { return true }
        if bytes[0] == 0xFF, bytes[1] == 0xFE { return true }
        guard bytes.count >= 4 else { return false }
        let isLittleEndian = bytes[1] == 0 && bytes[3] == 0 && bytes[0] != 0 && bytes[2] != 0
        let isBigEndian = bytes[0] == 0 && bytes[2] == 0 && bytes[1] != 0 && bytes[3] != 0
        return isLittleEndian || isBigEndian
    }

    /// Returns the label of the first block that begins a line.
    private static func pemLabel(_ bytes: Span<UInt8>) -> String? {
        let searched = (0..<min(bytes.count, searchedCount)).map { bytes[$0] }
        let text = String(decoding: searched, as: UTF8.self)
        let begin = "-----BEGIN "
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" }
            guard line.hasPrefix(begin) else { continue }
            let label = line.dropFirst(begin.count).prefix { $0 != "-" }
            return String(label.prefix(labelLimit))
        }
        return nil
    }

    /// Returns whether there are only characters of base64 and line breaks, and more than one line.
    private static func isBase64InLines(_ bytes: Span<UInt8>) -> Bool {
        var lines = 0
        var isLineStart = true
        for index in bytes.indices {
            switch bytes[index] {
            case 0x0A, 0x0D: isLineStart = true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
                UInt8(ascii: "="):
                if isLineStart { lines += 1 }
                isLineStart = false
            default: return false
            }
        }
        return lines > 1
    }
}
