internal import ApplePayPrimitives
internal import ApplePayTransport
internal import CApplePayTLS

/// One TLS connection in memory: it turns bytes of the application into bytes for a socket, and back.
///
/// OpenSSL never sees the socket, so the caller knows which bytes were sent.
@safe
final class TLSSession {
    /// The result of reading.
    enum Reading {
        case bytes([UInt8])
        case nothingYet
        /// The server ended the connection with `close_notify` (RFC 8446 §6.1).
        case end
        /// libssl's reason, such as an alert of the server.
        case failed(String)
    }

    private let pointer: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer

    /// Prepares a connection, whose certificate must name the host.
    ///
    /// - Parameters:
    ///   - context: Authorities and versions.
    ///   - host: A name, or a numeric address.
    /// - Throws: `tls-failed`.
    init(_ context: TLSContext, host: String) throws(GatewayTransportError) {
        guard let session = unsafe SSL_new(context.pointer) else { throw TLSError.setUp() }
        let (created, other) = unsafe (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        guard let input = unsafe created, let output = unsafe other else {
            unsafe BIO_free(created)
            unsafe BIO_free(other)
            unsafe SSL_free(session)
            throw TLSError.setUp()
        }
        unsafe CApplePayTLS_set_retry(input)
        unsafe CApplePayTLS_set_retry(output)
        // Frees both with the session.
        unsafe SSL_set_bio(session, input, output)
        unsafe pointer = session
        unsafe self.input = input
        unsafe self.output = output
        unsafe SSL_set_connect_state(session)
        let parameters = unsafe SSL_get0_param(session)
        // Names are in subjectAltName only (RFC 9525 §2).
        let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(flags))
        let isNumeric = !SocketAddress.addresses(of: host, port: 443, isNumeric: true).isEmpty
        // A server name is a name, never an address (RFC 6066 §3).
        let isSet =
            isNumeric
            ? unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1
            : unsafe X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
                && CApplePayTLS_set_server_name(session, host) == 1
        guard isSet else { throw TLSError.setUp() }
    }

    /// Goes on with the handshake.
    ///
    /// - Returns: Whether it is complete: the server's certificate is valid for the host.
    /// - Throws: `tls-failed` with OpenSSL's reason, such as `certificate has expired`.
    func handshake() throws(GatewayTransportError) -> Bool {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(pointer)
        guard result != 1 else { return true }
        if unsafe SSL_get_error(pointer, result) == SSL_ERROR_WANT_READ { return false }
        let verified = unsafe SSL_get_verify_result(pointer)
        let error = TLSError.reason()
        let reason =
            verified == X509_V_OK
            ? error : unsafe String(cString: X509_verify_cert_error_string(verified))
        throw GatewayTransportError(.tlsFailed, requestMayHaveReachedGateway: false, detail: reason)
    }

    /// Encrypts bytes, which ``takeOutput()`` returns.
    ///
    /// - Returns: Whether libssl did.
    func write(_ bytes: Span<UInt8>) -> Bool {
        ERR_clear_error()
        var count = 0
        let result = unsafe bytes.withUnsafeBytes {
            unsafe SSL_write_ex(pointer, $0.baseAddress, $0.count, &count)
        }
        return result == 1
    }

    /// Gives libssl bytes that arrived from the server.
    ///
    /// - Returns: Whether there was memory for them.
    func receive(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes {
            unsafe BIO_write(input, $0.baseAddress, Int32($0.count)) == Int32($0.count)
        }
    }

    /// Returns decrypted bytes, at most 16 KiB.
    func read() -> Reading {
        ERR_clear_error()
        var isRead = false
        var error: Int32 = SSL_ERROR_NONE
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, used in
            isRead = unsafe SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &used) == 1
            // Means something only if nothing was read.
            error = unsafe SSL_get_error(pointer, 0)
        }
        guard !isRead else { return .bytes(bytes) }
        switch error {
        case SSL_ERROR_WANT_READ: return .nothingYet
        case SSL_ERROR_ZERO_RETURN: return .end
        default: return .failed(TLSError.reason())
        }
    }

    /// Returns the bytes for the socket; empty if there are none.
    func takeOutput() -> [UInt8] {
        let count = unsafe BIO_ctrl_pending(output)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            used = max(
                0, unsafe Int(BIO_read(output, buffer.baseAddress, Int32(clamping: buffer.count))))
        }
    }

    deinit { unsafe SSL_free(pointer) }
}
