internal import CApplePayOpenSSL

/// A non-negative integer of any size.
@safe
final class BigNumber {
    let pointer: OpaquePointer

    /// Creates an integer from a byte.
    convenience init(_ value: UInt8) throws(TestingError) {
        try self.init(bytes: [value])
    }

    /// Reads big-endian bytes.
    init(bytes: [UInt8]) throws(TestingError) {
        unsafe pointer = try expectObject(
            BN_bin2bn(bytes, Int32(bytes.count), nil),
            from: "BN_bin2bn"
        )
    }

    deinit {
        unsafe BN_clear_free(pointer)
    }

    /// Returns big-endian bytes, padded with leading zeros to `count`.
    func bytes(count: Int) throws(TestingError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        guard unsafe BN_bn2binpad(pointer, &output, Int32(count)) == Int32(count) else {
            throw .cryptography(function: "BN_bn2binpad")
        }
        return output
    }

    /// Whether this is zero.
    var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }

    /// Returns whether this is less than `other`.
    func isLess(than other: BigNumber) -> Bool {
        unsafe BN_cmp(pointer, other.pointer) < 0
    }

    /// Returns whether this is a prime, with an error probability of less than 2^-64.
    func isPrime() throws(TestingError) -> Bool {
        let scratch = try Scratch()
        let result = unsafe BN_check_prime(pointer, scratch.pointer, nil)
        guard result >= 0 else { throw .cryptography(function: "BN_check_prime") }
        return result == 1
    }

    /// Adds a small number in place.
    func add(_ word: UInt) throws(TestingError) {
        try expectSuccess(unsafe BN_add_word(pointer, word), of: "BN_add_word")
    }

    /// Returns this minus `other`, which must not be greater.
    func minus(_ other: BigNumber) throws(TestingError) -> BigNumber {
        let result = try BigNumber(0)
        try expectSuccess(unsafe BN_sub(result.pointer, pointer, other.pointer), of: "BN_sub")
        return result
    }

    /// Returns the product.
    func times(_ other: BigNumber) throws(TestingError) -> BigNumber {
        try compute("BN_mul") { result, scratch in
            unsafe BN_mul(result.pointer, pointer, other.pointer, scratch.pointer)
        }
    }

    /// Returns the remainder of the division by `modulus`.
    func modulo(_ modulus: BigNumber) throws(TestingError) -> BigNumber {
        try compute("BN_nnmod") { result, scratch in
            unsafe BN_nnmod(result.pointer, pointer, modulus.pointer, scratch.pointer)
        }
    }

    /// Returns the sum modulo `modulus`.
    func plus(_ other: BigNumber, modulo modulus: BigNumber) throws(TestingError) -> BigNumber {
        try compute("BN_mod_add") { result, scratch in
            unsafe BN_mod_add(
                result.pointer, pointer, other.pointer, modulus.pointer, scratch.pointer)
        }
    }

    /// Returns the product modulo `modulus`.
    func times(_ other: BigNumber, modulo modulus: BigNumber) throws(TestingError) -> BigNumber {
        try compute("BN_mod_mul") { result, scratch in
            unsafe BN_mod_mul(
                result.pointer, pointer, other.pointer, modulus.pointer, scratch.pointer)
        }
    }

    /// Returns this to the power of `exponent` modulo `modulus`.
    func power(_ exponent: BigNumber, modulo modulus: BigNumber) throws(TestingError) -> BigNumber {
        try compute("BN_mod_exp") { result, scratch in
            unsafe BN_mod_exp(
                result.pointer, pointer, exponent.pointer, modulus.pointer, scratch.pointer)
        }
    }

    /// Returns the inverse modulo `modulus`; throws if it does not exist.
    func inverse(modulo modulus: BigNumber) throws(TestingError) -> BigNumber {
        try compute("BN_mod_inverse") { result, scratch in
            unsafe BN_mod_inverse(result.pointer, pointer, modulus.pointer, scratch.pointer) == nil
                ? 0 : 1
        }
    }

    private func compute(
        _ function: String,
        _ operation: (BigNumber, Scratch) -> Int32
    ) throws(TestingError) -> BigNumber {
        let result = try BigNumber(0)
        try expectSuccess(operation(result, try Scratch()), of: function)
        return result
    }
}

/// Temporary integers for libcrypto's calculations.
@safe
final class Scratch {
    let pointer: OpaquePointer

    init() throws(TestingError) {
        unsafe pointer = try expectObject(BN_CTX_new(), from: "BN_CTX_new")
    }

    deinit {
        unsafe BN_CTX_free(pointer)
    }
}
