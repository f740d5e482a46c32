import ApplePayCMS
import ApplePayToken
import ApplePayTokenTesting
import BenchmarkFloor

/// Compares the pipeline and its steps with the minimum that libcrypto needs, on one thread.
struct PipelineBenchmark {
    let turns: Turns

    /// Heap allocations per token for the pipeline with a cached chain, and for libcrypto alone.
    let allocations: (pipeline: Double, floor: Double)

    /// The measurements, in the order of the table.
    static let names = [
        "EC_v1 libcrypto", "EC_v1 library", "RSA_v1 libcrypto", "RSA_v1 library",
        "EC_v1 libcrypto with its chain", "EC_v1 library, chain not remembered",
        "EC_v1 library, new signer", "EC_v1 library, forged signer",
        "EC_v1 library, forged intermediate", "EC_v1 library, refused at chain",
        "ECDSA P-256 verify", "ECDH P-256", "AES-256-GCM", "three SHA-256", "read certificates",
        "step parse token", "step parse CMS", "step verify", "step open",
        "EC_v1 refusal, 10,000 keys", "straightforward",
    ]

    init(_ corpus: Corpus, rounds: Int) throws {
        let ecFloor = try corpus.floor(.ec)
        let rsaFloor = try corpus.floor(.rsa)
        let chainFloor = try corpus.chainFloor()
        let warm = try corpus.decryptor()
        let cold = try corpus.decryptor()
        let known = try corpus.decryptor()
        let stranger = try PaymentTokenDecryptor(
            keyring: corpus.otherKeys(10_000), anchor: corpus.anchor)
        let verifier = try PaymentTokenVerifier(anchor: corpus.anchor)
        let receipt = Corpus.receipt
        let parsed = try corpus.ec.map { try PaymentToken(parsing: $0.text) }
        let verified = try parsed.map { try verifier.verify($0, agePolicy: receipt) }
        let count = Corpus.tokenCount
        let plain = Array(corpus.ec.prefix(8))
        for token in corpus.namesakes { _ = try warm.decrypt(token.text, agePolicy: receipt) }
        var unseen = corpus.unseen[...]
        var newSigners = corpus.newSigners[...]

        turns = try Turns(
            [
                .init("EC_v1 libcrypto", tokens: count) {
                    for token in corpus.ec { try ecFloor.run(token) }
                },
                .init("EC_v1 library", tokens: count) {
                    for token in corpus.ec { _ = try warm.decrypt(token.text, agePolicy: receipt) }
                },
                .init("RSA_v1 libcrypto", tokens: count) {
                    for token in corpus.rsa { try rsaFloor.run(token) }
                },
                .init("RSA_v1 library", tokens: count) {
                    for token in corpus.rsa { _ = try warm.decrypt(token.text, agePolicy: receipt) }
                },
                .init("EC_v1 libcrypto with its chain", tokens: 8) {
                    for token in corpus.ec.prefix(8) {
                        // An intermediate that comes for the first time has to be read.
                        _ = unsafe Floor_parse_certificate(
                            token.intermediate, token.intermediate.count)
                        for certificate in chainFloor { try certificate.verify() }
                        try ecFloor.run(token)
                    }
                },
                .init("EC_v1 library, chain not remembered", tokens: 8) {
                    if unseen.count < 8 { unseen = corpus.unseen[...] }
                    for token in unseen.prefix(8) {
                        _ = try cold.decrypt(token.text, agePolicy: receipt)
                    }
                    unseen = unseen.dropFirst(8)
                },
                .init("EC_v1 library, new signer", tokens: 8) {
                    if newSigners.count < 8 { newSigners = corpus.newSigners[...] }
                    for token in newSigners.prefix(8) {
                        _ = try known.decrypt(token.text, agePolicy: receipt)
                    }
                    newSigners = newSigners.dropFirst(8)
                },
                Self.refused("EC_v1 library, forged signer", corpus.forgedSigners, by: warm),
                Self.refused(
                    "EC_v1 library, forged intermediate", corpus.forgedIntermediates, by: warm),
                Self.refused(
                    "EC_v1 library, refused at chain", corpus.twoForgedIntermediates, by: warm),
                .init("ECDSA P-256 verify", tokens: count) {
                    for token in corpus.ec { try ecFloor.verify(token) }
                },
                .init("ECDH P-256", tokens: count) {
                    for token in corpus.ec { try ecFloor.derive(token) }
                },
                .init("AES-256-GCM", tokens: count) {
                    for token in corpus.ec { try ecFloor.open(token) }
                },
                .init("three SHA-256", tokens: count) {
                    for token in corpus.ec {
                        try ecFloor.hash(token.message)
                        try ecFloor.hash(token.signedAttributes)
                        try ecFloor.hash(token.derivationInput)
                    }
                },
                .init("read certificates", tokens: 8) {
                    for token in plain {
                        _ = unsafe Floor_parse_certificate(token.leaf, token.leaf.count)
                        _ = unsafe Floor_parse_certificate(
                            token.intermediate, token.intermediate.count)
                    }
                },
                .init("step parse token", tokens: count) {
                    for token in corpus.ec { _ = try PaymentToken(parsing: token.text) }
                },
                .init("step parse CMS", tokens: count) {
                    for token in corpus.ec { _ = try SignedData(parsing: token.cms) }
                },
                .init("step verify", tokens: count) {
                    for token in parsed { _ = try verifier.verify(token, agePolicy: receipt) }
                },
                .init("step open", tokens: count) {
                    for token in verified { _ = try token.open(with: corpus.keyring) }
                },
                .init("EC_v1 refusal, 10,000 keys", tokens: count) {
                    for token in corpus.ec { try Self.refuse(token, by: stranger) }
                },
                .init("straightforward", tokens: plain.count) {
                    for token in plain { try Straightforward.open(token, corpus) }
                },
            ]
                + corpus.costlyTexts.map { text in
                    .init(text.name, tokens: 1) {
                        _ = try? warm.decrypt(text.bytes, agePolicy: receipt)
                    }
                },
            rounds: rounds)

        func allocations(_ body: (Sample) throws -> Void) rethrows -> Double {
            let start = Floor_allocations()
            for token in corpus.ec { try body(token) }
            return Double(Floor_allocations() - start) / Double(count)
        }
        self.allocations = (
            try allocations { _ = try warm.decrypt($0.text, agePolicy: receipt) },
            try allocations { try ecFloor.run($0) }
        )
    }

    /// The time for the text that takes longest to read, over that for an accepted token.
    func dearestJSON(_ corpus: Corpus) -> Statistics {
        let all = corpus.costlyTexts.map { turns.ratio($0.name, over: "EC_v1 library") }
        return all.max { $0.median < $1.median } ?? Statistics([])
    }

    /// Returns a subject that decrypts forged tokens, which must be refused for their chain.
    private static func refused(
        _ name: String,
        _ tokens: [Sample],
        by decryptor: PaymentTokenDecryptor
    ) -> Turns.Subject {
        .init(name, tokens: tokens.count) {
            for token in tokens {
                let verdict = Result { () throws(PaymentTokenError) in
                    try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
                }
                guard case .failure(let error) = verdict, error.code == .noPathToAnchor else {
                    throw BenchmarkFailure("a forged token is not refused for its chain")
                }
            }
        }
    }

    /// Passes a token to a decryptor that does not have its key.
    private static func refuse(_ token: Sample, by decryptor: PaymentTokenDecryptor) throws {
        do throws(PaymentTokenError) {
            _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
        } catch {
            guard error.code == .noKeyWithHash else { throw error }
            return
        }
        throw BenchmarkFailure("a token was opened without its key")
    }
}
