import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Testing

@Suite("The test PKI")
struct ApplePayTokenTestingTests {
    private let pki = TestPKI(seed: "token mint tests")

    @Test("makes the same token again", arguments: TokenVersion.allCases)
    func determinism(_ version: TokenVersion) throws {
        let again = TestPKI(seed: "token mint tests")
        #expect(try pki.token(version).json == again.token(version).json)
    }

    @Test("makes another token for another name, and another world for another seed")
    func distinction() throws {
        let token = try pki.token(named: "one")
        let other = try pki.token(named: "other")
        #expect(token.transactionId != other.transactionId)
        #expect(token.data != other.data)
        #expect(try pki.root != TestPKI(seed: "another").root)
    }

    @Test("makes many tokens quickly")
    func speed() throws {
        let merchant = try pki.merchant("one")
        var seen: Set<[UInt8]> = []
        let duration = try ContinuousClock().measure {
            for index in 0..<64 {
                seen.insert(try pki.token(to: merchant, named: "token \(index)").json)
            }
        }
        #expect(seen.count == 64)
        // A second by design; ten so that a busy machine does not fail the test.
        #expect(duration < .seconds(10))
    }

    @Test("makes RSA keys that open what they close")
    func keyPair() throws {
        let key = try RSAKey.seeded("token mint tests", label: "pair", bitCount: 1024)
        let block = [0x00] + (try pki.bytes("block", 127))
        #expect(try key.decrypt(block: key.publicKey.encrypt(block: block)) == block)
    }

    @Test("carries out what the recipe says, and nothing else")
    func edits() throws {
        let plain = try pki.token()
        let flipped = try pki.token { $0.afterSigning.transactionId.flipBit(-1) }
        #expect(flipped.transactionId.dropLast() == plain.transactionId.dropLast())
        #expect(flipped.transactionId.last == plain.transactionId.last.map { $0 ^ 1 })
        #expect(flipped.signature == plain.signature)
        #expect(flipped.data == plain.data)
    }

    @Test("begins and ends its CMS as Apple does")
    func appleForm() throws {
        let signature = try pki.token().signature
        let head: [UInt8] = [
            0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0,
            0x80, 0x30, 0x80, 0x02, 0x01, 0x01, 0x31,
        ]
        #expect(signature.starts(with: head))
        #expect(signature.suffix(6) == [0, 0, 0, 0, 0, 0])
    }
}
