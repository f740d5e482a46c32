internal import ApplePayMerchantKeys
internal import ApplePayPrimitives
internal import ApplePayTransport
internal import CApplePayTLS
internal import Glibc

/// The trusted authorities, the client's certificate and the versions of TLS, shared by the connections of a client.
@safe
final class TLSContext: @unchecked Sendable {
    /// The files with the system's authorities, of Debian, Fedora, SUSE and Alpine.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The lowest level of libssl's security that the system's configuration can set: RSA keys of 2048 bits, elliptic curves of
    /// 224, and no signature with SHA-1 (SSL_CTX_set_security_level(3)).
    private static let securityLevel: Int32 = 2

    let pointer: OpaquePointer

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - authorities: A PEM file that replaces the system's authorities.
    ///   - identity: The client's certificate and key, for servers that ask for them.
    /// - Throws: `no-authorities` with the path, then `tls-failed`.
    init(authorities: String?, identity: ClientIdentity?) throws(GatewayTransportError) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw TLSError.setUp() }
        unsafe pointer = context
        unsafe SSL_CTX_set_options(context, CApplePayTLS_OPTIONS)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let level = unsafe SSL_CTX_get_security_level(context)
        unsafe SSL_CTX_set_security_level(context, max(level, Self.securityLevel))
        guard unsafe CApplePayTLS_set_versions(context) == 1 else { throw TLSError.setUp() }
        // Not SSL_CTX_set_default_verify_paths, which obeys SSL_CERT_FILE and SSL_CERT_DIR of the environment.
        let paths = authorities.map { [$0] } ?? Self.bundles
        let isLoaded = paths.contains { unsafe SSL_CTX_load_verify_file(context, $0) == 1 }
        ERR_clear_error()
        guard isLoaded else {
            throw GatewayTransportError(
                .noAuthorities, requestMayHaveReachedGateway: false, detail: paths[0])
        }
        if let identity { try present(identity) }
    }

    /// Sets the certificates to send, and the key.
    private func present(_ identity: ClientIdentity) throws(GatewayTransportError) {
        for (index, der) in identity.certificates.enumerated() {
            let isSet = unsafe der.withUnsafeBufferPointer { der in
                unsafe index == 0
                    ? SSL_CTX_use_certificate_ASN1(
                        pointer, Int32(clamping: der.count), der.baseAddress)
                    : CApplePayTLS_add_certificate(pointer, der.baseAddress, der.count)
            }
            guard isSet == 1 else { throw TLSError.setUp() }
        }
        unsafe CApplePayTLS_send_only_added_certificates(pointer)
        let type = identity.keyKind == .p256 ? NID_X9_62_id_ecPublicKey : NID_rsaEncryption
        let isSet = identity.key.withRevealedBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe SSL_CTX_use_PrivateKey_ASN1(type, pointer, key.baseAddress, key.count)
            }
        }
        guard isSet == 1 else { throw TLSError.setUp() }
    }

    deinit { unsafe SSL_CTX_free(pointer) }
}

/// The errors of libssl, for people.
enum TLSError {
    /// Returns the error for a connection that could not be set up.
    static func setUp() -> GatewayTransportError {
        GatewayTransportError(.tlsFailed, requestMayHaveReachedGateway: false, detail: reason())
    }

    /// Returns the first error of the thread's queue and empties the queue.
    static func reason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard let text = unsafe ERR_reason_error_string(code) else { return "connection closed" }
        return unsafe String(cString: text)
    }
}
