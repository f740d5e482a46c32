internal import ApplePayPrimitives
internal import ApplePayWire

/// Certificates that are refused whatever else holds: a lever for the day on which one of Apple's is
/// known to be in wrong hands.
///
/// Nothing is fetched. What is listed is refused at any signing time, since a thief can choose it; a
/// list that does not name a certificate, is old, or is signed by another key refuses nothing. A
/// fingerprint also meets the certificate's twin, in which a thief has replaced s by n − s in the
/// issuer's ECDSA signature.
///
/// Source: RFC 5280 §5; Apple's certificates name lists at http://crl.apple.com.
public struct Revocation: Sendable {
    /// Nothing is revoked.
    public static let none = Revocation(fingerprints: [], lists: [])

    private let fingerprints: Set<Octets32>
    private let lists: [CertificateRevocationList]

    private init(fingerprints: Set<Octets32>, lists: [CertificateRevocationList]) {
        self.fingerprints = fingerprints
        self.lists = lists
    }

    /// States what is revoked.
    ///
    /// - Parameters:
    ///   - certificateFingerprints: The SHA-256 of a signer's or an intermediate's DER, 64 hexadecimal
    ///     digits each, colons between them allowed.
    ///   - revocationLists: Certificate revocation lists of the intermediate and of the root, PEM or
    ///     DER.
    /// - Throws: ``RevocationError``: a fingerprint that is none, then a list that cannot be read;
    ///   `library-failure` when libcrypto fails.
    public init(
        certificateFingerprints: [String] = [],
        revocationLists: [[UInt8]] = []
    ) throws(RevocationError) {
        var fingerprints: Set<Octets32> = []
        for text in certificateFingerprints {
            let digits = Array(text.utf8.filter { $0 != UInt8(ascii: ":") })
            var isValid = false
            let bytes = [UInt8](capacity: 32) { output in
                isValid = Hexadecimal.decode(digits.span, into: &output)
            }
            guard isValid, let fingerprint = Octets32(bytes.span) else {
                throw RevocationError(.malformedFingerprint)
            }
            fingerprints.insert(fingerprint)
        }
        var lists: [CertificateRevocationList] = []
        for bytes in revocationLists {
            do throws(PrimitivesError) {
                let blocks = try PEMBlock.blocks(in: bytes.span).filter { $0.label == "X509 CRL" }
                for block in blocks {
                    lists.append(
                        try block.der.withRevealedBytes { der throws(PrimitivesError) in
                            try CertificateRevocationList(der: der)
                        })
                }
                if blocks.isEmpty { lists.append(try CertificateRevocationList(der: bytes.span)) }
            } catch {
                if case .libraryFailure = error { throw RevocationError(.libraryFailure) }
                throw RevocationError(.malformedRevocationList)
            }
        }
        self.init(fingerprints: fingerprints, lists: lists)
    }

    /// Whether a proven path has a certificate that is revoked.
    ///
    /// - Parameters:
    ///   - endEntity: The certificate that signed.
    ///   - intermediate: Its issuer.
    ///   - anchor: The anchor's certificate, which issued the intermediate.
    /// - Returns: Whether a fingerprint or a list names one of the first two.
    /// - Throws: `PrimitivesError.libraryFailure(function:)`.
    func revokes(
        _ endEntity: X509Certificate,
        _ intermediate: X509Certificate,
        anchor: X509Certificate
    ) throws(PrimitivesError) -> Bool {
        if !fingerprints.isEmpty {
            for (certificate, issuer) in [(endEntity, intermediate), (intermediate, anchor)] {
                let both: Set = [
                    try certificate.fingerprint(),
                    try certificate.twinFingerprint(issuer: issuer),
                ]
                guard fingerprints.isDisjoint(with: both) else { return true }
            }
        }
        for list in lists {
            if try list.revokes(endEntity, issuer: intermediate) { return true }
            if try list.revokes(intermediate, issuer: anchor) { return true }
        }
        return false
    }
}
