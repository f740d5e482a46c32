import ApplePayCMS
import ApplePayPrimitives
import ApplePayToken
import TokenMint

/// Minted tokens, the road that opens them, and the bare operations that no road can do without.
struct Bench {
    /// Medians of one token's cost, in microseconds.
    struct Result {
        let floor: Double
        let road: Double
    }

    private struct Sample {
        let text: [UInt8]
        let message: [UInt8]
        let signedAttributes: [UInt8]
        let signatureValue: [UInt8]
        let key: [UInt8]
        let data: [UInt8]
        let contentKey: [UInt8]
    }

    private let samples: [TokenVersion: [Sample]]
    private let signerKeys: [TokenVersion: VerificationKey]
    private let merchantKeys: [TokenVersion: ApplePayPrimitives.PrivateKey]
    private let keyring: MerchantKeyring
    private let anchor: TrustAnchor
    private let receipt = AgePolicy.received(at: TokenMint.useTime)

    init(tokenCount: Int) throws {
        let mint = TokenMint(seed: "benchmarks")
        var samples: [TokenVersion: [Sample]] = [:]
        var signerKeys: [TokenVersion: VerificationKey] = [:]
        var merchantKeys: [TokenVersion: ApplePayPrimitives.PrivateKey] = [:]
        var merchants: [Merchant] = []
        for version in [TokenVersion.ec, .rsa] {
            let tokens = try (0..<tokenCount).map { try mint.token(version, named: "token \($0)") }
            samples[version] = try tokens.map { token in
                let signer = try SignedData(parsing: token.signature).signer
                return Sample(
                    text: token.json,
                    message: token.message,
                    signedAttributes: [0x31] + signer.signedAttributes.dropFirst(),
                    signatureValue: Array(signer.signatureValue),
                    key: token.keyField,
                    data: token.data,
                    contentKey: token.contentKey
                )
            }
            let leaf = tokens[0].chain.leaf.der
            signerKeys[version] = try X509Certificate(der: leaf.span).verificationKey()
            let merchant = tokens[0].merchant
            let der = merchant.keyDER
            merchantKeys[version] = try ApplePayPrimitives.PrivateKey(der: der.span)
            merchants.append(merchant)
        }
        self.samples = samples
        self.signerKeys = signerKeys
        self.merchantKeys = merchantKeys
        keyring = try KeyFolder.with(merchants) { try MerchantKeyring(contentsOf: [$0]) }
        anchor = try TrustAnchor(testRootCertificate: mint.root.certificate.der)
    }

    /// The road with its chain remembered, and the floor, in turns.
    func warm(_ version: TokenVersion, rounds: Int) throws -> Result {
        let samples = samples[version] ?? []
        guard let signerKey = signerKeys[version], let merchantKey = merchantKeys[version] else {
            return Result(floor: .nan, road: .nan)
        }
        let decryptor = try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
        var floors: [Double] = []
        var roads: [Double] = []
        // The first round warms both up and does not count.
        for round in 0...rounds {
            let floor = try microseconds {
                for sample in samples { try runFloor(sample, version, signerKey, merchantKey) }
            }
            let road = try microseconds {
                for sample in samples { _ = try decryptor.decrypt(sample.text, agePolicy: receipt) }
            }
            guard round > 0 else { continue }
            floors.append(floor / Double(samples.count))
            roads.append(road / Double(samples.count))
        }
        return Result(floor: median(floors), road: median(roads))
    }

    /// The road for the first token of each decryptor, which must prove the chain.
    func cold(rounds: Int) throws -> Double {
        var roads: [Double] = []
        for sample in (samples[.ec] ?? []).prefix(rounds) {
            let decryptor = try PaymentTokenDecryptor(keyring: keyring, anchor: anchor)
            roads.append(
                try microseconds { _ = try decryptor.decrypt(sample.text, agePolicy: receipt) })
        }
        return median(roads)
    }

    /// One signature, one agreement or unwrapping, one opening and the hashes, with contexts used again.
    private func runFloor(
        _ sample: Sample,
        _ version: TokenVersion,
        _ signerKey: VerificationKey,
        _ merchantKey: ApplePayPrimitives.PrivateKey
    ) throws {
        _ = try SHA256.hash(sample.message.span)
        let digest = try SHA256.hash(sample.signedAttributes.span)
        guard try signerKey.isValidSignature(sample.signatureValue.span, for: digest) else {
            fatalError("the floor's signature does not hold")
        }
        switch version {
        case .ec:
            let point = sample.key[P256PublicKey.pointRange]
            let secret = try SecretBytes(count: 32) { secret throws(PrimitivesError) in
                try merchantKey.deriveSharedSecret(with: point.span, into: &secret)
            }
            _ = try secret.withSpan { secret throws(PrimitivesError) in try SHA256.hash(secret) }
        case .rsa:
            _ = try merchantKey.unwrap(sample.key.span, count: 16)
        }
        _ = try AESGCM.open(sample.data.span, key: sample.contentKey.span)
    }

    private func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.attoseconds) / 1e12
            + Double(duration.components.seconds) * 1e6
    }

    private func median(_ values: [Double]) -> Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }
}
