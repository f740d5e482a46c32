import ApplePayTokenTestingPrimitives
import Foundation
import HangingPKCS11
import TestVectors
import Testing

@testable import ApplePayPrimitives

@Suite("A device that hangs")
struct HangingDeviceTests {
    private static let limit = Duration.seconds(1)

    private let module: HangingModule

    init() throws {
        module = try HangingModule(key: TestVectors.keys.appending(path: "three.key.pem"))
    }

    private func key() throws(PrimitivesError) -> PKCS11Key {
        var selector = PKCS11Selector()
        selector.modulePath = module.path
        return try PKCS11Key(selector, timeLimit: Self.limit)
    }

    /// Derives the secret of a key and the point with a scalar.
    ///
    /// Each test has a scalar of its own: a search of the memory finds no other test's secret.
    private func derive(
        _ key: PKCS11Key?, scalar: ClosedRange<UInt8>, into secret: inout [UInt8]
    ) throws {
        let point = try ECKey(curve: .p256, scalar: Array(scalar)).publicPoint
        var span = secret.mutableSpan
        try #require(key).deriveSharedSecret(with: point.span, into: &span)
    }

    private static let unanswered = PrimitivesError.keyUnavailable(
        "the device did not answer within 1.0 seconds; check the HSM and its connection")

    @Test(
        "does not leave a secret in memory after the abandoned call has returned",
        .disabled(if: SecretTests.isUnderSanitizer, "a sanitizer maps more memory than is read"))
    func wiped() throws {
        let key = try key()
        var secret = [UInt8](repeating: 0, count: 32)
        try module.hang("CKA_VALUE")
        #expect(throws: Self.unanswered) { try derive(key, scalar: 1...32, into: &secret) }
        let inverted = try module.invertedSecret()
        func occurrences() throws -> Int {
            try #require(ProcessMemory.occurrences(ofInverted: [inverted])).reduce(0, +)
        }
        // The call's buffer and the module's session each contain the secret.
        #expect(try occurrences() >= 2)
        try module.hang(nil)
        #expect(try module.wait { try occurrences() == 0 })
        #expect(secret == [UInt8](repeating: 0, count: 32))
        try derive(key, scalar: 1...32, into: &secret)
        #expect(secret.map { ~$0 } == inverted)
    }

    @Test("does not delay the release of keys, and its sessions are closed when it answers")
    func closing() throws {
        var keys: [PKCS11Key?] = [try key(), try key()]
        var secret = [UInt8](repeating: 0, count: 32)
        for key in keys { try derive(key, scalar: 2...33, into: &secret) }
        // Each key was found in one session, which was closed, and used in another one.
        #expect(try module.calls("C_OpenSession") == 4)
        #expect(try module.calls("C_CloseSession") == 2)
        try module.hang("C_CloseSession")
        keys[0] = nil
        #expect(try module.hanging() == 1)
        keys[1] = nil
        // The second session is closed after the first: no call is made for it yet, and the caller
        // does not wait.
        #expect(try module.calls("C_CloseSession") == 3)
        try module.hang(nil)
        #expect(try module.wait { try module.calls("C_CloseSession") == 4 })
        #expect(try module.misuses() == 0)
    }

    @Test("does not begin a call that was abandoned before a thread was free")
    func late() throws {
        let begun = Lock(false)
        let call = DeviceCall<Int> { _ in
            begun.withLock { $0 = true }
            return 1
        }
        var isAbandoned = false
        #expect(call.result(within: .zero) { isAbandoned = true } == nil)
        #expect(isAbandoned)
        #expect(!call.run())
        #expect(!begun.withLock { $0 })
    }

    @Test(
        "returns the results and errors of calls that end in time, also with a limit of centuries")
    func inTime() throws {
        let threads = DeviceThreads()
        for number in 0..<100 {
            let limit = number % 2 == 0 ? Self.limit : .seconds(Int64.max)
            let result = try threads.run(within: limit) { isAwaited in isAwaited() ? number : -1 }
            #expect(result == number)
        }
        #expect(throws: PrimitivesError.invalidPoint) {
            try threads.run(within: Self.limit) { _ throws(PrimitivesError) -> Int in
                throw .invalidPoint
            }
        }
    }
}
