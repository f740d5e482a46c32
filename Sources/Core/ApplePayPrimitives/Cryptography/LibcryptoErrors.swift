internal import CApplePayOpenSSL

/// The meaning of a failed call's errors: libcrypto refused its input, or libcrypto itself failed.
///
/// Only a refusal is a verdict on the input. It requires an error of a part of libcrypto that
/// judges the input, such as ASN1_R_WRONG_TAG, and no error about libcrypto itself.
enum LibcryptoErrors {
    /// The input is malformed or wrong.
    case refusal

    /// The input needs an algorithm that is not available.
    case unsupported

    /// Memory ran out, or libcrypto failed for another reason that the input did not cause.
    case failure

    /// The errors name only the functions that were called, not the cause.
    case undecided

    /// Empties this thread's error queue and classifies its errors.
    ///
    /// The queue must have been empty before the call that failed.
    ///
    /// - Parameters:
    ///   - decisive: The parts of libcrypto whose errors are about the input.
    ///   - accompanying: The parts whose errors may come with them.
    ///   - silence: The meaning of an empty queue: ``refusal`` for functions that refuse without
    ///     an error.
    /// - Returns: ``failure`` also while libcrypto cannot allocate or compute a hash: without memory OpenSSL 3.0 may report an
    ///   algorithm that it could not fetch as unsupported, and cannot store a thread's first error; and a FIPS provider
    ///   that failed one of its self-tests refuses everything, mostly without an error (OSSL_PROVIDER-FIPS(7)).
    static func drained(
        decisive: [Int32],
        accompanying: [Int32] = [],
        silence: LibcryptoErrors = .failure
    ) -> LibcryptoErrors {
        var found: LibcryptoErrors = ERR_peek_error() == 0 ? silence : .undecided
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return isWorking ? found : .failure }
            switch meaning(of: code, decisive: decisive, accompanying: accompanying) {
            case .failure: found = .failure
            case .undecided: break
            case .refusal: if found == .undecided { found = .refusal }
            case .unsupported: if found != .failure { found = .unsupported }
            }
        }
    }

    private static var isWorking: Bool {
        let memory = unsafe CApplePayOpenSSL_malloc(64)
        unsafe CApplePayOpenSSL_free(memory)
        // A pooled context: fetching the algorithm each time would cost more than the call that failed.
        let message: InlineArray<1, UInt8> = [0]
        return unsafe memory != nil && (try? SHA256.hash(message.span)) != nil
    }

    private static func meaning(
        of code: UInt,
        decisive: [Int32],
        accompanying: [Int32]
    ) -> LibcryptoErrors {
        if CApplePayOpenSSL_is_unsupported(code) == 1 { return .unsupported }
        if ERR_COMMON_ERROR(code) == 1 {
            return CApplePayOpenSSL_is_origin(code) == 1 ? .undecided : .failure
        }
        if CApplePayOpenSSL_is_provider_failure(code) == 1 { return .undecided }
        let library = ERR_GET_LIB(code)
        // A callback failed, for example because memory ran out.
        if library == ERR_LIB_ASN1, ERR_GET_REASON(code) == ASN1_R_AUX_ERROR { return .undecided }
        if decisive.contains(library) { return .refusal }
        return accompanying.contains(library) ? .undecided : .failure
    }
}
