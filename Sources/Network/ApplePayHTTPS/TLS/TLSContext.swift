internal import ApplePayGateways
internal import CApplePayTLS
internal import Glibc

/// The trusted authorities and the versions of TLS, shared by the connections of a client.
@safe
final class TLSContext: @unchecked Sendable {
    /// The files with the system's authorities, of Debian, Fedora, SUSE and Alpine.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    let pointer: OpaquePointer

    /// Creates a context.
    ///
    /// - Parameter authorities: A PEM file that replaces the system's authorities.
    /// - Throws: `no-authorities` with the path, then `tls-failed`.
    init(authorities: String?) throws(GatewayTransportError) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw TLSError.setUp() }
        unsafe pointer = context
        unsafe SSL_CTX_set_options(context, CApplePayTLS_OPTIONS)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard unsafe CApplePayTLS_set_versions(context) == 1 else { throw TLSError.setUp() }
        // Not SSL_CTX_set_default_verify_paths, which obeys SSL_CERT_FILE and SSL_CERT_DIR of the environment.
        let paths = authorities.map { [$0] } ?? Self.bundles
        let isLoaded = paths.contains { unsafe SSL_CTX_load_verify_file(context, $0) == 1 }
        ERR_clear_error()
        guard isLoaded else {
            throw GatewayTransportError(
                .noAuthorities, requestMayHaveReachedGateway: false, detail: paths[0])
        }
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
        guard code != 0, let text = unsafe ERR_reason_error_string(code) else {
            return "connection closed"
        }
        return unsafe String(cString: text)
    }
}
