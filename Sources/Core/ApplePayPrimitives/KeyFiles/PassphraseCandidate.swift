internal import CApplePayOpenSSL

/// A passphrase in the form that libcrypto accepts: none, or bytes followed by a zero.
///
/// PKCS#12 derives different keys from an empty and from an absent passphrase (RFC 7292 §B.1).
struct PassphraseCandidate: ~Copyable {
    private let isAbsent: Bool
    private let terminated: SecretBytes

    /// Creates a candidate; nil means an absent passphrase.
    init(_ passphrase: SensitiveBytes?) {
        isAbsent = passphrase == nil
        let text = passphrase ?? SensitiveBytes(SecretBytes(count: 0) { _ in })
        terminated = text.withRevealedBytes { bytes in
            SecretBytes(count: bytes.count + 1) { copy in
                for index in bytes.indices { copy[index] = bytes[index] }
            }
        }
    }

    /// Calls a function that decrypts something with the passphrase.
    ///
    /// - Returns: The result of `call`; nil if the passphrase is wrong, in which case the data
    ///   does not decrypt, or decrypts to bytes that are not ASN.1.
    /// - Throws: `unsupported`, ``PrimitivesError/libraryFailure(function:)``.
    borrowing func opened<Result>(
        _ function: StaticString,
        silence: LibcryptoErrors = .failure,
        unsupported: PrimitivesError = .unsupportedEncryption,
        _ call: (UnsafePointer<CChar>?, Int32) -> Result?
    ) throws(PrimitivesError) -> Result? {
        // EVP reports that a hash or a derivation is not available, and then that it cannot go on.
        let others = FIPSMode.isRequired ? [ERR_LIB_EVP] : []
        return try OpenSSLCall.unlessRefused(
            function, by: [ERR_LIB_PROV, ERR_LIB_ASN1],
            beside: [ERR_LIB_PKCS12, ERR_LIB_PEM] + others,
            silence: silence, unsupported: unsupported
        ) {
            unsafe withPointer(call)
        }
    }

    /// Lends the pointer and the count, without the zero, for the duration of the call.
    borrowing func withPointer<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        guard !isAbsent else { return body(nil, 0) }
        return terminated.withSpan { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                let characters = unsafe bytes.assumingMemoryBound(to: CChar.self)
                return unsafe body(characters.baseAddress, Int32(clamping: bytes.count - 1))
            }
        }
    }
}
