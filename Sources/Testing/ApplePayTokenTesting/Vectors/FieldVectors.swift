import ApplePayTokenTestingPrimitives

extension VectorBook {
    /// Adds members that are missing, of the wrong type, wrongly encoded or of the wrong length.
    func addFields() throws {
        try addMembers()
        try addVersions()
        try addEncodedFields()
        try addLengths()
        try reject("field/empty-object", "an object without members", at: .field) {
            $0.editJSON { $0 = [:] }
        }
        try reject("field/empty-strings", "every member empty, as a simulator sends", at: .field) {
            $0.editJSON {
                $0 = ["version": "", "data": "", "signature": "", "header": .object([:])]
            }
        }
    }

    private func addMembers() throws {
        let wrong: [(String, JSONValue)] = [
            ("null", .raw("null")), ("number", .raw("1")), ("array", .array([])),
        ]
        for name in ["version", "data", "signature", "header"] {
            try reject("field/\(name)-missing", "no member \(name)", at: .field) {
                $0.editJSON { $0[name] = nil }
            }
            for (kind, value) in wrong {
                try reject("field/\(name)-\(kind)", "\(name) is a \(kind)", at: .field) {
                    $0.editJSON { $0[name] = value }
                }
            }
        }
        try reject("field/header-string", "header is a string", at: .field) {
            $0.editJSON { $0["header"] = "{}" }
        }
        for version in TokenVersion.allCases {
            for name in [version.keyMember, "publicKeyHash", "transactionId"] {
                let id = version == .ec ? "ec-\(name)" : "rsa-\(name)"
                try reject("field/\(id)-missing", "no \(name)", at: .field, version: version) {
                    $0.editJSON { $0["header", name] = nil }
                }
                try reject("field/\(id)-null", "\(name) is null", at: .field, version: version) {
                    $0.editJSON { $0["header", name] = .raw("null") }
                }
                try reject("field/\(id)-empty", "\(name) is empty", at: .field, version: version) {
                    $0.editJSON { $0["header", name] = "" }
                }
            }
        }
        try reject("field/both-keys", "ephemeralPublicKey and wrappedKey", at: .field) {
            let wrapped = Payload.base64(try pki.bytes("wrapped key", 256))
            $0.editJSON { $0["header", "wrappedKey"] = wrapped }
        }
        try reject(
            "field/rsa-both-keys", "wrappedKey and ephemeralPublicKey", at: .field, version: .rsa
        ) {
            let key = Payload.base64(try pki.ecKey("ephemeral", .p256).subjectPublicKeyInfo)
            $0.editJSON { $0["header", "ephemeralPublicKey"] = key }
        }
        try reject("field/other-key", "the key under the other version's name", at: .field) {
            $0.editJSON {
                guard case .object(var header) = $0["header"] else { return }
                header.rename("ephemeralPublicKey", to: "wrappedKey")
                $0["header"] = .object(header)
            }
        }
        for (kind, value) in [("number", JSONValue.raw("1")), ("empty", "")] {
            try reject("field/applicationData-\(kind)", "applicationData is \(kind)", at: .field) {
                $0.editJSON { $0["header", "applicationData"] = value }
            }
        }
    }

    private func addVersions() throws {
        for (name, version) in [
            ("other", "EC_v2"), ("lower-case", "ec_v1"), ("blank", "EC_v1 "), ("empty", ""),
            ("short", "EC"), ("nul", "EC_v1\0"),
        ] {
            try reject("field/version-\(name)", "an unknown version", at: .field) {
                $0.version = version
            }
        }
        try reject("field/version-of-rsa", "an EC token called RSA_v1", at: .field) {
            $0.version = TokenVersion.rsa.rawValue
        }
        try reject("field/version-of-ec", "an RSA token called EC_v1", at: .field, version: .rsa) {
            $0.version = TokenVersion.ec.rawValue
        }
    }

