import ApplePayTokenTestingPrimitives

extension VectorBook {
    /// Adds correctly signed tokens whose data cannot be decrypted.
    func addDecryption() throws {
        for (name, version) in [("ec", TokenVersion.ec), ("rsa", .rsa)] {
            for (place, bit) in [("first", 0), ("middle", 800), ("tag", -64), ("last", -1)] {
                try reject(
                    "decrypt/\(name)-data-\(place)", "a bit of data flipped before signing",
                    at: .decrypt, version: version
                ) {
                    $0.beforeSigning.data.flipBit(bit)
                }
            }
            for count in [4, 12, 15] {
                try reject(
                    "decrypt/\(name)-tag-\(count)", "a tag of \(count) bytes", at: .decrypt,
                    version: version
                ) {
                    $0.encryption.tagByteCount = count
                }
            }
            try reject(
                "decrypt/\(name)-vector-12", "12 zero bytes for initialization", at: .decrypt,
                version: version
            ) {
                $0.encryption.initializationVector = [UInt8](repeating: 0, count: 12)
            }
            try reject(
                "decrypt/\(name)-additional-data", "additional authenticated data", at: .decrypt,
                version: version
            ) {
                $0.encryption.additionalData = Array("Apple".utf8)
            }
            for count in [0, 1, 15] {
                try reject(
                    "decrypt/\(name)-data-\(count)", "data of \(count) bytes, signed", at: .decrypt,
                    .field, version: version
                ) {
                    $0.beforeSigning.data.replace(with: try pki.bytes("data", count))
                }
            }
        }
        try addDerivation()
        try addWrapping()
        try addShiftedFields()
    }

    private func addDerivation() throws {
        let other = try pki.merchant("three")
        try reject("decrypt/other-merchant", "PartyV is another merchant's", at: .decrypt) {
            $0.encryption.partyVInfo = other.identifierHash
        }
        try reject("decrypt/merchant-text", "PartyV is the identifier itself", at: .decrypt) {
            $0.encryption.partyVInfo = Array($0.recipient.identifier.utf8)
        }
        try reject("decrypt/merchant-hexadecimal", "PartyV is the hash as text", at: .decrypt) {
            $0.encryption.partyVInfo = Array(
                Hexadecimal.text($0.recipient.identifierHash).uppercased().utf8)
        }
        try reject("decrypt/no-merchant", "no PartyV", at: .decrypt) {
            $0.encryption.partyVInfo = []
        }
        try reject("decrypt/no-length-octet", "the cipher's name without its length", at: .decrypt)
        {
            $0.encryption.algorithmIdentifier.removeFirst()
        }
        try reject("decrypt/cipher-name", "the name of AES-128", at: .decrypt) {
            $0.encryption.algorithmIdentifier = [0x0D] + Array("id-aes128-GCM".utf8)
        }
        try reject("decrypt/sender", "another sender than Apple", at: .decrypt) {
            $0.encryption.partyUInfo = Array("apple".utf8)
        }
        let merchant = try pki.merchant("one")
        let key = try pki.ephemeralKey("raw secret", to: merchant) { _ in true }
        guard case .ec(let recipient) = merchant.credential.key else { return }
        try reject("decrypt/raw-secret", "the shared secret is the key", at: .decrypt) {
            $0.encryption.ephemeralKey = key
            $0.encryption.contentKey = try key.sharedSecret(with: recipient.publicPoint)
        }
        try reject("decrypt/other-ephemeral", "another ephemeral key, signed", at: .decrypt) {
            $0.beforeSigning.key.replace(with: PrivateKey.ec(key).subjectPublicKeyInfo)
        }
        let hash = other.publicKeyHash
        try reject("decrypt/other-hash", "publicKeyHash of another key that is here", at: .decrypt)
        {
            $0.afterSigning.publicKeyHash.replace(with: hash)
        }
    }

    private func addWrapping() throws {
        let digests: [(String, Digest, Digest)] = [
            ("sha1", .sha1, .sha1), ("mask-sha1", .sha256, .sha1), ("label-sha1", .sha1, .sha256),
        ]
        for (name, digest, mask) in digests {
            try reject("decrypt/oaep-\(name)", "OAEP with SHA-1", at: .decrypt, version: .rsa) {
                $0.encryption.paddingDigest = digest
                $0.encryption.maskDigest = mask
            }
        }
        for count in [0, 15, 17, 24, 32] {
            try reject(
                "decrypt/inner-key-\(count)", "a wrapped key of \(count) bytes", at: .decrypt,
                version: .rsa
            ) {
                let key = try pki.bytes("inner key", 32)
                $0.encryption.contentKey = Array(key.prefix(16))
                $0.encryption.wrappedPlaintext = Array(key.prefix(count))
            }
        }
        try reject(
            "decrypt/wrapped-bit", "a bit flipped before signing", at: .decrypt, version: .rsa
        ) {
            $0.beforeSigning.key.flipBit(-1)
        }
        for (name, byte) in [("zeros", UInt8(0x00)), ("ones", 0xFF)] {
            try reject(
                "decrypt/wrapped-\(name)", "256 equal bytes, signed", at: .decrypt, version: .rsa
            ) {
                $0.beforeSigning.key.replace(with: [UInt8](repeating: byte, count: 256))
            }
        }
        let other = try pki.token(.rsa, named: "decrypt/other")
        try reject(
            "decrypt/wrapped-other", "the wrapped key of another token", at: .decrypt, version: .rsa
        ) {
            $0.beforeSigning.key.replace(with: other.keyField)
        }
    }

    /// Adds tokens in which signed bytes move between members.
    ///
    /// Separators do not occur in the signed bytes, and the length of data varies, so bytes that were signed as data
    /// may be sent as transactionId, and vice versa.
    private func addShiftedFields() throws {
        for (name, version) in [("ec", TokenVersion.ec), ("rsa", .rsa)] {
            let id = "decrypt/shifted-fields-\(name)"
            let token = try pki.token(version, named: id)
            let last = Array(token.data.suffix(32))
            let application = JSONValue.string(Hexadecimal.text(token.transactionId))
            try reject(
                id,
                "the end of data sent as transactionId, that as applicationData: the signature holds",
                at: .decrypt, version: version
            ) {
                $0.afterSigning.data.removeLast(32)
                $0.afterSigning.transactionId.replace(with: last)
                $0.editJSON { $0["header", "applicationData"] = application }
            }
        }
        let application = try pki.bytes("application data", 32)
        try reject(
            "decrypt/shifted-fields-back",
            "transactionId sent as the end of data, applicationData as transactionId: the signature holds",
            at: .decrypt
        ) {
            $0.applicationData = application
            $0.afterSigning.data.append($0.transactionId)
            $0.afterSigning.transactionId.replace(with: application)
            $0.editJSON { $0["header", "applicationData"] = nil }
        }
    }
}
