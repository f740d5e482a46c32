import ApplePayCMS
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTestingPrimitives
import ApplePayTrust
import Foundation
import TestVectors

/// Compares this project's verdict on signatures and chains with that of OpenSSL's `CMS_verify`.
final class Differential: Sendable {
    /// The two verdicts on one signature.
    struct Outcome: Hashable, Sendable {
        /// `accepted`, or this project's stage and code.
        let ours: String

        /// `accepts` or `refuses`.
        let openSSL: String

        /// Whether both verdicts agree.
        ///
        /// A failure of libcrypto never counts as agreement, because no input may cause such a
        /// failure.
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

    /// Reads the vectors of a corpus.
    ///
    /// - Parameters:
    ///   - cases: The file with the cases.
    ///   - root: The file with the certificate of their root.
    /// - Throws: An error if a file cannot be read.
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

    /// Returns the number of vectors for each outcome.
    func vectors() -> [Outcome: Int] {
        samples.reduce(into: [:]) { $0[outcome($1.signature, of: $1), default: 0] += 1 }
    }

    /// Returns the number of mutants of accepted signatures for each outcome.
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

    /// A known class of differences.
    struct Exception: Sendable {
        /// Whether even a small run contains this class.
        let isFrequent: Bool

        /// Why the verdicts differ.
        let reason: String
    }

    /// Returns the known classes of differences.
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
