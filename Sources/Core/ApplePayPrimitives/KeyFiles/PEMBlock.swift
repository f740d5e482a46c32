internal import CApplePayOpenSSL

/// One block of a PEM text (RFC 7468); its content is wiped with its last reference.
package final class PEMBlock: Sendable {
    /// The label after BEGIN, such as `CERTIFICATE` or `EC PRIVATE KEY`.
    package let label: String

    /// The headers of traditional PEM encryption (RFC 1421 §4.6); empty if the block has none.
    private let headers: String

    /// The decoded content, which may be encrypted.
    package let der: SensitiveBytes

    private init(label: String, headers: String, der: SensitiveBytes) {
        self.label = label
        self.headers = headers
        self.der = der
    }

    /// Whether the block has the headers of traditional PEM encryption (`Proc-Type: 4,ENCRYPTED`).
    package var hasEncryptionHeaders: Bool { !headers.isEmpty }

    /// Returns all blocks of `text`, in order; ignores text outside the blocks.
    ///
    /// - Throws: ``PrimitivesError/malformedPEM`` for a block that is empty, lacks its END line or is not base64,
    ///   ``PrimitivesError/libraryFailure(function:)``.
    package static func blocks(in text: Span<UInt8>) throws(PrimitivesError) -> [PEMBlock] {
        do throws(PrimitivesError) {
            return try blocks(in: text, silence: .failure)
        } catch {
            // libcrypto states no error if it cannot allocate, nor if a block is empty. Only the latter happens again, and
            // while another text can be read.
            let readable = Array("-----BEGIN A-----\nAA==\n-----END A-----\n".utf8)
            guard case .libraryFailure = error,
                (try? blocks(in: readable.span, silence: .failure)) != nil
            else { throw error }
            return try blocks(in: text, silence: .refusal)
        }
    }

    /// Returns all blocks; `silence` is the meaning of a block that libcrypto does not read and states no error for.
    private static func blocks(
        in text: Span<UInt8>, silence: LibcryptoErrors
    ) throws(PrimitivesError) -> [PEMBlock] {
        try unsafe text.withUnsafeBytes { bytes throws(PrimitivesError) in
            let bio = try unsafe OpenSSLCall.object(
                BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)), "BIO_new_mem_buf")
            defer { unsafe BIO_free(bio) }
            var blocks: [PEMBlock] = []
            while let block = try unsafe next(bio, silence) { blocks.append(block) }
            return blocks
        }
    }

    /// Decrypts traditional PEM encryption, whose key comes from one round of MD5.
    ///
    /// - Parameter passphrases: The passphrases to try, in order.
    /// - Returns: The content for each passphrase that yields valid padding; one in 256 wrong passphrases does.
    /// - Throws: ``PrimitivesError/passphraseNeeded``, ``PrimitivesError/unsupportedEncryption``.
    package func decrypted(
        with passphrases: [SensitiveBytes]
    ) throws(PrimitivesError) -> [SensitiveBytes] {
        guard !passphrases.isEmpty else { throw .passphraseNeeded }
        return try LegacyLibrary.perform { () throws(PrimitivesError) in
            var contents: [SensitiveBytes] = []
            for passphrase in passphrases {
                if let content = try decrypted(with: PassphraseCandidate(passphrase)) {
                    contents.append(content)
                }
            }
            return contents
        }
    }

    private func decrypted(
        with passphrase: borrowing PassphraseCandidate
    ) throws(PrimitivesError) -> SensitiveBytes? {
        var cipher = unsafe EVP_CIPHER_INFO()
        var headers = headers.utf8CString
        // libcrypto refuses some headers without an error.
        let isKnown: Void? = try OpenSSLCall.unlessRefused(
            "PEM_get_EVP_CIPHER_INFO", by: [ERR_LIB_PEM], silence: .refusal
        ) {
            unsafe headers.withUnsafeMutableBufferPointer {
                unsafe PEM_get_EVP_CIPHER_INFO($0.baseAddress, &cipher) == 1 ? () : nil
            }
        }
        guard isKnown != nil else { throw .unsupportedEncryption }
        return try unsafe passphrase.opened("PEM_do_header") { pointer, length in
            var text = unsafe UnsafeBufferPointer(start: pointer, count: Int(length))
            var count = der.count
            var isOpen: Int32 = 0
            let content = der.withRevealedBytes { der in
                SecretBytes(count: der.count) { content in
                    for index in der.indices { content[index] = der[index] }
                    unsafe isOpen = content.withUnsafeMutableBufferPointer { content in
                        unsafe withUnsafeMutablePointer(to: &text) { text in
                            unsafe PEM_do_header(
                                &cipher, content.baseAddress, &count, copyPassphrase, text)
                        }
                    }
                }
            }
            guard isOpen == 1, (0...der.count).contains(count) else { return nil }
            return SensitiveBytes(content).slice(0..<count)
        }
    }

    private static func next(
        _ bio: OpaquePointer, _ silence: LibcryptoErrors
    ) throws(PrimitivesError) -> PEMBlock? {
        var label: UnsafeMutablePointer<CChar>?
        var headers: UnsafeMutablePointer<CChar>?
        var content: UnsafeMutablePointer<UInt8>?
        var count = 0
        // PEM_FLAG_SECURE also clears the buffers for lines and base64.
        OpenSSLCall.drainErrors()
        let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
        guard unsafe PEM_read_bio_ex(bio, &label, &headers, &content, &count, flags) == 1 else {
            let isEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
            let meaning = LibcryptoErrors.drained(decisive: [ERR_LIB_PEM], silence: silence)
            guard meaning == .refusal else {
                throw .libraryFailure(function: "PEM_read_bio_ex")
            }
            guard isEnd else { throw .malformedPEM }
            return nil
        }
        defer {
            unsafe CApplePayOpenSSL_secure_clear_free(label, 0)
            unsafe CApplePayOpenSSL_secure_clear_free(headers, 0)
            unsafe CApplePayOpenSSL_secure_clear_free(content, count)
        }
        let bytes = unsafe UnsafeBufferPointer(start: content, count: count)
        return unsafe PEMBlock(
            label: label.map { unsafe String(cString: $0) } ?? "",
            headers: headers.map { unsafe String(cString: $0) } ?? "",
            der: SensitiveBytes(SecretBytes(copying: Span(_unsafeElements: bytes))))
    }
}

/// Copies the passphrase to the buffer that PEM_do_header passes to its callback (pem_password_cb(3)).
private func copyPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _ isWriting: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer = unsafe buffer, let context = unsafe context else { return -1 }
    let text = unsafe context.assumingMemoryBound(to: UnsafeBufferPointer<CChar>.self).pointee
    guard text.count <= Int(size) else { return -1 }
    for index in text.indices { unsafe buffer[index] = text[index] }
    return Int32(text.count)
}
