internal import CApplePayOpenSSL

/// Checks what a libcrypto function returned, where it returned.
///
/// Every failed call leaves entries in the thread's error queue, and a later call may mistake them
/// for its own: each refusal drains it.
enum OpenSSLCall {
    /// Passes on a return code that says success, which is 1 for the functions used here.
    static func check(_ result: Int32, _ function: StaticString) throws(PrimitivesError) {
        guard result == 1 else {
            drainErrors()
            throw .libraryFailure(function: "\(function)")
        }
    }

    /// Passes on an object that was made.
    static func object<Object>(
        _ result: Object?,
        _ function: StaticString
    ) throws(PrimitivesError) -> Object {
        guard let result else {
            drainErrors()
            throw .libraryFailure(function: "\(function)")
        }
        return result
    }

    /// The DER that one of the `i2d` functions writes to a buffer of its own.
    static func encoding(
        _ function: StaticString,
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
    ) throws(PrimitivesError) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let count = unsafe encode(&output)
        defer { unsafe CApplePayOpenSSL_free(output) }
        let start = try unsafe object(output, function)
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(max(count, 0))))
    }

    /// Forgets this thread's libcrypto errors.
    static func drainErrors() {
        ERR_clear_error()
    }
}
