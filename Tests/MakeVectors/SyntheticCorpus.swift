import TokenMint

/// The folder TestVectors/synthetic: what is in it, by path.
enum SyntheticCorpus {
    /// Makes every file; the same bytes every time.
    static func files() throws -> [String: [UInt8]] {
        let book = VectorBook()
        try book.addValid()
        try book.addPayloads()
        try book.addJSON()
        try book.addWrappers()
        try book.addFields()
        try book.addCMS()
        try book.addAlgorithms()
        try book.addChains()
        try book.addIssuers()
        try book.addSignatures()
        try book.addSigningTimes()
        try book.addKeys()
        try book.addDecryption()
        try book.addPaymentData()

        let lines = book.vectors.map { $0.line + "\n" }.joined()
        var files = [
            "cases.jsonl": Array(lines.utf8),
            "pki/root.pem": Array(try book.mint.root.certificate.pem.utf8),
            "demo-token.json": try book.mint.token(named: "demo").json,
        ]
        for merchant in try book.merchants() {
            files["keys/\(merchant.name).key.pem"] = Array(merchant.keyPEM.utf8)
            files["keys/\(merchant.name).cert.pem"] = Array(merchant.certificatePEM.utf8)
        }
        return files
    }
}

extension VectorBook {
    /// The merchants whose keys lie in the folder keys.
    func merchants() throws -> [Merchant] {
        [
            try mint.merchant("one"), try mint.merchant("two", .rsa), try mint.merchant("three"),
            try merchantOfThePast(),
        ]
    }

    /// A merchant whose certificate ended before its tokens were signed.
    func merchantOfThePast() throws -> Merchant {
        try mint.merchant("past") {
            $0.notBefore = CivilTime.day(2022, 9, 1)
            $0.notAfter = CivilTime.day(2024, 10, 1)
        }
    }
}
