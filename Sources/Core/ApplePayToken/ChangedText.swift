internal import ApplePayWire

/// A text that was a token until a program printed, encoded or wrapped it: what it is now, and what its sender should do.
struct ChangedText {
    /// Whether a program printed an object; otherwise something changed a text that was JSON.
    let isPrinted: Bool

    /// What the text is, and what its sender should do: two parts of a sentence.
    let cause: String

    /// Where a row's signs are looked for.
    private enum Place {
        /// At the beginning, after white space.
        case start
        /// Among the first bytes.
        case near
    }

    /// The number of bytes that are searched for a sign: printed objects begin with it.
    private static let searchedCount = 256

    /// One row of the table.
    private typealias Row = (
        place: Place, isPrinted: Bool, signs: [String], name: String, remedy: String
    )

    /// How a text is recognized, what it is called, and what its sender should do; the first row that fits counts.
    ///
    /// Examples of printed objects: `PaymentData(version=EC_v1, …`, `{version=EC_v1, …`, `Array\n(\n    [version] => EC_v1`,
    /// `array(4) {\n  ["version"]=>`, `{version: EC_v1, …`, `map[version:EC_v1 …`.
    private static let table: [Row] = [
        (.near, true, ["[object "], "JavaScript made a string of an object", "use JSON.stringify"),
        (
            .start, true, ["undefined"], "JavaScript sent a variable without a value",
            "send the object"
        ),
        (.near, true, ["] =>"], "PHP's print_r wrote it", "use json_encode"),
        (.near, true, ["]=>"], "PHP's var_dump wrote it", "use json_encode"),
        (.near, true, ["s:7:\"version\";"], "PHP's serialize wrote it", "use json_encode"),
        (
            .near, true, ["\"=>", "\" => ", ":version=>", "<ActionController::Parameters"],
            "Ruby printed it", "use to_json"
        ),
        (.near, true, ["<Buffer "], "Node.js printed a Buffer", "use its toString"),
        (
            .near, true, ["bytes = 0x", "<7b22"], "Foundation printed Data",
            "make a String of the bytes as UTF-8"
        ),
        (
            .near, true, ["<PKPayment"], "PassKit's object was printed",
            "send its paymentData as UTF-8"
        ),
        (
            .near, true, ["version = ", "    data = ", "    header = "],
            "Foundation printed a dictionary", "use JSONSerialization"
        ),
        (
            .start, true, ["[\"version\": ", "[\"data\": ", "[\"header\": ", "[\"signature\": "],
            "Swift printed a dictionary", "use JSONEncoder"
        ),
        (
            .near, true, ["map[", "{EC_v1 ", "{RSA_v1 ", "ersion:EC_v1", "ersion:RSA_v1"],
            "Go's fmt printed it", "use json.Marshal"
        ),
        (
            .near, true, ["version: EC_v1", "version: RSA_v1"],
            "its texts have no quotation marks, as Dart prints them", "use jsonEncode"
        ),
        (.start, true, ["b'{", "b\"{"], "Python printed bytes", "decode them as UTF-8"),
        (.start, true, ["System."], ".NET printed the name of a type", "use JsonSerializer"),
        (
            .near, true,
            [
                "version=", "{data=", "{header=", "{signature=", "{paymentData=", "(data=",
                "(header=",
                "(signature=", "(paymentData=",
            ], "toString wrote it, as in Java or Kotlin", "use a library for JSON"
        ),
        (
            .start, false, ["{'"], "its quotation marks are single ones, as Python prints them",
            "use json.dumps"
        ),
        (.start, false, ["'{"], "it is in single quotation marks", "leave them out"),
        (
            .start, false, ["\"{\""],
            "quotation marks were put around it without escaping those in it",
            "leave them out"
        ),
        (
            .start, false, ["{\\\""],
            "its quotation marks are preceded by backslashes, as in a string of a program",
            "decode the string once"
        ),
        (
            .start, false, ["{ version:", "{\n  version:"], "JavaScript's console.log wrote it",
            "use JSON.stringify"
        ),
        (
            .start, false, ["{version:", "{paymentData:", "{data:", "{header:", "{signature:"],
            "its names have no quotation marks, as in a program's source", "use JSON.stringify"
        ),
        (.start, false, ["%25"], "it is URL-encoded twice", "decode it twice"),
        (.start, false, ["%7B", "%7b", "%22"], "it is URL-encoded", "decode it once"),
        (
            .start, false, ["{\u{201C}", "{\u{201E}"],
            "it has typographic quotation marks, as text editors make them",
            "send the text that the client received"
        ),
        (
            .start, false, ["{&quot;", "&quot;", "&#", "{&#"], "it is escaped for HTML",
            "send it without escaping"
        ),
        (
            .near, false, ["Content-Disposition:", "content-disposition:"],
            "it is a multipart form",
            "send the value of its field alone"
        ),
        (
            .start, false, ["POST /", "PUT /", "GET /", "HTTP/1."], "it is a whole HTTP message",
            "send its body alone"
        ),
        (
            .start, false, ["<!DOCTYPE", "<!doctype", "<html", "<HTML"],
            "it is a page in HTML, such as an error page", "look for what wrote it"
        ),
        (.start, false, ["<"], "it is XML, or a text in angle brackets", "send the token as JSON"),
        (.start, false, ["data:"], "it is a data URL", "send what follows its comma"),
        (
            .start, false, ["123,34", "123, 34", "[123 34"], "it is a list of bytes in decimal",
            "send the text that they encode"
        ),
        (.start, false, ["0x7b", "0x7B"], "it is hexadecimal", "decode it"),
    ]

