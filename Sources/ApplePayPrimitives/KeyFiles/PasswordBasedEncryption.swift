internal import CApplePayOpenSSL

/// What an encrypted key file may ask for before its passphrase is worth anything.
///
/// One for each file: it counts, since a file may have many parts and several passphrases are tried.
final class PasswordBasedEncryption {
    /// The most iterations of a derivation, so that a file cannot hold up its reader for minutes.
    private static let iterationLimit = 1_000_000

    /// The most iterations of all derivations of a file together: some seconds.
    private var remainingIterations = 8_000_000

    /// The most that scrypt's N × r × p may come to; what OpenSSL writes comes to 131,072.
    private static let scryptLimit = 1 << 22

    /// Refuses an algorithm whose derivation is too costly; one that is not known is left to libcrypto.
    ///
    /// - Throws: ``PrimitivesError/costlyDerivation``, ``PrimitivesError/libraryFailure(function:)``.
    ///
    /// Source: RFC 8018 §A.2, §A.3 and §A.4; RFC 7292 Appendix C; RFC 7914 §7.
    func check(_ algorithm: UnsafePointer<X509_ALGOR>) throws(PrimitivesError) {
        defer { OpenSSLCall.drainErrors() }
        guard unsafe OBJ_obj2nid(algorithm.pointee.algorithm) == NID_pbes2 else {
            let parameters = try unsafe Self.parameters(of: algorithm, PBEPARAM_it())
            guard let parameters = unsafe parameters?.assumingMemoryBound(to: PBEPARAM.self) else {
                return
            }
            defer { unsafe PBEPARAM_free(parameters) }
            return try unsafe check(iterations: parameters.pointee.iter)
        }
        let parameters = try unsafe Self.parameters(of: algorithm, PBE2PARAM_it())
        guard let parameters = unsafe parameters?.assumingMemoryBound(to: PBE2PARAM.self) else {
            return
        }
        defer { unsafe PBE2PARAM_free(parameters) }
        guard let derivation = unsafe parameters.pointee.keyfunc else { return }
        try unsafe check(derivation: derivation)
    }

    /// Refuses more iterations than the limit, as of a PKCS#12 file's MAC; nil stands for one.
    func check(iterations: UnsafePointer<ASN1_INTEGER>?) throws(PrimitivesError) {
        guard let iterations = unsafe iterations else { return }
        guard let count = unsafe Self.number(iterations), count <= Self.iterationLimit else {
            throw .costlyDerivation
        }
        try spend(count)
    }

    private func check(
        derivation: UnsafePointer<X509_ALGOR>
    ) throws(PrimitivesError) {
        switch unsafe OBJ_obj2nid(derivation.pointee.algorithm) {
        case NID_id_pbkdf2:
            let parameters = try unsafe Self.parameters(of: derivation, PBKDF2PARAM_it())
            guard let parameters = unsafe parameters?.assumingMemoryBound(to: PBKDF2PARAM.self)
            else { return }
            defer { unsafe PBKDF2PARAM_free(parameters) }
            try unsafe check(iterations: parameters.pointee.iter)
        case NID_id_scrypt:
            let parameters = try unsafe Self.parameters(of: derivation, SCRYPT_PARAMS_it())
            guard let parameters = unsafe parameters?.assumingMemoryBound(to: SCRYPT_PARAMS.self)
            else { return }
            defer { unsafe SCRYPT_PARAMS_free(parameters) }
            let factors = unsafe [
                Self.number(parameters.pointee.costParameter),
                Self.number(parameters.pointee.blockSize),
                Self.number(parameters.pointee.parallelizationParameter),
            ]
            var cost = 1
            for factor in factors {
                // Neither is above the limit, so the product is far from overflow.
                guard let factor, factor <= Self.scryptLimit, cost * factor <= Self.scryptLimit
                else {
                    throw .costlyDerivation
                }
                cost *= factor
            }
            // Salsa20/8 over 128 bytes takes about as long as an iteration of HMAC-SHA-256.
            try spend(cost)
        default:
            break
        }
    }

    /// The parameters of an algorithm; nil when there are none or they are malformed.
    private static func parameters(
        of algorithm: UnsafePointer<X509_ALGOR>,
        _ item: OpaquePointer?
    ) throws(PrimitivesError) -> UnsafeMutableRawPointer? {
        guard let parameter = unsafe algorithm.pointee.parameter,
            unsafe parameter.pointee.type == V_ASN1_SEQUENCE
        else { return nil }
        return try unsafe OpenSSLCall.unlessRefused("ASN1_TYPE_unpack_sequence", by: [ERR_LIB_ASN1])
        {
            unsafe ASN1_TYPE_unpack_sequence(item, parameter)
        }
    }

    private func spend(_ iterations: Int) throws(PrimitivesError) {
        guard iterations <= remainingIterations else { throw .costlyDerivation }
        remainingIterations -= iterations
    }

    /// The value of an INTEGER; nil when it is absent, negative or larger than 63 bits.
    private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> Int? {
        var value: Int64 = 0
        guard let integer = unsafe integer, unsafe ASN1_INTEGER_get_int64(&value, integer) == 1,
            value >= 0
        else { return nil }
        return Int(value)
    }
}
