internal import ApplePayPrimitives
internal import ApplePayWire

/// A URI that names a private key in a PKCS#11 token.
///
///     pkcs11:token=payments;object=apple-pay?module-path=/usr/lib/module.so&pin-source=/etc/pin
///
/// Source: RFC 7512 §2.3 (grammar) and §2.4 (matching).
struct PKCS11URI {
    /// The prefix of such a URI.
    static let scheme = "pkcs11:"

    /// Returns whether a path is such a URI.
    static func isOne(_ path: String) -> Bool { path.utf8.starts(with: scheme.utf8) }

    /// The maximum length in bytes, which is ample for a line of configuration.
    private static let limit = 4096

    /// The URI without its query, because that may contain the location of the PIN.
    let name: String

    /// The module, token and key that the URI selects.
    let selector: PKCS11Selector

    /// Reads a URI and its PIN.
    ///
    /// - Throws: ``KeyringError`` for a URI that contains a PIN, a URI that is too long, an attribute that is
    ///   unknown, repeated or unreadable, a PIN source that cannot be read, and a missing module.
    init(_ text: String) throws(KeyringError) {
        guard text.utf8.count <= Self.limit else {
            // Without the rest of the URI, which may contain the PIN.
            throw KeyringError(
                Self.scheme + "…", "is longer than \(Self.limit) bytes, the limit for a URI")
        }
        guard !ExactText(text).lowercasedASCII.contains("pin-value") else {
            throw KeyringError(
                Self.scheme + "…",
                "contains the PIN, which other users can see in the list of processes; write the PIN to a file and "
                    + "name the file with pin-source=")
        }
        let parts = ExactText(text).utf8.dropFirst(Self.scheme.utf8.count).split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first ?? []
        name = "\(Self.scheme)\(ExactText(utf8: path))"
        var selector = PKCS11Selector()
        var seen: Set<ExactText> = []
        for (attribute, value) in try Self.attributes(
            path, separator: UInt8(ascii: ";"), name, &seen)
        {
            try Self.set(attribute, value, of: &selector, name)
        }
        for (attribute, value) in try Self.attributes(
            parts.count == 2 ? parts[1] : [], separator: UInt8(ascii: "&"), name, &seen)
        {
            switch attribute {
            case "module-path":
                selector.modulePath = String(try Self.text(attribute, value, name))
            case "pin-source":
                selector.pin = try Self.pin(Self.text(attribute, value, name))
            default: throw KeyringError(name, "has the unknown query attribute \(attribute)")
            }
        }
        guard !selector.modulePath.isEmpty else {
            throw KeyringError(name, "does not name a module; add ?module-path=/path/to/module.so")
        }
        self.selector = selector
    }

    private static func set(
        _ attribute: ExactText,
        _ value: [UInt8],
        of selector: inout PKCS11Selector,
        _ name: String
    ) throws(KeyringError) {
        switch attribute {
        case "id":
            selector.objectIdentifier = value
            return
        case "token": selector.tokenLabel = try text(attribute, value, name).utf8
        case "manufacturer": selector.manufacturer = try text(attribute, value, name).utf8
        case "model": selector.model = try text(attribute, value, name).utf8
        case "serial": selector.serialNumber = try text(attribute, value, name).utf8
        case "object": selector.objectLabel = try text(attribute, value, name).utf8
        case "slot-id":
            let text = try text(attribute, value, name)
            guard text.utf8.allSatisfy(\.isDigit), let slot = UInt(String(text)) else {
                throw KeyringError(name, "has a slot-id that is not a number")
            }
            selector.slot = slot
        case "type":
            guard try text(attribute, value, name) == "private" else {
                throw KeyringError(name, "asks for a type other than private; write type=private")
            }
        default: throw KeyringError(name, "has the unknown attribute \(attribute)")
        }
    }

    /// Returns the attributes of one part, without the vendor attributes, which begin with `x-`.
    private static func attributes(
        _ part: ArraySlice<UInt8>,
        separator: UInt8,
        _ name: String,
        _ seen: inout Set<ExactText>
    ) throws(KeyringError) -> [(ExactText, [UInt8])] {
        var attributes: [(ExactText, [UInt8])] = []
        for item in part.split(separator: separator, omittingEmptySubsequences: true) {
            // A semicolon separates attributes of the path. In the query it is a mistake that would hide an attribute.
            guard !item.contains(UInt8(ascii: ";")) else {
                throw KeyringError(
                    name,
                    "has a semicolon in its query; write & between attributes, and %3B for a semicolon in a value"
                )
            }
            let sides = item.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let value = PercentEncoding.bytes(sides[1]) else {
                throw KeyringError(
                    name, "has an attribute without = or with an invalid percent-encoding")
            }
            let attribute = ExactText(utf8: sides[0])
            guard seen.insert(attribute).inserted else {
                throw KeyringError(name, "has the attribute \(attribute) twice")
            }
            if !attribute.hasPrefix("x-") { attributes.append((attribute, value)) }
        }
        return attributes
    }

    private static func text(
        _ attribute: ExactText,
        _ value: [UInt8],
        _ name: String
    ) throws(KeyringError) -> ExactText {
        guard let text = String(validating: value, as: UTF8.self) else {
            throw KeyringError(name, "has a \(attribute) that is not UTF-8")
        }
        return ExactText(text)
    }

    /// Reads the PIN from a file (a path or a `file:` URI) or an environment variable (`env:NAME`).
    private static func pin(_ source: ExactText) throws(KeyringError) -> SensitiveBytes {
        let schemes: [ExactText] = ["env:", "file://", "file:"]
        let scheme = schemes.first(where: source.hasPrefix) ?? ""
        let name = String(ExactText(utf8: source.utf8.dropFirst(scheme.utf8.count)))
        return scheme == "env:"
            ? try Passphrase(environmentVariable: name).sensitiveBytes
            : try Passphrase(contentsOfFile: name).sensitiveBytes
    }
}
