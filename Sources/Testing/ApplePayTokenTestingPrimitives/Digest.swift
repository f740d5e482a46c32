internal import CApplePayOpenSSL

/// A hash function of the SHA family.
package enum Digest: String, Sendable {
    case sha1
    case sha256
    case sha384
    case sha512

    /// The length of a hash in bytes.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The block length of the compression function, in bytes.
    var blockByteCount: Int {
        switch self {
        case .sha1, .sha256: 64
        case .sha384, .sha512: 128
        }
    }

    /// Hashes `message`.
    package func hash(_ message: [UInt8]) throws(TestingError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        let type =
            switch self {
            case .sha1: unsafe EVP_sha1()
            case .sha256: unsafe EVP_sha256()
            case .sha384: unsafe EVP_sha384()
            case .sha512: unsafe EVP_sha512()
            }
        let result = unsafe EVP_Digest(message, message.count, &output, nil, type, nil)
        try expectSuccess(result, of: "EVP_Digest")
        return output
    }

    /// Computes HMAC over `message`.
    ///
    /// Source: RFC 2104 §2.
    package func authenticationCode(
        for message: [UInt8],
        key: [UInt8]
    ) throws(TestingError) -> [UInt8] {
        var block = key.count > blockByteCount ? try hash(key) : key
        block += [UInt8](repeating: 0, count: blockByteCount - block.count)
        let inner = try hash(block.map { $0 ^ 0x36 } + message)
        return try hash(block.map { $0 ^ 0x5C } + inner)
    }
}
