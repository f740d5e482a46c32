internal import CApplePayOpenSSL

/// One block of a PEM text (RFC 7468), its content wiped when it goes.
package final class PEMBlock: Sendable {
    /// What stands behind BEGIN, such as `CERTIFICATE` or `EC PRIVATE KEY`.
    package let label: String

    /// Whether the block has the headers of the old encryption (RFC 1421 `Proc-Type: 4,ENCRYPTED`).
    package let hasEncryptionHeaders: Bool

    /// The decoded content.
    package let der: SecretBytes

    private init(label: String, hasEncryptionHeaders: Bool, der: consuming SecretBytes) {
        self.label = label
        self.hasEncryptionHeaders = hasEncryptionHeaders
        self.der = der
    }

    /// All blocks of `text`, in order; text around them is passed over, and reading ends at the
    /// first block that is not well-formed.
    package static func blocks(in text: Span<UInt8>) throws(PrimitivesError) -> [PEMBlock] {
        try unsafe text.withUnsafeBytes { bytes throws(PrimitivesError) in
            let bio = try unsafe OpenSSLCall.object(
                BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)), "BIO_new_mem_buf")
            defer { unsafe BIO_free(bio) }
            var blocks: [PEMBlock] = []
            while let block = unsafe next(bio) { blocks.append(block) }
            OpenSSLCall.drainErrors()
            return blocks
        }
    }

    private static func next(_ bio: OpaquePointer) -> PEMBlock? {
        var label: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var content: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard unsafe PEM_read_bio(bio, &label, &header, &content, &count) == 1,
            let start = unsafe content
        else { return nil }
        defer {
            unsafe CApplePayOpenSSL_free(label)
            unsafe CApplePayOpenSSL_free(header)
            unsafe CApplePayOpenSSL_clear_free(content, count)
        }
        return unsafe PEMBlock(
            label: label.map { unsafe String(cString: $0) } ?? "",
            hasEncryptionHeaders: header.map { unsafe $0.pointee != 0 } ?? false,
            der: SecretBytes(
                copying: Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
        )
    }
}
