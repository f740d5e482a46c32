internal import CApplePayOpenSSL

/// Checks what a libcrypto function returned, where it returned.
///
/// Every failed call leaves entries in the thread's error queue, and a later call may mistake them
/// for its own: each refusal drains it. What is left there also decides whether libcrypto refused its
/// input or failed: see ``LibcryptoErrors``.
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

    /// Makes a call that may refuse its input.
    ///
    /// A call whose errors leave undecided whether it refused or failed, or that found an algorithm
    /// missing, is made a second time: OpenSSL 3.0 drops the errors of some failed allocations.
    ///
    /// - Parameters:
    ///   - function: Its name, for the error.
    ///   - libraries: The parts of libcrypto whose errors are about the input, such as `ERR_LIB_ASN1`.
    ///   - others: The parts whose errors may accompany a refusal, and do not make one.
    ///   - silence: What it means when the call fails without an error.
    ///   - unsupported: Thrown when the input needs an algorithm that is not there; nil for calls that
    ///     refuse such input like any other.
    ///   - call: Makes the call; nil when it did not succeed.
    /// - Returns: What the call gave; nil when it refuses its input.
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
    ///   - function: Its name, for the error.
    ///   - libraries: The parts of libcrypto whose errors say that the bytes are at fault.
    ///   - others: The parts whose errors may accompany those.
    ///   - decode: Calls the function, without an object to write to.
    ///   - free: Frees what the function made.
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

    /// Forgets this thread's libcrypto errors, which other users of libcrypto may have left too.
    static func drainErrors() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }
}
