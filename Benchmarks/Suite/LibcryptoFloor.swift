import BenchmarkFloor

/// libcrypto's operations for one signer and one merchant, with separate contexts; for one thread.
@safe
final class LibcryptoFloor {
    private let floor: OpaquePointer
    private var digest = [UInt8](repeating: 0, count: 32)
    private var secret = [UInt8](repeating: 0, count: 32)
    private var plaintext = [UInt8](repeating: 0, count: 65_536)

    init(signer: [UInt8], merchant: [UInt8], isRSA: Bool) throws(BenchmarkFailure) {
        guard
            let floor = unsafe Floor_new(
                signer, signer.count, merchant, merchant.count, isRSA ? 1 : 0)
        else { throw BenchmarkFailure("libcrypto refuses the floor's keys") }
        unsafe self.floor = floor
    }

    /// Runs all operations that a token needs.
    func run(_ token: Sample) throws(BenchmarkFailure) {
        try hash(token.message)
        try hash(token.signedAttributes)
        try verify(token)
        if token.isRSA {
            try unwrap(token)
        } else {
            try derive(token)
            try hash(token.derivationInput)
        }
        try open(token)
    }

    func hash(_ bytes: [UInt8]) throws(BenchmarkFailure) {
        try check(unsafe Floor_sha256(floor, bytes, bytes.count, &digest), "SHA-256")
    }

    func verify(_ token: Sample) throws(BenchmarkFailure) {
        let signature = token.signatureValue
        try check(
            unsafe Floor_verify(floor, token.signedDigest, signature, signature.count), "verify")
    }

    func derive(_ token: Sample) throws(BenchmarkFailure) {
        try check(unsafe Floor_derive(floor, token.point, &secret), "derive")
    }

    func unwrap(_ token: Sample) throws(BenchmarkFailure) {
        let key = token.key
        try check(unsafe Floor_unwrap(floor, key, key.count, &secret, 16), "unwrap")
    }

    func open(_ token: Sample) throws(BenchmarkFailure) {
        let key = token.contentKey
        try check(
            unsafe Floor_open(floor, key, key.count, token.data, token.data.count, &plaintext),
            "open")
    }

    private func check(_ result: Int32, _ step: String) throws(BenchmarkFailure) {
        guard result == 1 else { throw BenchmarkFailure("the floor's \(step) fails") }
    }

    deinit {
        unsafe Floor_free(floor)
    }
}
