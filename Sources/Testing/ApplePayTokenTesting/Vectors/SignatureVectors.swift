import ApplePayTokenTestingPrimitives

extension VectorBook {
    /// Adds signatures that do not match the signed bytes.
    func addSignatures() throws {
        try addFlippedFields()
        try addFlippedSignatures()
        try addOtherMessages()
    }

    private func addFlippedFields() throws {
        for (name, version) in [("ec", TokenVersion.ec), ("rsa", .rsa)] {
            try reject(
                "signature/\(name)-key", "a bit of the key", at: .signature, version: version
            ) {
                $0.afterSigning.key.flipBit(-1)
            }
            for (place, bit) in [("first", 0), ("last", -1)] {
                try reject(
                    "signature/\(name)-data-\(place)", "data: the \(place) bit", at: .signature,
                    version: version
                ) {
                    $0.afterSigning.data.flipBit(bit)
                }
                try reject(
                    "signature/\(name)-transactionId-\(place)", "transactionId: the \(place) bit",
                    at: .signature, version: version
                ) {
                    $0.afterSigning.transactionId.flipBit(bit)
                }
                try reject(
                    "signature/\(name)-applicationData-\(place)",
                    "applicationData: the \(place) bit", at: .signature, version: version
                ) {
                    $0.applicationData = try pki.bytes("application data", 32)
                    $0.afterSigning.applicationData.flipBit(bit)
                }
            }
        }
        try reject("signature/data-cut", "data without its last byte", at: .signature) {
            $0.afterSigning.data.removeLast()
        }
        let application = try pki.bytes("application data", 32)
        let digits = JSONValue.string(Hexadecimal.text(application))
        try reject("signature/applicationData-added", "added after signing", at: .signature) {
            $0.editJSON { $0["header", "applicationData"] = digits }
        }
        try reject("signature/applicationData-dropped", "dropped after signing", at: .signature) {
            $0.applicationData = application
            $0.editJSON { $0["header", "applicationData"] = nil }
        }
        let other = try pki.token(named: "signature/other")
        try reject("signature/other-signature", "the signature of another token", at: .signature) {
            $0.afterSigning.signature.replace(with: other.signature)
        }
        try reject("signature/other-data", "the data of another token", at: .signature) {
            $0.afterSigning.data.replace(with: other.data)
        }
        try reject("signature/other-key", "the key of another token", at: .signature) {
            $0.afterSigning.key.replace(with: other.keyField)
        }
    }

    private func addFlippedSignatures() throws {
        for (name, version) in [("ec", TokenVersion.ec), ("rsa", .rsa)] {
            for (place, bit) in [("middle", 20 * 8 + 3), ("last", -1)] {
                try reject(
                    "signature/\(name)-value-\(place)", "a bit of the signature value",
                    at: .signature, version: version
                ) {
                    $0.cms.signer.signatureValue.flipBit(bit)
                }
            }
            try reject(
                "signature/\(name)-digest", "messageDigest with a bit flipped, signed",
                at: .signature, version: version
            ) {
                $0.cms.signer.messageDigest.flipBit(0)
            }
        }
        // The last digit of the signing time: YYMMDDHHMMSS follows the header of the field (3
        // bytes), contentType (26) and the headers of signingTime (17).
        try reject("signature/signing-time-moved", "signingTime a second on", at: .signature) {
            $0.cms.signer.encodedAttributes.flipBit((3 + 26 + 17 + 11) * 8 + 7)
        }
        let values: [(String, String, [UInt8])] = [
            ("empty", "no signature value", []),
            ("zero", "r and s are 0", [0x30, 0x06, 2, 1, 0, 2, 1, 0]),
            ("one", "r and s are 1", [0x30, 0x06, 2, 1, 1, 2, 1, 1]),
            ("negative", "r and s are -1", [0x30, 0x06, 2, 1, 0xFF, 2, 1, 0xFF]),
            ("no-integers", "a SEQUENCE of nothing", [0x30, 0x00]),
        ]
        for (name, comment, value) in values {
            try reject("signature/ecdsa-\(name)", comment, at: .signature, .cms) {
                $0.cms.signer.signatureValue.replace(with: value)
            }
        }
        try reject("signature/ecdsa-trailing", "a byte after r and s", at: .signature, .cms) {
            $0.cms.signer.signatureValue.append([0x00])
        }
        for (name, value) in [("zeros", UInt8(0x00)), ("ones", 0xFF)] {
            try reject(
                "signature/rsa-\(name)", "256 equal bytes", at: .signature, .cms, version: .rsa
            ) {
                $0.cms.signer.signatureValue.replace(with: [UInt8](repeating: value, count: 256))
            }
        }
        try reject("signature/rsa-short", "255 bytes", at: .signature, .cms, version: .rsa) {
            $0.cms.signer.signatureValue.removeLast()
        }
    }

    private func addOtherMessages() throws {
        try reject("signature/stranger", "a stranger signed in the leaf's name", at: .signature) {
            $0.cms.signer.key = try pki.ecKey("stranger", .p256)
        }
        try reject("signature/intermediate-key", "the intermediate's key signed", at: .signature) {
            $0.cms.signer.key = $0.chain.intermediate.key
        }
        try reject(
            "signature/rsa-stranger", "a merchant signed in the leaf's name", at: .signature,
            version: .rsa
        ) {
            $0.cms.signer.key = try pki.merchant("two", .rsa).credential.key
        }
        let application = try pki.bytes("application data", 32)
        let messages: [(String, @Sendable (TokenRecipe.SignedFields) -> [UInt8])] = [
            (
                "transactionId as text",
                {
                    $0.key + $0.data + Hexadecimal.text($0.transactionId).utf8
                        + ($0.applicationData ?? [])
                }
            ),
            (
                "applicationData as text",
                {
                    $0.key + $0.data + $0.transactionId
                        + Hexadecimal.text($0.applicationData ?? []).utf8
                }
            ),
            ("no applicationData", { $0.key + $0.data + $0.transactionId }),
            ("no transactionId", { $0.key + $0.data + ($0.applicationData ?? []) }),
            (
                "data before key",
                {
                    $0.data + $0.key + $0.transactionId + ($0.applicationData ?? [])
                }
            ),
            ("nothing", { _ in [] }),
        ]
        for (name, message) in messages {
            let id = name.replacing(" ", with: "-")
            try reject("signature/message-\(id)", "signed bytes: \(name)", at: .signature) {
                $0.applicationData = application
                $0.sign(message)
            }
        }
    }
}
