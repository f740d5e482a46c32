internal import ApplePayCMS
internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire
internal import FoundationEssentials

/// The facts about a token that need no key, verified or not; excludes ciphertext and signature
/// bytes.
struct TokenInspection {
    private let token: PaymentToken
    private let verdict: String

    /// The proof of the signature, regardless of the token's age and environment; nil if it is not
    /// valid.
    private let proof: VerifiedSignature?

    /// The time with which the expiry of certificates is compared.
    private let now: Date

    /// Judges a token with `verifier`, and reads the facts about its signer with `prover`.
    init(
        _ token: PaymentToken,
        verifier: PaymentTokenVerifier,
        prover: PaymentTokenVerifier,
        agePolicy: AgePolicy
    ) {
        self.token = token
        proof = try? prover.verify(token, agePolicy: .anyAge).signature
        now = if case .received(let date) = agePolicy { date } else { Date() }
        do {
            _ = try verifier.verify(token, agePolicy: agePolicy)
            verdict = "accepted"
        } catch {
            verdict = "refused at \(error.stage.rawValue) (\(error.code.name)): \(error)"
        }
    }

    /// The facts, in the token's order.
    var nodes: [InspectionNode] {
        var header: [InspectionNode] = [
            .fact(
                token.version == .ecV1 ? "ephemeralPublicKey" : "wrappedKey",
                "\(token.keyRange.count) bytes"),
            .fact("publicKeyHash", token.publicKeyHash.withSpan(Self.base64)),
            .fact("transactionId", token.transactionId),
        ]
        if let applicationData = token.applicationData {
            header.append(.fact("applicationData", Self.hexadecimal(applicationData.span)))
        }
        let environment = proof.map {
            InspectionNode.fact("environment", $0.environment.rawValue)
        }
        return [
            .fact("version", token.version.rawValue),
            .fact(
                "wrappers",
                token.unwrapped.isEmpty ? "none" : token.unwrapped.joined(separator: " > ")),
            .group("header", header),
            .fact("data", "\(token.dataRange.count) bytes, the last 16 of them the tag"),
            .group("signature", signature),
        ] + [environment].compactMap { $0 } + [
            .fact("verdict", verdict), .warnings(warnings),
        ]
    }

    /// The certificates of the verified chain that will expire soon.
    private var warnings: [String] {
        guard let proof else { return [] }
        let certificates = [
            (
                "the signer's certificate", proof.signer.validity.upperBound,
                "Apple renews it, and tokens that its successor signs need no change here."
            ),
            (
                "the intermediate certificate", proof.intermediateEnd,
                "Apple will replace it; make sure that this version accepts a token that comes "
                    + "with its successor."
            ),
        ]
        return certificates.compactMap { name, end, advice in
            let end = CertificateEnd(end, from: now)
            return end.isSoon && !end.isPast ? "\(name) \(end.text). \(advice)" : nil
        }
    }

    private var signature: [InspectionNode] {
        let size = InspectionNode.fact("size", "\(token.signature.count) bytes")
        guard let signedData = try? SignedData(parsing: token.signature) else {
            return [size, .fact("structure", "not readable")]
        }
        let signer = signedData.signer
        let certificates = signedData.certificates.enumerated().map { number, certificate in
            InspectionNode.group(
                "certificate \(number + 1)", facts(of: certificate, in: signedData))
        }
        return [
            size,
            .fact("signing time", Self.time(signer.signingTime)),
            .fact(
                "signature algorithm",
                signer.signatureAlgorithm == .ecdsaWithSHA256
                    ? "ecdsa-with-SHA256" : "sha256WithRSAEncryption"),
        ] + certificates
    }

    private func facts(of certificate: Certificate, in signedData: SignedData) -> [InspectionNode] {
        let signer = signedData.signer
        let isSigner =
            signedData.areEqual(certificate.serialNumber, signer.serialNumber)
            && signedData.areEqual(certificate.issuer, signer.issuer)
        var facts: [InspectionNode] = []
        if let x509 = try? X509Certificate(der: signedData[certificate.der].span),
            let subject = try? x509.subjectText()
        {
            facts.append(.fact("subject", subject))
            // In the format that --refuse-certificate and --refuse-key accept.
            if let fingerprint = try? x509.fingerprint(),
                let key = try? x509.subjectPublicKeyInfo(), let keyHash = try? SHA256.hash(key.span)
            {
                facts.append(.fact("fingerprint", fingerprint.withSpan(Self.hexadecimal)))
                facts.append(.fact("key hash", keyHash.withSpan(Self.hexadecimal)))
            }
        }
        facts += [
            .fact("serial number", Self.hexadecimal(signedData[certificate.serialNumber].span)),
            .fact(
                "valid", "\(Self.time(certificate.notBefore)) to \(Self.time(certificate.notAfter))"
            ),
            .fact("named by the signer", isSigner ? "yes" : "no"),
        ]
        return facts
    }

    private static func time(_ time: ASN1Time) -> String {
        Answer.time(Date(timeIntervalSince1970: Double(time.secondsSince1970)))
    }

    private static func base64(_ bytes: Span<UInt8>) -> String {
        var sink = ByteArraySink()
        Base64.encode(bytes, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ bytes: Span<UInt8>) -> String {
        var sink = ByteArraySink()
        Hexadecimal.encode(bytes, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }
}
