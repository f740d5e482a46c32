internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire

/// Describes the bytes that a shop serves, or that somebody downloaded, as its domain association file.
enum ServedFile {
    /// Returns what a file is that is certainly no domain association file, as a predicate; nil if it may be one.
    static func mistake(_ contents: [UInt8]) -> String? {
        if contents.starts(with: [0x1F, 0x8B]) { return "is compressed with gzip" }
        let start = ExactText(utf8: contents.drop(while: \.isWhiteSpace).prefix(16))
        if start.hasPrefix("HTTP/") {
            let status = ExactText(
                utf8: start.utf8.split(separator: UInt8(ascii: " ")).dropFirst().first ?? [])
            return status.hasPrefix("3")
                ? "is a redirect (HTTP \(status)), which Apple does not follow"
                : "begins with the head of an HTTP answer; save the body alone, without curl's -i"
        }
        if start.hasPrefix("<") {
            return "is an HTML page, such as an error page, a login page or the page of a redirect"
        }
        return switch ContentKind(contents.span) {
        case .empty: "is empty, as the body of a redirect can be"
        case .utf16: "is UTF-16 text"
        case .byteOrderMark: "begins with a byte order mark, which an editor added"
        case .pem(let label): "is PEM with \(WrongFile.name(label))"
        case .der: "is DER, such as a certificate"
        case .json: "is JSON: a token, or a domain association file that was decoded"
        case .base64Lines, nil: nil
        }
    }

    /// Returns how served bytes differ from the downloaded ones, as a predicate; nil if they are the same.
    static func difference(_ served: [UInt8], from downloaded: [UInt8]) -> String? {
        guard served != downloaded else { return nil }
        if let mistake = mistake(served) { return mistake }
        let carriageReturn = UInt8(ascii: "\r")
        if served.filter({ $0 != carriageReturn }) == downloaded.filter({ $0 != carriageReturn }) {
            return "has other line ends (CRLF instead of LF, or LF instead of CRLF)"
        }
        if served.withoutTrailingSpace == downloaded.withoutTrailingSpace {
            let count = served.count - downloaded.count
            let bytes = count.magnitude == 1 ? "a byte" : "\(count.magnitude) bytes"
            return
                "\(count > 0 ? "has" : "lacks") \(bytes) of white space at its end, which an editor or the server "
                + (count > 0 ? "added" : "removed")
        }
        if served.withoutSpace == downloaded.withoutSpace {
            return "has other line breaks or spaces"
        }
        if let decoded = Base64.decoded(served.withoutSpace.span), decoded == downloaded {
            return "is base64 of the downloaded file"
        }
        if downloaded.starts(with: served) {
            return "ends after \(served.count) of \(downloaded.count) bytes"
        }
        if let other = DomainFile(served), let expected = DomainFile(downloaded), other != expected
        {
            return "is another file, a \(other.text)"
        }
        let offset = zip(served, downloaded).enumerated().first { $0.element.0 != $0.element.1 }?
            .offset
        return "differs from byte \(offset ?? downloaded.count) on"
    }
}

extension [UInt8] {
    fileprivate var withoutSpace: [UInt8] { filter { !$0.isWhiteSpace } }

    fileprivate var withoutTrailingSpace: ArraySlice<UInt8> {
        prefix((lastIndex { !$0.isWhiteSpace } ?? -1) + 1)
    }
}
