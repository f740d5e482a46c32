/// The symmetric key of one token: 32 bytes for EC_v1, 16 for RSA_v1.
///
/// It only decrypts, so a key that stays in its device is used like one in memory.
package enum ContentKey: ~Copyable, Sendable {
    /// A key in memory, wiped in `deinit`.
    case inMemory(SecretBytes)

    /// A key that a device derives from the ephemeral point and OtherInfo, each time it decrypts.
    case inDevice(PKCS11Key, point: [UInt8], otherInfo: [UInt8])

    /// Derives a key of 32 bytes from a shared secret Z: SHA-256(counter ‖ Z ‖ OtherInfo).
    ///
    /// This is one round of the concatenation function, whose counter is 1 in four bytes.
    ///
    /// - Parameters:
    ///   - otherInfo: The context of the key, which is not secret.
    ///   - writeSharedSecret: Writes Z, 32 bytes including leading zeros, directly into the input of the
    ///     hash, so that there is only one copy of it.
    /// - Returns: The bytes of the key.
    /// - Throws: The error of `writeSharedSecret`, or ``PrimitivesError/libraryFailure(function:)``.
    ///
    /// Source: NIST SP 800-56A Rev. 2 §5.8.1.1.
    package static func derived(
        otherInfo: Span<UInt8>,
        writingSharedSecret writeSharedSecret: (inout MutableSpan<UInt8>) throws(PrimitivesError) ->
            Void
    ) throws(PrimitivesError) -> SecretBytes {
        var input = SecretBytes(count: 36 + otherInfo.count) { input in
            input[3] = 1
            for index in otherInfo.indices { input[36 + index] = otherInfo[index] }
        }
        try input.withMutableSpan(of: 4..<36, writeSharedSecret)
        return try SecretBytes(count: 32) { key throws(PrimitivesError) in
            try input.withSpan { input throws(PrimitivesError) in
                try SHA256.hash(input, into: &key)
            }
        }
    }

    /// Decrypts `sealed`, a ciphertext followed by its tag, with AES-GCM (``AESGCM``).
    ///
    /// - Returns: The plaintext, which is released only after the tag is verified.
    /// - Throws: ``PrimitivesError/authenticationFailed`` for every fault of the key or the ciphertext;
    ///   ``PrimitivesError/libraryFailure(function:)``; ``PrimitivesError/keyUnavailable(_:)`` if a device fails.
    package borrowing func open(_ sealed: Span<UInt8>) throws(PrimitivesError) -> SensitiveBytes {
        switch self {
        case .inMemory(let key):
            try key.withSpan { key throws(PrimitivesError) in
                SensitiveBytes(try AESGCM.open(sealed, key: key))
            }
        case .inDevice(let device, let point, let otherInfo):
            try device.open(sealed, point: point, otherInfo: otherInfo)
        }
    }
}
