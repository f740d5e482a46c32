import FoundationEssentials

/// Textual encoding (RFC 7468 §2).
package enum PEM {
    /// Returns `der` as base64 in lines of 64 characters, between lines with the label.
    package static func text(_ label: String, _ der: [UInt8]) -> String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = Substring(Data(der).base64EncodedString())
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
