import ApplePayCMS
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTestingPrimitives
import ApplePayTrust
import Foundation
import TestVectors

/// Our verdict on signatures and chains beside the one of OpenSSL's `CMS_verify`.
final class Differential: Sendable {
    /// How the two verdicts on one signature stand to one another.
    struct Outcome: Hashable, Sendable {
        /// `accepted`, or our stage and code.
        let ours: String

        /// `accepts` or `refuses`.
        let openSSL: String

        /// Whether they agree on the verdict.
        ///
        /// A failure of libcrypto is no verdict: no input may cause one.
        var agrees: Bool {
            !ours.hasSuffix("/library-failure") && (ours == "accepted") == (openSSL == "accepts")
        }
    }

    private struct Sample: Sendable {
        let signature: [UInt8]
        let message: [UInt8]
        let kind: KeyKind
        let time: Int
    }

    private let verifier: SignatureVerifier
    private let openSSL: CMSVerification
    private let samples: [Sample]

    /// Takes the vectors of a corpus.
    ///
    /// - Parameters:
    ///   - cases: The file with the cases.
    ///   - root: The file with their root's certificate.
    /// - Throws: What reading them throws.
    init(cases: URL, root: URL) throws {
        let pem = Array(try Data(contentsOf: root))
        let anchor = try TrustAnchor(testRootCertificate: pem)
        guard let block = try PEMBlock.blocks(in: pem.span).first,
            let openSSL = CMSVerification(
                root: block.der.withRevealedBytes { SecretBytes(copying: $0).array() })
        else { throw CocoaError(.fileReadCorruptFile) }
        verifier = try SignatureVerifier(anchor: anchor, window: FreshnessWindow())
        self.openSSL = openSSL
        samples = try TestVectors.cases(in: cases).compactMap { vector in
            guard let token = try? PaymentToken(parsing: vector.token) else { return nil }
            return Sample(
                signature: token.signature, message: token.signedMessage,
                kind: token.version.keyKind,
                time: Int(vector.now.timeIntervalSince1970) - 30)
        }
    }

    private func outcome(_ signature: [UInt8], of sample: Sample) -> Outcome {
        var ours = "accepted"
        var time = sample.time
        do throws(PaymentTokenError) {
            let signedData = try SignedData(parsing: signature)
            time = Int(signedData.signer.signingTime.secondsSince1970)
            _ = try verifier.verify(
                signedData, over: sample.message.span, kind: sample.kind, agePolicy: .anyAge)
        } catch {
            ours = error.code.rawValue
        }
        let accepts = openSSL.accepts(signature, over: sample.message, at: time)
        return Outcome(ours: ours, openSSL: accepts ? "accepts" : "refuses")
    }

    /// The outcomes for the vectors themselves, counted.
    func vectors() -> [Outcome: Int] {
        samples.reduce(into: [:]) { $0[outcome($1.signature, of: $1), default: 0] += 1 }
    }

    /// The outcomes for mutants of the signatures that are accepted, counted.
    func mutants(_ count: Int, seed: UInt64) -> [Outcome: Int] {
        var outcomes: [Outcome: Int] = [:]
        let valid = samples.filter { outcome($0.signature, of: $0).ours == "accepted" }
        let trees = valid.compactMap { ASN1Node.parse($0.signature) }
        guard trees.count == valid.count, !valid.isEmpty else { return [:] }
        var mutator = Mutator(seed: seed)
        for _ in 0..<count {
            let index = mutator.below(valid.count)
            let mutant = mutator.mutant(
                of: valid[index].signature, trees[index], other: trees[mutator.below(trees.count)])
            outcomes[outcome(mutant, of: valid[index]), default: 0] += 1
        }
        return outcomes
    }

    /// A class of difference that is known.
    struct Exception: Sendable {
        /// Whether it occurs in a small run already.
        let isFrequent: Bool

        /// Why the verdicts differ.
        let reason: String
    }

    /// The classes of difference that are known.
    static func exceptions() throws -> [Outcome: Exception] {
        let file = TestVectors.directory.appending(path: "differential-exceptions.tsv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.filter { !$0.hasPrefix("#") }.map { line in
                let columns = line.split(separator: "\t", maxSplits: 3).map(String.init)
                return (
                    Outcome(ours: columns[0], openSSL: columns[1]),
                    Exception(isFrequent: columns[2] == "small", reason: columns[3])
                )
            })
    }
}