    private func addEncodedFields() throws {
        for name in ["data", "signature"] {
            let changes: [(String, String, @Sendable (String) -> String)] = [
                ("bad-character", "a character outside the alphabet", { "!" + $0.dropFirst() }),
                ("nul", "a NUL inside", { "\0" + $0.dropFirst() }),
                ("extra-padding", "four more padding characters", { $0 + "====" }),
                ("padding-inside", "padding in the middle", { $0.prefix(4) + "====" + $0 }),
                ("one-over", "one character too many", { $0 + "A" }),
                ("data-url", "a data: URL", { "data:;base64," + $0 }),
            ]
            for (id, comment, change) in changes {
                try reject(
                    "field/\(name)-\(id)", "\(name): \(comment)", at: .field, severity: .form
                ) {
                    $0.editJSON {
                        guard case .string(let text) = $0[name] else { return }
                        $0[name] = .string(change(text))
                    }
                }
            }
        }
        for name in ["transactionId", "applicationData"] {
            let changes: [(String, String, @Sendable (String) -> String)] = [
                ("odd", "an odd number of digits", { String($0.dropLast()) }),
                ("no-digit", "a letter that is no digit", { "g" + $0.dropFirst() }),
                ("sign", "a sign", { "+" + $0.dropFirst() }),
                ("prefix", "0x before the digits", { "0x" + $0 }),
                ("full-width", "a full-width digit", { "\u{FF11}" + $0.dropFirst() }),
            ]
            for (id, comment, change) in changes {
                try reject("field/\(name)-\(id)", "\(name): \(comment)", at: .field) {
                    $0.applicationData = try pki.bytes("application data", 32)
                    $0.editJSON {
                        guard case .string(let text) = $0["header", name] else { return }
                        $0["header", name] = .string(change(text))
                    }
                }
            }
        }
        try either("field/unpadded", "publicKeyHash without its padding", at: .field) {
            $0.editJSON {
                guard case .string(let text) = $0["header", "publicKeyHash"] else { return }
                $0["header", "publicKeyHash"] = .string(text.replacing("=", with: ""))
            }
        }
        try either("field/line-breaks", "signature in lines of 76 characters", at: .field) {
            $0.editJSON {
                guard case .string(let text) = $0["signature"] else { return }
                let lines = stride(from: 0, to: text.count, by: 76)
                    .map { text.dropFirst($0).prefix(76) }
                $0["signature"] = .string(lines.joined(separator: "\r\n"))
            }
        }
    }

    private func addLengths() throws {
        for (name, count) in [("short", 31), ("long", 33)] {
            try reject("field/publicKeyHash-\(name)", "publicKeyHash of \(count) bytes", at: .field)
            {
                $0.afterSigning.publicKeyHash.replace(with: try pki.bytes("hash", count))
            }
            try reject("field/transactionId-\(name)", "\(count) bytes, signed", at: .field) {
                $0.transactionId = try pki.bytes("transaction", count)
            }
            try reject("field/applicationData-\(name)", "\(count) bytes, signed", at: .field) {
                $0.applicationData = try pki.bytes("application data", count)
            }
            let wrapped = try pki.bytes("wrapped key", 224 + count)
            try reject(
                "field/wrappedKey-\(name)", "\(wrapped.count) bytes, signed", at: .field,
                version: .rsa
            ) {
                $0.beforeSigning.key.replace(with: wrapped)
            }
        }
        try reject(
            "field/transactionId-swallows", "transactionId takes applicationData, as signed",
            at: .field
        ) {
            let application = try pki.bytes("application data", 32)
            $0.applicationData = application
            $0.afterSigning.transactionId.append(application)
            $0.editJSON { $0["header", "applicationData"] = nil }
        }
        try reject("field/key-cut", "ephemeralPublicKey of 90 bytes, signed", at: .field) {
            $0.beforeSigning.key.removeLast()
        }
        try reject("field/key-trailing", "a byte after the key's structure, signed", at: .field) {
            $0.beforeSigning.key.append([0x00])
        }
        let longKey = try pki.ecKey("ephemeral", .p384)
        try reject("field/key-p384", "a key on P-384, signed", at: .field) {
            $0.beforeSigning.key.replace(with: longKey.subjectPublicKeyInfo)
        }
        guard case .ec(let key) = try pki.ecKey("ephemeral point", .p256) else { return }
        let points: [(String, String, [UInt8])] = [
            (
                "hybrid", "a point in hybrid form",
                [6 | (key.publicPoint[64] & 1)] + key.publicPoint[1...]
            ),
            ("first-byte", "a point that begins with 05", [0x05] + key.publicPoint[1...]),
            ("infinity", "the point at infinity", [0x00]),
        ]
        for (name, comment, point) in points {
            try reject("field/key-\(name)", "\(comment), signed", at: .field) {
                $0.beforeSigning.key.replace(
                    with: PrivateKey.subjectPublicKeyInfo(curve: .p256, point: point))
            }
        }
        try reject("field/key-rsa", "an RSA public key, signed", at: .field) {
            $0.beforeSigning.key.replace(
                with: try pki.merchant("two", .rsa).credential.key.subjectPublicKeyInfo)
        }
        try reject("field/key-raw-point", "the point without its structure, signed", at: .field) {
            $0.beforeSigning.key.replace(with: key.publicPoint)
        }
    }
}
