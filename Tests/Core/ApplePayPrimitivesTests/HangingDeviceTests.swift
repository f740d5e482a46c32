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

    private let otherInfo = [UInt8](1...51)

    /// Decrypts with the content key of a key and the point with a scalar.
    ///
    /// Each test has a scalar of its own: a search of the memory finds no other test's secret.
    private func open(
        _ sealed: [UInt8], _ key: PKCS11Key?, scalar: ClosedRange<UInt8>
    ) throws -> [UInt8] {
        let point = try ECKey(curve: .p256, scalar: Array(scalar)).publicPoint
        return try #require(key).contentKey(agreedWith: point.span, otherInfo: otherInfo.span)
            .open(sealed.span).withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Returns a message and its encryption to a key, as the owner of the scalar encrypts it with libcrypto.
    private func message(
        to key: PKCS11Key, scalar: ClosedRange<UInt8>
    ) throws -> (plaintext: [UInt8], sealed: [UInt8]) {
        let point = key.publicKey.subjectPublicKeyInfo[P256PublicKey.pointRange]
        let secret = try ECKey(curve: .p256, scalar: Array(scalar)).sharedSecret(with: Array(point))
        let contentKey = try ContentKey.derived(otherInfo: otherInfo.span) { span in
            for index in secret.indices { span[index] = secret[index] }
        }
        let plaintext = [UInt8](1...100)
        let sealed = try contentKey.withSpan { contentKey in
            try ApplePayPrimitives.AESGCM.seal(plaintext, key: contentKey)
        }
        return (plaintext, sealed)
    }

    private static let unanswered = PrimitivesError.keyUnavailable(
        "the device did not answer within 1.0 seconds; check the HSM and its connection")

    @Test(
        "does not leave a secret in memory after the abandoned call has returned",
        .disabled(if: SecretTests.isUnderSanitizer, "a sanitizer maps more memory than is read"))
    func wiped() throws {
        let key = try key()
        let (plaintext, sealed) = try message(to: key, scalar: 1...32)
        try module.hang("CKA_VALUE")
        #expect(throws: Self.unanswered) { try open(sealed, key, scalar: 1...32) }
        let inverted = try module.invertedSecret()
        func occurrences() throws -> Int {
            try #require(ProcessMemory.occurrences(ofInverted: [inverted])).reduce(0, +)
        }
        // The call's buffer and the module's session each contain the secret.
        #expect(try occurrences() >= 2)
        try module.hang(nil)
        #expect(try module.wait { try occurrences() == 0 })
        #expect(try open(sealed, key, scalar: 1...32) == plaintext)
        #expect(try module.invertedSecret() == inverted)
    }

    @Test("does not delay the release of keys, and its sessions are closed when it answers")
    func closing() throws {
        var keys: [PKCS11Key?] = [try key(), try key()]
        for key in keys.compactMap(\.self) {
            let (plaintext, sealed) = try message(to: key, scalar: 2...33)
            #expect(try open(sealed, key, scalar: 2...33) == plaintext)
        }
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
