internal import CApplePayOpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    private static let pool = Pool { () throws(PrimitivesError) in try SHA256Context() }

    /// Returns the hash of `bytes`.
    package static func hash(_ bytes: Span<UInt8>) throws(PrimitivesError) -> Octets32 {
        try Octets32 { digest throws(PrimitivesError) in try hash(bytes, into: &digest) }
    }

    /// Returns the hash of one byte followed by `bytes`.
    ///
    /// CMS signs its attributes with a different tag from the one in the message (RFC 5652 §5.4).
    package static func hash(
        _ first: UInt8,
        then rest: Span<UInt8>
    ) throws(PrimitivesError) -> Octets32 {
        try Octets32 { digest throws(PrimitivesError) in
            try pool.withContext { context throws(PrimitivesError) in
                let first: InlineArray<1, UInt8> = [first]
                try context.update(first.span)
                try context.update(rest)
                try context.finish(into: &digest)
            }
        }
    }

    /// Writes the hash of `bytes` to the 32 bytes of `digest`, which may belong to a secret.
    package static func hash(
        _ bytes: Span<UInt8>,
        into digest: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        try pool.withContext { context throws(PrimitivesError) in
            try context.update(bytes)
            try context.finish(into: &digest)
        }
    }
}

/// One digest context, ready for the next message when idle.
@safe
private final class SHA256Context {
    private let context: OpaquePointer

    init() throws(PrimitivesError) {
        unsafe context = try OpenSSLCall.object(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        // Fetch once for each context: an implicit fetch takes a global lock at every use.
        let digest = try unsafe OpenSSLCall.object(
            EVP_MD_fetch(nil, "SHA2-256", nil), "EVP_MD_fetch")
        defer { unsafe EVP_MD_free(digest) }
        try unsafe OpenSSLCall.check(
            EVP_DigestInit_ex2(context, digest, nil),
            "EVP_DigestInit_ex2"
        )
    }

    func update(_ bytes: Span<UInt8>) throws(PrimitivesError) {
        let result = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        try OpenSSLCall.check(result, "EVP_DigestUpdate")
    }

    func finish(into digest: inout MutableSpan<UInt8>) throws(PrimitivesError) {
        precondition(digest.count == 32, "SHA-256 has 32 bytes")
        let result = unsafe digest.withUnsafeMutableBufferPointer {
            unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
        }
        try OpenSSLCall.check(result, "EVP_DigestFinal_ex")
        // The state still contains the digest, which may be a content key; reinitializing wipes it.
        try unsafe OpenSSLCall.check(EVP_DigestInit_ex2(context, nil, nil), "EVP_DigestInit_ex2")
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }
}
