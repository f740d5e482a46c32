internal import CApplePayOpenSSL
internal import CApplePayTokenTesting
internal import Glibc

/// Verifies a detached signature with OpenSSL's `CMS_verify`.
@safe
package final class CMSVerification: @unchecked Sendable {
    private let store: OpaquePointer

    /// Creates a verifier that trusts one root.
    ///
    /// - Parameter root: The root's certificate, DER.
    package init?(root: [UInt8]) {
        let certificate = unsafe root.withUnsafeBufferPointer { der -> OpaquePointer? in
            var next = der.baseAddress
            return unsafe d2i_X509(nil, &next, der.count)
        }
        guard let certificate = unsafe certificate else { return nil }
        defer { unsafe X509_free(certificate) }
        guard let store = unsafe X509_STORE_new() else { return nil }
        unsafe self.store = store
        guard unsafe X509_STORE_add_cert(store, certificate) == 1 else { return nil }
    }

    /// Returns whether the signature over the message is valid and the chain is valid at a time.
    ///
    /// - Parameters:
    ///   - signature: The CMS, BER.
    ///   - message: The detached content, used unchanged (CMS_BINARY).
    ///   - time: Seconds since 1970.
    /// - Returns: Whether OpenSSL accepts both.
    package func accepts(_ signature: [UInt8], over message: [UInt8], at time: Int) -> Bool {
        defer { ERR_clear_error() }
        let parameters = unsafe X509_STORE_get0_param(store)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time)
        return unsafe CApplePayTokenTesting_verify(
            signature, signature.count, message, message.count, store) == 1
    }

    deinit {
        unsafe X509_STORE_free(store)
    }
}
