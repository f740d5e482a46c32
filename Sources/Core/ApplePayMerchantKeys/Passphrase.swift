package import ApplePayPrimitives

/// The passphrase of an encrypted key file: wiped with its last reference, masked in descriptions.
public struct Passphrase: Sendable, CustomStringConvertible, CustomReflectable {
    /// The maximum length of a passphrase file in bytes.
    private static let limit = 1024

    /// The passphrase in UTF-8.
    package let sensitiveBytes: SensitiveBytes

    /// Copies a passphrase; the caller must wipe its own copy.
    ///
    /// - Parameter bytes: The passphrase in UTF-8, without a trailing zero or newline.
    public init(_ bytes: Span<UInt8>) {
        sensitiveBytes = SensitiveBytes(SecretBytes(copying: bytes))
    }

    /// Reads the first line of a file, without its newline.
    ///
    /// - Parameter path: The file, at most 1024 bytes.
    /// - Throws: ``KeyringError`` when the file cannot be read.
    public init(contentsOfFile path: String) throws(KeyringError) {
        do {
            let contents = try FileContents.read(path, limit: Self.limit)
            self = contents.withSpan { Self.firstLine(of: $0) }
        } catch {
            throw KeyringError(error)
        }
    }

    /// Reads an environment variable.
    ///
    /// - Parameter name: The variable's name.
    /// - Throws: ``KeyringError`` when it is not set. It does not repeat the name, which may be the passphrase by mistake.
    public init(environmentVariable name: String) throws(KeyringError) {
        guard let value = EnvironmentVariable.read(name) else {
            throw KeyringError(
                "the environment variable for the passphrase",
                "is not set; set it, or give the name of another one. The given name is not repeated here, because it "
                    + "may be the passphrase itself")
        }
        sensitiveBytes = value
    }

    /// A mask that does not depend on the passphrase.
    public var description: String { "(passphrase, masked)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// What is unusual about the passphrase and may be a mistake, in a sentence without its end; nil if nothing is.
    var remark: String? {
        sensitiveBytes.withRevealedBytes { text in
            guard text.count > 0 else {
                return "one of them is empty, as a file's first line may be"
            }
            if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
                return "one of them begins with a byte order mark, which an editor added"
            }
            let (first, last) = (text[0], text[text.count - 1])
            if [first, last].contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            ) {
                return "one of them begins or ends with a blank"
            }
            let isQuoted =
                text.count > 1 && first == last
                && [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(first)
            return isQuoted ? "one of them is in quotation marks, which are not removed" : nil
        }
    }

    private static func firstLine(of text: Span<UInt8>) -> Passphrase {
        var count = 0
        while count < text.count, text[count] != UInt8(ascii: "\n") { count += 1 }
        if count > 0, count < text.count, text[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        return Passphrase(text.extracting(0..<count))
    }
}
