internal import CApplePayOpenSSL

/// AES in Galois/Counter Mode as Apple Pay uses it: a 16-byte zero IV, no additional data, a 16-byte tag.
///
/// The fixed IV is safe only because each token has a different key (Apple, *Payment token format
/// reference*; NIST SP 800-38D).
package enum AESGCM {
    /// The length of the tag that ends every ciphertext.
    package static var tagCount: Int { 16 }

    /// The length of the IV, which is all zeros.
    static var ivCount: Int { 16 }

    private static let aes256 = Pool { () throws(PrimitivesError) in
        try GCMContext(cipher: "AES-256-GCM", keyCount: 32)
    }
    private static let aes128 = Pool { () throws(PrimitivesError) in
        try GCMContext(cipher: "AES-128-GCM", keyCount: 16)
    }

    /// Decrypts `sealed`, a ciphertext followed by its tag.
    ///
    /// - Parameters:
    ///   - sealed: Ciphertext, then 16 bytes of tag.
    ///   - key: 32 bytes for AES-256 or 16 for AES-128.
    /// - Returns: The plaintext, which is released only after the tag is verified.
    /// - Throws: ``PrimitivesError/authenticationFailed`` if the key has another length, if there are fewer bytes than
    ///   a tag, or if the tag is wrong; ``PrimitivesError/libraryFailure(function:)``.
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

    /// Encrypts `plaintext`, to find out whether a device decrypts it.
    ///
    /// - Parameters:
    ///   - plaintext: At least one byte.
    ///   - key: 32 bytes.
    /// - Returns: The ciphertext, then 16 bytes of tag.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    static func seal(_ plaintext: [UInt8], key: Span<UInt8>) throws(PrimitivesError) -> [UInt8] {
        try aes256.withContext { context throws(PrimitivesError) in
            try context.seal(plaintext, key: key)
        }
    }
}

/// One cipher context; between two messages its key is all zeros.
@safe
private final class GCMContext {
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
        // GCM expects a 12-byte IV by default, and Apple's IV has 16 bytes.
        try unsafe OpenSSLCall.check(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(AESGCM.ivCount), nil),
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

    func seal(_ plaintext: [UInt8], key: Span<UInt8>) throws(PrimitivesError) -> [UInt8] {
        let isKeySet = unsafe key.withUnsafeBufferPointer {
            unsafe EVP_EncryptInit_ex2(context, nil, $0.baseAddress, zeros, nil)
        }
        try OpenSSLCall.check(isKeySet, "EVP_EncryptInit_ex2")
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: AESGCM.tagCount)
        var written: Int32 = 0
        try unsafe OpenSSLCall.check(
            EVP_EncryptUpdate(
                context, &ciphertext, &written, plaintext, Int32(clamping: plaintext.count)),
            "EVP_EncryptUpdate")
        try unsafe OpenSSLCall.check(
            EVP_EncryptFinal_ex(context, &tag, &written), "EVP_EncryptFinal_ex")
        try unsafe OpenSSLCall.check(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag),
            "EVP_CTRL_AEAD_GET_TAG")
        try clearKey()
        return ciphertext + tag
    }

    /// Sets the zero IV and the key, which overwrites the previous key schedule.
    private func setKey(_ key: Span<UInt8>) throws(PrimitivesError) {
        let result = unsafe key.withUnsafeBufferPointer { key in
            unsafe zeros.withUnsafeBufferPointer { iv in
                unsafe EVP_DecryptInit_ex2(context, nil, key.baseAddress, iv.baseAddress, nil)
            }
        }
        try OpenSSLCall.check(result, "EVP_DecryptInit_ex2")
    }

    /// Overwrites the last key with zeros; without an IV, the call costs a third less.
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
        // With a nil output, libcrypto would treat the input as additional data, so an empty ciphertext needs no call.
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
        // This call allocates nothing, so it fails only if the tag is wrong, or if a FIPS provider has failed a self-test;
        // then clearing the key fails too.
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
