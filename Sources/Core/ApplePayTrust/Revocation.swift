internal import ApplePayPrimitives
internal import ApplePayWire

/// Certificates and keys that are refused even when their chain is valid.
///
/// Use this if one of Apple's certificates or keys is compromised. The library does not download
/// anything. A certificate or key that you name is refused for every signing time, because a thief can
/// choose the signing time. A revocation list refuses the certificates that it names, however old it is; an old list
/// does not name what was revoked since. If a list has the name of a certificate's issuer, but not its signature, it was
/// damaged or forged, so every token of that issuer is refused with `chain/unverified-revocation-list`.
///
/// If a key is stolen, name the key: Apple renews certificates for the same key, and the fingerprint of
/// one certificate does not refuse another. A fingerprint does refuse a modified copy of the certificate,
/// in which a thief has replaced s with n − s in the issuer's ECDSA signature.
///
/// Source: RFC 5280 §5. Apple's certificates refer to revocation lists at http://crl.apple.com.
public struct Revocation: Sendable {
    /// Nothing is revoked.
    public static let none = Revocation(fingerprints: [], keyHashes: [], lists: [])

    private let fingerprints: Set<Octets32>
    private let keyHashes: Set<Octets32>
    private let lists: [CertificateRevocationList]
}

extension Revocation {
    /// Creates a set of revoked certificates and keys.
    ///
    /// - Parameters:
    ///   - certificateFingerprints: The SHA-256 of the DER of each signer's or intermediate's certificate:
    ///     64 hexadecimal digits, optionally with colons.
    ///   - subjectPublicKeyInfoHashes: The SHA-256 of the DER SubjectPublicKeyInfo of each signer or
    ///     intermediate, in the same form. All certificates for that key are refused.
    ///   - revocationLists: Certificate revocation lists of the intermediate and of the root, in PEM or DER.
    /// - Throws: ``RevocationError`` for a fingerprint, then for a hash that does not have 64 hexadecimal
    ///   digits, then for a list that cannot be read; `library-failure` when libcrypto fails.
    public init(
        certificateFingerprints: [String] = [],
        subjectPublicKeyInfoHashes: [String] = [],
        revocationLists: [[UInt8]] = []
    ) throws(RevocationError) {
        let fingerprints = try Self.hashes(certificateFingerprints, .malformedFingerprint)
        let keyHashes = try Self.hashes(subjectPublicKeyInfoHashes, .malformedKeyHash)
        var lists: [CertificateRevocationList] = []
        for bytes in revocationLists {
            lists += try rethrowing(Self.lists(bytes.span), as: Self.failure)
        }
        self.init(fingerprints: fingerprints, keyHashes: keyHashes, lists: lists)
    }

    /// Reads all revocation lists of a PEM text, or a single one in DER.
    private static func lists(
        _ bytes: Span<UInt8>
    ) throws(PrimitivesError) -> [CertificateRevocationList] {
        let blocks = try PEMBlock.blocks(in: bytes).filter { ExactText($0.label) == "X509 CRL" }
        guard !blocks.isEmpty else { return [try CertificateRevocationList(der: bytes)] }
        return try blocks.map { block throws(PrimitivesError) in
            try block.der.withRevealedBytes { der throws(PrimitivesError) in
                try CertificateRevocationList(der: der)
            }
        }
    }

    private static func failure(_ error: PrimitivesError) -> RevocationError {
        if case .libraryFailure = error { return RevocationError(.libraryFailure) }
        return RevocationError(.malformedRevocationList)
    }

    /// Reads hashes of 64 hexadecimal digits, with or without colons.
    private static func hashes(
        _ texts: [String],
        _ code: RevocationError.Code
    ) throws(RevocationError) -> Set<Octets32> {
        var hashes: Set<Octets32> = []
        for text in texts {
            let digits = Array(text.utf8.filter { $0 != UInt8(ascii: ":") })
            guard let bytes = Hexadecimal.decoded(digits.span), let hash = Octets32(bytes.span)
            else { throw RevocationError(code) }
            hashes.insert(hash)
        }
        return hashes
    }

    /// Returns whether a valid path contains a certificate or a key that is revoked.
    ///
    /// The parameter is a valid path, so that forged tokens cannot cause a search of long lists, or the
    /// computation of modified copies for signatures that are not ECDSA.
    ///
    /// - Parameter path: The valid path.
    /// - Returns: Whether a fingerprint, a key hash or a list names the signer or its issuer.
    /// - Throws: `PrimitivesError.unverifiedRevocationList`, `PrimitivesError.libraryFailure(function:)`.
    func revokes(_ path: ValidPath) throws(PrimitivesError) -> Bool {
        let (endEntity, intermediate, anchor) = (path.endEntity, path.intermediate, path.anchor)
        if !fingerprints.isEmpty {
            for (certificate, issuer) in [(endEntity, intermediate), (intermediate, anchor)] {
                let both: Set = [
                    try certificate.fingerprint(),
                    try certificate.twinFingerprint(issuer: issuer),
                ]
                guard fingerprints.isDisjoint(with: both) else { return true }
            }
        }
        if !keyHashes.isEmpty {
            for certificate in [endEntity, intermediate] {
                let key = try certificate.subjectPublicKeyInfo()
                guard !keyHashes.contains(try SHA256.hash(key.span)) else { return true }
            }
        }
        for list in lists {
            if try list.revokes(endEntity, issuer: intermediate) { return true }
            if try list.revokes(intermediate, issuer: anchor) { return true }
        }
        return false
    }
}
