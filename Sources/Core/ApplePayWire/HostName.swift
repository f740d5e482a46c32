/// The names and addresses of hosts in their ASCII form.
///
/// Other texts are refused before libcrypto sees them: it takes a name that begins with a dot for every name that ends so.
package enum HostName {
    /// Returns whether bytes are a name: labels of letters, digits and hyphens, not at their ends, between single dots.
    ///
    /// The last label has a letter, so that a name is never mistaken for an address.
    ///
    /// - Parameter text: The bytes.
    /// - Returns: Whether each label has 1 to 63 bytes, and the name at most 253.
    ///
    /// Source: RFC 1123 §2.1; RFC 1035 §2.3.4 for the lengths.
    package static func isName(_ text: some BidirectionalCollection<UInt8>) -> Bool {
        guard text.count <= 253 else { return false }
        let hyphen = UInt8(ascii: "-")
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
        } && labels.last?.allSatisfy(\.isDigit) == false
    }

    /// Returns the four numbers of an IPv4 address in dotted decimal notation; nil for another text.
    ///
    /// Source: RFC 3986 §3.2.2, `IPv4address`.
    package static func octets(of text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        guard text.count <= 15 else { return nil }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let octets = parts.compactMap { part -> UInt8? in
            guard part.allSatisfy(\.isDigit) else { return nil }
            // Some parsers read a number with a leading zero as octal.
            return UInt8(String(decoding: part, as: UTF8.self)).flatMap {
                "\($0)".utf8.elementsEqual(part) ? $0 : nil
            }
        }
        return parts.count == 4 && octets.count == 4 ? octets : nil
    }

    /// Returns whether a text is an address of this machine itself, in 127/8 or `::1`, or the name `localhost`: not a name that
    /// begins like one, such as `127.0.0.1.db.example`.
    ///
    /// Source: RFC 1122 §3.2.1.3, RFC 4291 §2.5.3 and RFC 6761 §6.3.
    package static func isLoopback(_ text: some BidirectionalCollection<UInt8>) -> Bool {
        text.elementsEqual("localhost".utf8) || text.elementsEqual("::1".utf8)
            || octets(of: text)?.first == 127
    }
}
