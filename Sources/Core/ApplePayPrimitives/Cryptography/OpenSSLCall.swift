internal import CApplePayOpenSSL

/// Checks the return values of libcrypto functions at each call.
///
/// Every failed call leaves entries in the thread's error queue, and a later call may mistake them
/// for its own errors, so each refusal drains the queue. The drained errors also decide whether
/// libcrypto refused its input or failed: see ``LibcryptoErrors``.
enum OpenSSLCall {
    /// Checks for a return code of 1, which means success for the functions used here.
    static func check(_ result: Int32, _ function: StaticString) throws(PrimitivesError) {
        guard result == 1 else { throw failure(function) }
    }

    /// Returns an object that libcrypto created, and throws if it is nil.
    static func object<Object>(
        _ result: Object?,
        _ function: StaticString
    ) throws(PrimitivesError) -> Object {
        guard let result else { throw failure(function) }
        return result
    }

    /// Clears this thread's errors, and returns the error for a function that failed.
    static func failure(_ function: StaticString) -> PrimitivesError {
        drainErrors()
        return .libraryFailure(function: "\(function)")
    }

    /// Calls a function that may refuse its input.
    ///
    /// If the errors do not decide whether the call refused or failed, or report a missing algorithm, the call is
    /// repeated, because OpenSSL 3.0 drops the errors of some failed allocations.
    ///
    /// - Parameters:
    ///   - function: The function's name, for the error.
    ///   - libraries: The parts of libcrypto whose errors are about the input, such as `ERR_LIB_ASN1`.
    ///   - others: The parts whose errors may accompany a refusal but do not indicate one.
    ///   - silence: The meaning of a call that fails without an error.
    ///   - unsupported: Thrown if the input needs an algorithm that is not available; nil for
    ///     calls that treat this as an ordinary refusal.
    ///   - call: Makes the call; returns nil if it did not succeed.
    /// - Returns: The result of `call`; nil if it refuses its input.
    /// - Throws: `unsupported`, ``PrimitivesError/libraryFailure(function:)``.
    static func unlessRefused<Result>(
        _ function: StaticString,
        by libraries: [Int32],
        beside others: [Int32] = [],
        silence: LibcryptoErrors = .failure,
        unsupported: PrimitivesError? = nil,
        _ call: () -> Result?
    ) throws(PrimitivesError) -> Result? {
        var errors = LibcryptoErrors.undecided
        for _ in 0..<2 {
            drainErrors()
            if let result = call() { return result }
            errors = LibcryptoErrors.drained(
                decisive: libraries, accompanying: others, silence: silence)
            if errors == .refusal { return nil }
            if errors == .failure { throw .libraryFailure(function: "\(function)") }
        }
        if errors == .unsupported, let unsupported { throw unsupported }
        return nil
    }

    /// Reads an object with one of the `d2i` functions.
    ///
    /// - Parameters:
    ///   - bytes: The DER.
    ///   - function: The function's name, for the error.
    ///   - libraries: The parts of libcrypto whose errors mean that the bytes are malformed.
    ///   - others: The parts whose errors may accompany those.
    ///   - decode: Calls the function, without an object to write to.
    ///   - free: Frees the object that the function created.
    /// - Returns: The object; nil unless `bytes` are exactly one such object.
    /// - Throws: ``PrimitivesError/libraryFailure(function:)``.
    static func decoded(
        _ bytes: Span<UInt8>,
        _ function: StaticString,
        by libraries: [Int32] = [ERR_LIB_ASN1, ERR_LIB_X509],
        beside others: [Int32] = [],
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
        free: (OpaquePointer?) -> Void
    ) throws(PrimitivesError) -> OpaquePointer? {
        guard !bytes.isEmpty else { return nil }
        return try unsafe bytes.withUnsafeBufferPointer { bytes throws(PrimitivesError) in
            var next = bytes.baseAddress
            let object = try unsafe unlessRefused(function, by: libraries, beside: others) {
                unsafe next = bytes.baseAddress
                return unsafe decode(&next, bytes.count)
            }
            guard let start = bytes.baseAddress, unsafe next == start + bytes.count else {
                unsafe free(object)
                return nil
            }
            return unsafe object
        }
    }

    /// Returns the DER that one of the `i2d` functions writes to a buffer that it allocates.
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

    /// Clears this thread's libcrypto errors, some of which other users of libcrypto may have left.
    static func drainErrors() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }
}
