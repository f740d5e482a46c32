internal import CApplePayOpenSSL

/// Collects text that OpenSSL writes, in memory that OpenSSL and then this library wipe.
enum MemoryBIO {
    /// Returns the text that `write` writes; BIO_s_secmem clears its buffers when they grow and when they are freed.
    static func text(_ write: (OpaquePointer) -> Int32) throws(PrimitivesError) -> SensitiveBytes {
        let bio = try unsafe OpenSSLCall.object(BIO_new(BIO_s_secmem()), "BIO_new")
        defer { unsafe BIO_free(bio) }
        try unsafe OpenSSLCall.check(write(bio), "PEM_write_bio")
        let count = unsafe BIO_ctrl_pending(bio)
        var isRead = false
        let text = SecretBytes(count: count) { text in
            isRead = unsafe text.withUnsafeMutableBytes {
                unsafe BIO_read(bio, $0.baseAddress, Int32(clamping: count)) == count
            }
        }
        guard isRead else { throw OpenSSLCall.failure("BIO_read") }
        return SensitiveBytes(text)
    }
}
