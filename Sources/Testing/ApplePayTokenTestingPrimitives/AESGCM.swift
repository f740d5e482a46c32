internal import CApplePayOpenSSL

/// Encryption with AES in Galois/Counter Mode.
package enum AESGCM {
    /// Encrypts `plaintext`.
    ///
    /// - Parameters:
    ///   - plaintext: Any bytes.
    ///   - key: 16 or 32 bytes.
    ///   - initializationVector: At least one byte; Apple's is 16 zero bytes.
    ///   - additionalData: Data that is authenticated but not encrypted.
    /// - Returns: The ciphertext and the 16-byte tag.
    /// - Throws: ``TestingError/impossible(_:)`` for other lengths, ``TestingError/cryptography(function:)``.
    ///
    /// Source: NIST SP 800-38D §7.1.
    package static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        initializationVector: [UInt8],
        additionalData: [UInt8] = []
    ) throws(TestingError) -> [UInt8] {
        guard key.count == 16 || key.count == 32, !initializationVector.isEmpty else {
            throw .impossible("AES-GCM with a key of \(key.count) bytes")
        }
        let cipher = key.count == 16 ? unsafe EVP_aes_128_gcm() : unsafe EVP_aes_256_gcm()
        let context = unsafe try expectObject(EVP_CIPHER_CTX_new(), from: "EVP_CIPHER_CTX_new")
        defer { unsafe EVP_CIPHER_CTX_free(context) }

        try expectSuccess(
            unsafe EVP_EncryptInit_ex2(context, cipher, nil, nil, nil), of: "EVP_EncryptInit_ex2")
        try expectSuccess(
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_IVLEN, Int32(initializationVector.count), nil),
            of: "EVP_CIPHER_CTX_ctrl"
        )
        try expectSuccess(
            unsafe EVP_EncryptInit_ex2(context, nil, key, initializationVector, nil),
            of: "EVP_EncryptInit_ex2"
        )
        var written: Int32 = 0
        if !additionalData.isEmpty {
            try expectSuccess(
                unsafe EVP_EncryptUpdate(
                    context, nil, &written, additionalData, Int32(additionalData.count)),
                of: "EVP_EncryptUpdate"
            )
        }
        var output = [UInt8](repeating: 0, count: plaintext.count)
        if !plaintext.isEmpty {
            try expectSuccess(
                unsafe EVP_EncryptUpdate(
                    context, &output, &written, plaintext, Int32(plaintext.count)),
                of: "EVP_EncryptUpdate"
            )
        }
        var nothing = [UInt8](repeating: 0, count: 16)
        try expectSuccess(
            unsafe EVP_EncryptFinal_ex(context, &nothing, &written), of: "EVP_EncryptFinal_ex")
        var tag = [UInt8](repeating: 0, count: 16)
        try expectSuccess(
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag),
            of: "EVP_CIPHER_CTX_ctrl"
        )
        return output + tag
    }
}
