import ApplePayTokenTestingPrimitives

extension VectorBook {
    /// Adds keys that do not belong to any merchant, and invalid points.
    func addKeys() throws {
        try addKeySelection()
        try addKeyAgreement()
    }

    private func addKeySelection() throws {
        try reject(
            "key-selection/stranger", "to a merchant whose key is not here", at: .keySelection,
            to: try pki.merchant("stranger")
        )
        for (name, version) in [("ec", TokenVersion.ec), ("rsa", .rsa)] {
            try reject(
                "key-selection/\(name)-bit", "a bit of publicKeyHash, which is not signed",
                at: .keySelection, version: version
            ) {
                $0.afterSigning.publicKeyHash.flipBit(100)
            }
        }
        let merchant = try pki.merchant("one")
        guard case .ec(let key) = merchant.credential.key else { return }
        let hashes: [(String, String, [UInt8])] = [
            ("zeros", "zeros", [UInt8](repeating: 0, count: 32)),
            ("of-point", "the hash of the point alone", try Digest.sha256.hash(key.publicPoint)),
            (
                "of-certificate", "the hash of the certificate",
                try Digest.sha256.hash(merchant.certificateDER)
            ),
            ("of-merchant", "the hash of the merchant identifier", merchant.identifierHash),
            (
                "of-rsa-key", "the hash of an RSA key that is here",
                try pki.merchant("two", .rsa).publicKeyHash
            ),
        ]
        for (name, comment, hash) in hashes {
            try reject("key-selection/\(name)", "publicKeyHash is \(comment)", at: .keySelection) {
                $0.afterSigning.publicKeyHash.replace(with: hash)
            }
        }
        try reject(
            "key-selection/of-ec-key", "RSA_v1 with the hash of an EC key that is here",
            at: .keySelection, version: .rsa
        ) {
            $0.afterSigning.publicKeyHash.replace(with: merchant.publicKeyHash)
        }
    }

    private func addKeyAgreement() throws {
        guard case .ec(let key) = try pki.ecKey("ephemeral", .p256) else { return }
        let x = Array(key.publicPoint[1...32])
        let y = Array(key.publicPoint[33...64])
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let points: [(String, String, [UInt8])] = [
            ("off-curve", "off the curve by one bit of Y", x + Array(y.dropLast()) + [y[31] ^ 1]),
            ("off-curve-x", "off the curve by one bit of X", Array(x.dropLast()) + [x[31] ^ 1] + y),
            ("swapped", "X and Y exchanged", y + x),
            ("zeros", "X and Y are 0", [UInt8](repeating: 0, count: 64)),
            ("ones", "X and Y beyond the field", ones + ones),
            ("x-twice", "Y is X", x + x),
        ]
        for (name, comment, coordinates) in points {
            try reject("key-agreement/\(name)", "\(comment), signed", at: .keyAgreement) {
                $0.beforeSigning.key.replace(
                    with: PrivateKey.subjectPublicKeyInfo(curve: .p256, point: [0x04] + coordinates)
                )
            }
        }
    }
}
