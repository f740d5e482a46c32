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
        try Octets32 { code throws(PrimitivesError) in
            let result = unsafe key.withUnsafeBytes { key in
                unsafe message.withUnsafeBufferPointer { message in
                    unsafe code.withUnsafeMutableBufferPointer { code in
                        unsafe EVP_Q_mac(
                            nil, "HMAC", nil, "SHA2-256", nil, key.baseAddress, key.count,
                            message.baseAddress, message.count, code.baseAddress, code.count, nil)
                    }
                }
            }
            _ = try unsafe OpenSSLCall.object(result, "EVP_Q_mac")
        }
    }
}
