import ApplePayTokenTestingPrimitives
import FoundationEssentials

/// The files of the folder TestVectors/synthetic, by path.
package enum SyntheticCorpus {
    /// Creates every file, with the same bytes each time.
    package static func files() throws -> [String: [UInt8]] {
        let book = VectorBook()
        try book.addAll()

        let lines = book.vectors.map { $0.line + "\n" }.joined()
        var files = [
            "cases.jsonl": Array(lines.utf8),
            "pki/root.pem": Array(try book.pki.root.certificate.pem.utf8),
            "demo-token.json": try book.pki.token(named: "demo").json,
        ]
        for merchant in try book.merchants() {
            files["keys/\(merchant.name).key.pem"] = Array(merchant.keyPEM.utf8)
            files["keys/\(merchant.name).cert.pem"] = Array(merchant.certificatePEM.utf8)
        }
        for (name, list) in try book.revocationLists() {
            files["revocation/\(name).crl.pem"] = Array(try list.issued().utf8)
        }
        return files
    }
}

extension VectorBook {
    /// Returns the merchants whose keys are in the folder keys.
    func merchants() throws -> [Merchant] {
        [
            try pki.merchant("one"), try pki.merchant("two", .rsa), try pki.merchant("three"),
            try merchantOfThePast(),
        ]
    }

    /// Returns a merchant whose certificate expired before its tokens were signed.
    func merchantOfThePast() throws -> Merchant {
        try pki.merchant("past") {
            $0.notBefore = CivilTime.day(2022, 9, 1)
            $0.notAfter = CivilTime.day(2024, 10, 1)
        }
    }

    /// Returns lists that revoke, or do not revoke, the certificates of the valid EC tokens.
    func revocationLists() throws -> [String: RevocationListRecipe] {
        let chain = try pki.chain(.ec)
        let certificates = try chain.issued()
        let authority = certificates.intermediate.subject
        let authorityKey = chain.intermediate.key
        let root = certificates.root.subject
        let leaf = [certificates.leaf.serialNumber]
        let past = CivilTime.day(2025, 1, 1)
        func list(
            _ issuer: DistinguishedName,
            _ key: PrivateKey,
            _ serialNumbers: [[UInt8]],
            _ time: Date = TestPKI.useTime
        ) -> RevocationListRecipe {
            RevocationListRecipe(
                issuer: issuer, key: key, serialNumbers: serialNumbers, thisUpdate: time)
        }
        var other = list(authority, try pki.ecKey("impostor of lists", .p256), leaf)
        other.statesKey = true
        var own = list(authority, authorityKey, [[0x05]])
        own.statesKey = true
        return [
            "others-with-key": own,
            "leaf-by-another-stated-key": other,
            "leaf": list(authority, authorityKey, leaf),
            "leaf-in-an-old-list": list(authority, authorityKey, [[0x05]] + leaf, past),
            "intermediate": list(
                root, chain.root.key, [certificates.intermediate.serialNumber]),
            "others": list(authority, authorityKey, [[0x05], [0x06]]),
            "nothing": list(authority, authorityKey, []),
            "leaf-by-another-key": list(
                authority, try pki.ecKey("impostor of lists", .p256), leaf),
            "leaf-by-the-root": list(root, chain.root.key, leaf),
        ]
    }
}
