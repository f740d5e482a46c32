internal import ApplePayGateways
internal import ApplePayPrimitives

/// A request as a configuration file of curl (curl(1), `--config`).
///
/// The file contains the request's secrets, so that they do not appear in curl's arguments or environment variables,
/// which other users of the machine may be able to read.
enum CurlConfiguration {
    /// The time limit for connecting, in seconds.
    private static let connectionTimeLimit = 10

    /// The time limit for the whole exchange, in seconds; a gateway waits for the bank.
    private static let timeLimit = 60

    /// The greatest length of a line in bytes: curl before 8.0 refuses a file with a line of more than 100 KiB.
    private static let lineLimit = 100_000

    /// Options without a value: the first ones undo what a user's own configuration may contain.
    ///
    /// Those options would send the request or its secrets elsewhere, to an unverified server or a second time, move the
    /// body into the address, print the secrets, or lose the answer. curl 7.68 has all of them; `curl -q` reads no such
    /// configuration, and so is needed against options that have no opposite.
    private static let options = [
        "no-location", "no-location-trusted", "no-insecure", "no-proxy-insecure", "no-get",
        "no-netrc", "no-netrc-optional", "no-tcp-fastopen", "no-verbose", "no-fail",
        "no-remote-name", "no-http0.9", "no-ignore-content-length", "globoff",
        "suppress-connect-headers", "silent", "show-error",
    ]

    /// Returns the configuration, in memory that is wiped.
    ///
    /// curl sends the request once, to this address alone, and only to a server whose certificate is valid, even if the
    /// user's own configuration of curl differs. To print the headers of the answer too, use `curl -i`.
    ///
    /// - Parameter request: The request.
    /// - Returns: Lines that each end with a line feed; the value of `data-raw` is exactly the body.
    /// - Throws: A failure of means if the body is too long for a line.
    static func text(_ request: GatewayRequest) throws(CommandFailure) -> SensitiveBytes {
        var text = SecretBuffer()
        write("url", request.url, to: &text)
        write("request", request.method, to: &text)
        for header in request.headers {
            write("header", "\(header.name): \(header.revealValue())", to: &text)
        }
        if request.body != nil || request.method != "GET" {
            // Otherwise curl would add the content type of a form.
            if request.contentType == nil { write("header", "Content-Type:", to: &text) }
            let start = text.count
            text.append("data-raw = \"".utf8.span)
            request.body?.withRevealedBytes { append($0, to: &text) }
            guard text.count - start < lineLimit else {
                throw .means(
                    "the body is too long for a configuration of curl; write the body without "
                        + "\(CommandOption.curl), and send it with curl --data-binary @-.")
            }
            text.append("\"\n".utf8.span)
        }
        let scheme = request.origin.hasPrefix("http://") ? "=http" : "=https"
        write("proto", scheme, to: &text)
        write("max-redirs", "0", to: &text)
        write("retry", "0", to: &text)
        write("connect-timeout", "\(connectionTimeLimit)", to: &text)
        write("max-time", "\(timeLimit)", to: &text)
        for option in options { text.append("\(option)\n".utf8.span) }
        return text.sensitiveBytes()
    }

    private static func write(_ name: String, _ value: String, to text: inout SecretBuffer) {
        text.append("\(name) = \"".utf8.span)
        append(value.utf8.span, to: &text)
        text.append("\"\n".utf8.span)
    }

    /// Appends bytes with the escapes required between quotation marks.
    private static func append(_ bytes: Span<UInt8>, to text: inout SecretBuffer) {
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case UInt8(ascii: "\n"): text.append("\\n".utf8.span)
            case UInt8(ascii: "\r"): text.append("\\r".utf8.span)
            case UInt8(ascii: "\t"): text.append("\\t".utf8.span)
            case 0x0B: text.append("\\v".utf8.span)
            default: text.append(byte)
            }
        }
    }
}
