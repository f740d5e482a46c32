internal import CApplePayOpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// Returns the authentication code of a message; libcrypto wipes its copy of the key.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The key, of any length.
    /// - Returns: 32 bytes.
    /// - Throws: `libraryFailure`.
    package static func code(
        of message: Span<UInt8>,
        key: Span<UInt8>
    ) throws(PrimitivesError) -> Octets32 {
        let context = try MACContext()
        try context.start(key)
        try context.update(message)
        return try Octets32 { code throws(PrimitivesError) in try context.finish(into: &code) }
    }
}

/// One computation of an HMAC.
@safe
private final class MACContext {
    private let context: OpaquePointer

    init() throws(PrimitivesError) {
        let mac = try unsafe OpenSSLCall.object(EVP_MAC_fetch(nil, "HMAC", nil), "EVP_MAC_fetch")
        defer { unsafe EVP_MAC_free(mac) }
        unsafe context = try OpenSSLCall.object(EVP_MAC_CTX_new(mac), "EVP_MAC_CTX_new")
    }

    func start(_ key: Span<UInt8>) throws(PrimitivesError) {
        let result = unsafe key.withUnsafeBufferPointer {
            unsafe CApplePayOpenSSL_hmac_sha256_init(context, $0.baseAddress, $0.count)
        }
        try OpenSSLCall.check(result, "EVP_MAC_init")
    }

    func update(_ bytes: Span<UInt8>) throws(PrimitivesError) {
        let result = unsafe bytes.withUnsafeBufferPointer {
            unsafe EVP_MAC_update(context, $0.baseAddress, $0.count)
        }
        try OpenSSLCall.check(result, "EVP_MAC_update")
    }

    func finish(into code: inout MutableSpan<UInt8>) throws(PrimitivesError) {
        var count = 0
        let result = unsafe code.withUnsafeMutableBufferPointer {
            unsafe EVP_MAC_final(context, $0.baseAddress, &count, $0.count)
        }
        try OpenSSLCall.check(result, "EVP_MAC_final")
        precondition(count == code.count, "HMAC with SHA-256 has 32 bytes")
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }
}
