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

    /// The object that one of the `d2i` functions reads from `bytes`; nil unless it reads all of them.
    static func decoded(
        _ bytes: Span<UInt8>,
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
        free: (OpaquePointer?) -> Void
    ) -> OpaquePointer? {
        let object = unsafe bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var next = bytes.baseAddress
            let object = unsafe decode(&next, bytes.count)
            guard let start = bytes.baseAddress, unsafe next == start + bytes.count else {
                unsafe free(object)
                return nil
            }
            return unsafe object
        }
        if unsafe object == nil { drainErrors() }
        return unsafe object
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
