import ApplePayPrimitives
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Testing

@Suite("Verification of messages")
struct MessageVerificationTests {
    @Test(
        "compares the lengths and all bytes",
        arguments: [
            ([], [], true), ([1], [1], true), ([1, 2, 3], [1, 2, 3], true), ([1], [], false),
            ([1, 2, 3], [1, 2], false), ([1, 2, 3], [1, 2, 4], false), ([0, 2], [1, 2], false),
        ] as [([UInt8], [UInt8], Bool)])
    func comparison(_ left: [UInt8], _ right: [UInt8], _ isEqual: Bool) {
        #expect(ConstantTimeComparison.areEqual(left.span, right.span) == isEqual)
    }

    @Test("verifies with RSA keys of 2048 bits")
    func key() throws {
        let rsa = try RSAKey.seeded("message", label: "key")
        let encoding = PrivateKey.rsa(rsa).subjectPublicKeyInfo
        let key = try VerificationKey(rsaPublicKey: encoding.span)
        let message: [UInt8] = Array("message".utf8)
        let signature = try PrivateKey.rsa(rsa).sign(message)
        #expect(try key.isValidSignature(signature.span, for: SHA256.hash(message.span)))
        let other: [UInt8] = Array("massage".utf8)
        #expect(try !key.isValidSignature(signature.span, for: SHA256.hash(other.span)))
    }

    @Test("refuses keys of another kind or size")
    func refusals() throws {
        let rsa = PrivateKey.rsa(try RSAKey.seeded("message", label: "key")).subjectPublicKeyInfo
        let small = try RSAKey.seeded("message", label: "small", bitCount: 1024)
        for encoding in [
            [], [0x30, 0x00], Array(rsa.dropLast()), rsa + [0],
            PrivateKey.rsa(small).subjectPublicKeyInfo,
        ] {
            #expect(throws: PrimitivesError.malformedPublicKey) {
                try VerificationKey(rsaPublicKey: encoding.span)
            }
        }
    }
}
