internal import CApplePayOpenSSL

/// Limits the cost of key derivation that an encrypted key file may demand.
///
/// Each file needs a separate instance, which adds up the cost: a file may have many parts, and
/// several passphrases are tried.
package final class PasswordBasedEncryption {
    /// The greatest number of iterations of one derivation, so that a file cannot delay its reader for minutes.
    private static let iterationLimit = 1_000_000

    /// The greatest number of iterations of all derivations of a file together, which take several seconds.
    private var remainingIterations = 8_000_000

    /// The upper limit of scrypt's N × r × p; OpenSSL writes files with 131,072.
    private static let scryptLimit = 1 << 22

    /// Creates the limits of one file.
    package init() {}

    /// Refuses an algorithm whose derivation is too costly; leaves unknown algorithms to libcrypto.
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
        try unsafe check(parametersOf: algorithm)
    }

    /// Refuses a PKCS#12 file's MAC whose derivation is too costly: that of PBMAC1 is in the algorithm's parameters.
    ///
    /// - Throws: ``PrimitivesError/costlyDerivation``, ``PrimitivesError/libraryFailure(function:)``.
    ///
    /// Source: RFC 9579 §4; RFC 8018 §A.5, whose parameters have the form of those of PBES2.
    func check(mac algorithm: UnsafePointer<X509_ALGOR>) throws(PrimitivesError) {
        defer { OpenSSLCall.drainErrors() }
        try unsafe check(parametersOf: algorithm)
    }

    /// Refuses parameters of PBES2 or PBMAC1 whose derivation is too costly.
    private func check(
        parametersOf algorithm: UnsafePointer<X509_ALGOR>
    ) throws(PrimitivesError) {
        let parameters = try unsafe Self.parameters(of: algorithm, PBE2PARAM_it())
        guard let parameters = unsafe parameters?.assumingMemoryBound(to: PBE2PARAM.self) else {
            return
        }
        defer { unsafe PBE2PARAM_free(parameters) }
        guard let derivation = unsafe parameters.pointee.keyfunc else { return }
        try unsafe check(derivation: derivation)
    }

    /// Refuses more iterations than the limit, for example in a PKCS#12 file's MAC; nil means one.
    func check(iterations: UnsafePointer<ASN1_INTEGER>?) throws(PrimitivesError) {
        guard let iterations = unsafe iterations else { return }
        guard let count = unsafe Self.number(iterations), count <= Self.iterationLimit else {
            throw .costlyDerivation
        }
        try spend(count)
    }

    private func check(derivation: UnsafePointer<X509_ALGOR>) throws(PrimitivesError) {
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
                // Neither value exceeds the limit, so the product cannot overflow.
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

    /// Returns the parameters of an algorithm; nil if they are absent or malformed.
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

    /// Returns the value of an INTEGER; nil if it is absent, negative or larger than 63 bits.
    private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> Int? {
        var value: Int64 = 0
        guard let integer = unsafe integer, unsafe ASN1_INTEGER_get_int64(&value, integer) == 1,
            value >= 0
        else { return nil }
        return Int(value)
    }
}
