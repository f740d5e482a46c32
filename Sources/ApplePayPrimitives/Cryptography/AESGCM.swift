internal import CApplePayOpenSSL

/// AES in Galois/Counter Mode as Apple Pay uses it: a 16-byte zero IV, no additional data, a 16-byte tag.
///
/// The fixed IV is safe only because every token has a key of its own
/// (Apple, *Payment token format reference*; NIST SP 800-38D).
package enum AESGCM {
    /// The length of the tag that ends every ciphertext.
    package static var tagCount: Int { 16 }

    private static let aes256 = Pool { () throws(PrimitivesError) in
        try GCMContext(cipher: "AES-256-GCM", keyCount: 32)
    }
    private static let aes128 = Pool { () throws(PrimitivesError) in
        try GCMContext(cipher: "AES-128-GCM", keyCount: 16)
    }

    /// Opens `sealed`, a ciphertext followed by its tag.
    ///
    /// - Parameters:
    ///   - sealed: Ciphertext, then 16 bytes of tag.
    ///   - key: 32 bytes for AES-256 or 16 for AES-128.
    /// - Returns: The plaintext, released only after the tag was found right.
    /// - Throws: ``PrimitivesError/authenticationFailed`` for a key of another length, for fewer
    ///   bytes than a tag and for a wrong tag; ``PrimitivesError/libraryFailure(function:)``.
    package static func open(
        _ sealed: Span<UInt8>,
        key: Span<UInt8>
    ) throws(PrimitivesError) -> SecretBytes {
        guard sealed.count >= tagCount else { throw .authenticationFailed }
        let pool: Pool<GCMContext, PrimitivesError>
        switch key.count {
        case 32: pool = aes256
        case 16: pool = aes128
        default: throw .authenticationFailed
        }
        let ciphertextCount = sealed.count - tagCount
        return try SecretBytes(count: ciphertextCount) { plaintext throws(PrimitivesError) in
            try pool.withContext { context throws(PrimitivesError) in
                try context.open(
                    sealed.extracting(0..<ciphertextCount),
                    tag: sealed.extracting(ciphertextCount..<sealed.count),
                    key: key,
                    into: &plaintext
                )
            }
        }
    }
}

/// One cipher context; between two messages its key is all zeros.
@safe
private final class GCMContext {
    private static let ivCount: Int32 = 16

    private let context: OpaquePointer
    private let zeros = [UInt8](repeating: 0, count: 32)

    init(cipher name: String, keyCount: Int32) throws(PrimitivesError) {
        unsafe context = try OpenSSLCall.object(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        let cipher = try unsafe OpenSSLCall.object(
            EVP_CIPHER_fetch(nil, name, nil), "EVP_CIPHER_fetch")
        defer { unsafe EVP_CIPHER_free(cipher) }
        try unsafe OpenSSLCall.check(
            EVP_DecryptInit_ex2(context, cipher, nil, nil, nil),
            "EVP_DecryptInit_ex2"
        )
        // GCM takes 12 bytes unless told otherwise, and Apple's IV has 16.
        try unsafe OpenSSLCall.check(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Self.ivCount, nil),
            "EVP_CTRL_AEAD_SET_IVLEN"
        )
    }

    func open(
        _ ciphertext: Span<UInt8>,
        tag: Span<UInt8>,
        key: Span<UInt8>,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        try setKey(key)
        let isAuthentic = try decrypt(ciphertext, tag: tag, into: &plaintext)
        try clearKey()
        guard isAuthentic else { throw .authenticationFailed }
    }

    /// Sets the key, over the schedule of the one before, and the zero IV.
    private func setKey(_ key: Span<UInt8>) throws(PrimitivesError) {
        let result = unsafe key.withUnsafeBufferPointer { key in
            unsafe zeros.withUnsafeBufferPointer { iv in
                unsafe EVP_DecryptInit_ex2(context, nil, key.baseAddress, iv.baseAddress, nil)
            }
        }
        try OpenSSLCall.check(result, "EVP_DecryptInit_ex2")
    }

    /// Sets a key of zeros over the last one, without an IV, which costs a third less.
    private func clearKey() throws(PrimitivesError) {
        let result = unsafe zeros.withUnsafeBufferPointer {
            unsafe EVP_DecryptInit_ex2(context, nil, $0.baseAddress, nil, nil)
        }
        try OpenSSLCall.check(result, "EVP_DecryptInit_ex2")
    }

    private func decrypt(
        _ ciphertext: Span<UInt8>,
        tag: Span<UInt8>,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) -> Bool {
        var tagCopy = InlineArray<16, UInt8>(repeating: 0)
        for index in tag.indices { tagCopy[index] = tag[index] }
        var tagSpan = tagCopy.mutableSpan
        let tagged = unsafe tagSpan.withUnsafeMutableBytes {
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), $0.baseAddress)
        }
        try OpenSSLCall.check(tagged, "EVP_CTRL_AEAD_SET_TAG")
        var written: Int32 = 0
        // A nil output would make the input additional data, hence no call for no bytes.
        if !ciphertext.isEmpty {
            let updated = unsafe plaintext.withUnsafeMutableBufferPointer { plaintext in
                unsafe ciphertext.withUnsafeBufferPointer { ciphertext in
                    unsafe EVP_DecryptUpdate(
                        context, plaintext.baseAddress, &written, ciphertext.baseAddress,
                        Int32(clamping: ciphertext.count))
                }
            }
            try OpenSSLCall.check(updated, "EVP_DecryptUpdate")
        }
        var rest = InlineArray<16, UInt8>(repeating: 0)
        var restSpan = rest.mutableSpan
        let finished = unsafe restSpan.withUnsafeMutableBufferPointer {
            unsafe EVP_DecryptFinal_ex(context, $0.baseAddress, &written)
        }
        // Allocates nothing, so it fails for the tag alone.
        guard finished == 1 else {
            OpenSSLCall.drainErrors()
            return false
        }
        return true
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }
}