    /// Recognizes what became of a token; nil if it is not known.
    ///
    /// - Parameter text: The text without white space around it.
    init?(_ text: ArraySlice<UInt8>) {
        let start = text.prefix(Self.searchedCount)
        let row = Self.table.first { row in
            row.signs.contains { sign in
                row.place == .start
                    ? start.starts(with: sign.utf8) : start.contains(Array(sign.utf8))
            }
        }
        if let form = Self.form(start) {
            (isPrinted, cause) = (false, form)
        } else if let row {
            (isPrinted, cause) = (row.isPrinted, "\(row.name); \(row.remedy)")
        } else if Self.isHexadecimal(text) {
            (isPrinted, cause) = (false, "it is hexadecimal; decode it")
        } else if let base64 = Self.base64(text) {
            (isPrinted, cause) = (false, base64)
        } else {
            return nil
        }
    }

    /// Returns whether a text is hexadecimal of a JSON object.
    static func isHexadecimal(_ text: ArraySlice<UInt8>) -> Bool {
        (text.starts(with: "7b".utf8) || text.starts(with: "7B".utf8))
            && Hexadecimal.decodedCount(of: text.span) != nil && Hexadecimal.isDecodable(text.span)
    }

    /// Recognizes a form's body: a field's name, `=`, and a token in one of the forms that a form gives it.
    private static func form(_ start: ArraySlice<UInt8>) -> String? {
        guard let end = start.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let (name, value) = (start[..<end], start[(end + 1)...])
        let isName = name.allSatisfy { byte in
            byte.isLetterOrDigit || "_-.[]%".utf8.contains(byte)
        }
        guard isName, !name.isEmpty else { return nil }
        let isMember =
            name.contains(Array("[version]".utf8)) || name.contains(Array("%5Bversion%5D".utf8))
        if isMember || name.elementsEqual("version".utf8) && value.contains(UInt8(ascii: "&")) {
            return "it is a form with a field for each member; send the object as JSON in one field"
        }
        let values = ["%7B", "%7b", "%25", "%22", "{", "\"{", "eyJ"]
        guard values.contains(where: { value.starts(with: $0.utf8) }) else { return nil }
        return "it is a form; send the value of its field alone, URL-decoded once"
    }

    /// Recognizes base64 of JSON that is not as it must be.
    private static func base64(_ text: ArraySlice<UInt8>) -> String? {
        // base64 of {", of { with white space after it, and of "{.
        guard ["eyJ", "ewo", "eyA", "ew0", "Ins"].contains(where: { text.starts(with: $0.utf8) })
        else {
            return nil
        }
        if text.contains(UInt8(ascii: ".")) {
            return "it is a JWT or JWE, in which somebody wrapped something; send the token itself"
        }
        if text.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) {
            return "it is base64url; send base64, with + and / and padding"
        }
        if text.contains(UInt8(ascii: "%")) { return "it is URL-encoded base64; decode it once" }
        if text.contains(UInt8(ascii: " ")) {
            return
                "it is base64 with blanks, which + became in a form; URL-encode it before it is sent"
        }
        return text.count % 4 == 0
            ? nil
            : "it is base64 without padding, or its end is missing; add =, or send the whole text"
    }
}
