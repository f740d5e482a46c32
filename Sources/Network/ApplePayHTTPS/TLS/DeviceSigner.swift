internal import ApplePayGateways
internal import ApplePayPrimitives
internal import CApplePayTLS
internal import CApplePayTLSKeys

/// Signs one handshake with a key in a device.
///
/// libssl asks for the signature in the middle of the handshake, on the exchange's thread, which waits for the device as it
/// waits for a socket: until the connection's time limit or until the task is canceled.
final class DeviceSigner {
    private let key: PKCS11Key
    private let cancellation: WakeUp
    private let deadline: Deadline

    /// Why the device did not sign.
    private(set) var failure: GatewayTransportError?

    /// Prepares the signature of one handshake.
    init(_ key: PKCS11Key, _ cancellation: WakeUp, _ deadline: Deadline) {
        self.key = key
        self.cancellation = cancellation
        self.deadline = deadline
    }

    /// Sets the private key of a connection, which must not outlive this object.
    ///
    /// - Returns: Whether libssl did.
    func setKey(of session: OpaquePointer) -> Bool {
        let der = key.publicKey.subjectPublicKeyInfo
        guard Self.isStarted,
            let made = unsafe CApplePayTLSKeys_make(
                der, der.count, key.publicKey.kind == .rsa2048 ? 1 : 0,
                Unmanaged.passUnretained(self).toOpaque())
        else { return false }
        defer { unsafe EVP_PKEY_free(made) }
        return unsafe SSL_use_PrivateKey(session, made) == 1
    }

    /// Whether libcrypto calls this type for keys in devices.
    private static let isStarted =
        unsafe CApplePayTLSKeys_start { signer, operation, bytes, count, signature, length in
            guard let signer = unsafe signer, let signature = unsafe signature else { return 0 }
            let object = unsafe Unmanaged<DeviceSigner>.fromOpaque(signer).takeUnretainedValue()
            let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
            guard let signed = object.sign(input, operation), signed.count == length else {
                return 0
            }
            unsafe signature.update(from: signed, count: length)
            return 1
        } == 1

    private func sign(_ bytes: [UInt8], _ operation: Int32) -> [UInt8]? {
        let mechanism: PKCS11Signature =
            switch Int(operation) {
            case Int(CApplePayTLSKeys_RSA_DIGEST_INFO): .rsaDigestInfo
            case Int(CApplePayTLSKeys_RSA_PADDED_BLOCK): .rsaPaddedBlock
            default: .ecdsaDigest
            }
        do throws(GatewayTransportError) {
            let result = try ThreadLimit.signatures.result(cancellation, deadline) { [key] in
                Result { () throws(PrimitivesError) in try key.sign(bytes, mechanism) }
            }
            return try rethrowing(result.get(), as: Self.error)
        } catch {
            failure = error
            return nil
        }
    }

    private static func error(_ error: PrimitivesError) -> GatewayTransportError {
        guard case .keyUnavailable(let reason) = error else { return .unsent(.tlsFailed) }
        return .unsent(.tlsFailed, "the client's key cannot be used: \(reason)")
    }
}
