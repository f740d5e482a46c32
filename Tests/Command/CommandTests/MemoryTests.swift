import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import Testing

/// Tests/Proofs/MemorySearch performs the search in a process that did not create these tokens.
@Suite("The memory of a process that opened tokens")
struct MemoryTests {
    private let pki = TestPKI(seed: "memory")

    /// A token, the expected result of decrypting it, and the secrets that must not remain in
    /// memory.
    private struct Sample {
        let name: String
        let token: TestToken
        let outcome: String
    }

    private func samples() throws -> [Sample] {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        let three = try pki.merchant("three")
        func token(
            _ name: String,
            to merchant: Merchant,
            _ edit: @escaping (inout TokenRecipe) throws -> Void = { _ in }
        ) throws -> TestToken {
            try pki.token(to: merchant, named: name, edit)
        }
        return [
            Sample(name: "ec", token: try token("ec", to: one), outcome: "ok"),
            Sample(name: "rsa", token: try token("rsa", to: two), outcome: "ok"),
            Sample(
                name: "wrong-order", token: try token("order", to: one),
                outcome: "order/order-mismatch"),
            Sample(
                name: "members",
                token: try token("members", to: one) {
                    $0.payload["cardholderName"] = "MEMORY/JANE"
                    $0.payload["merchantTokenIdentifier"] = "MEMORY0000000001"
                    $0.payload.members["paymentData", "emvData"] = "bWVtb3J5IGVtdg=="
                    $0.payload.members["paymentData", "encryptedPINData"] = "c0ffee0123456789"
                    $0.payload["merchantTokenMetadata"] = .object([
                        "cardMetadata": .object(["fpanSuffix": "4321"])
                    ])
                }, outcome: "ok"),
            Sample(
                name: "responses",
                token: try token("responses", to: one) {
                    $0.payload["authenticationResponses"] = .array([
                        .object([
                            "merchantIdentifier": "a", "transactionAmount": "1",
                            "authenticationData": "bWVtb3J5IGF1dGg=",
                        ])
                    ])
                }, outcome: "order/order-mismatch"),
            Sample(
                name: "wrong-tag",
                token: try token("tag", to: one) { $0.beforeSigning.data.flipBit(-1) },
                outcome: "decrypt/decryption-failed"),
            Sample(
                name: "rsa-wrong-tag",
                token: try token("rsa tag", to: two) { $0.beforeSigning.data.flipBit(-1) },
                outcome: "decrypt/decryption-failed"),
            Sample(
                name: "wrong-merchant",
                token: try token("merchant", to: one) {
                    $0.encryption.partyVInfo = three.identifierHash
                }, outcome: "decrypt/decryption-failed"),
            Sample(
                name: "wrong-payload",
                token: try token("payload", to: one) {
                    $0.payload.members["currencyCode"] = .raw("840")
                }, outcome: "payment-data/wrong-type"),
            Sample(
                name: "rsa-wrong-payload",
                token: try token("rsa payload", to: two) {
                    $0.payload.members["applicationExpirationDate"] = .string("3112")
                }, outcome: "payment-data/invalid-value"),
        ]
    }

    /// Returns the secrets that must not be in memory after a token is released.
    private func secrets(_ token: TestToken) -> [(String, [UInt8])] {
        var secrets: [(String, [UInt8])] = [("content key", token.contentKey)]
        let account = token.payload.accountNumber
        secrets.append(("account number", Array(account.utf8)))
        if let sharedSecret = token.sharedSecret { secrets.append(("shared secret", sharedSecret)) }
        if let cryptogram = token.payload.cryptogram {
            secrets.append(("cryptogram", cryptogram))
            secrets.append(
                ("cryptogram, base64", Array(Data(cryptogram).base64EncodedString().utf8)))
        }
        secrets += secretMembers(.object(token.payload.members))
        // The plaintext of these tokens contains members that SecretsInMemory.md lists as not wiped.
        guard token.payload["merchantTokenMetadata"] == nil,
            token.payload["authenticationResponses"] == nil
        else { return secrets }
        for start in stride(from: 0, to: token.plaintext.count - 24, by: 24) {
            let piece = Array(token.plaintext[start..<start + 24])
            // The library contains the members' names as constants, so skip pieces from the middle
            // of a name.
            guard piece.contains(UInt8(ascii: "\"")) else { continue }
            secrets.append(("plaintext from \(start)", piece))
        }
        return secrets
    }

    /// Returns the secrets among the optional members anywhere in the payload, each with its name.
    private func secretMembers(_ value: JSONValue) -> [(String, [UInt8])] {
        let names = [
            "cardholderName", "merchantTokenIdentifier", "emvData", "encryptedPINData",
            "authenticationData",
        ]
        switch value {
        case .object(let object):
            return object.members.flatMap { member -> [(String, [UInt8])] in
                guard names.contains(member.name), case .string(let text) = member.value else {
                    return secretMembers(member.value)
                }
                return [(member.name, Array(text.utf8))]
            }
        case .array(let elements): return elements.flatMap(secretMembers)
        default: return []
        }
    }

    /// Runs the search; returns the number of occurrences of each secret, by name.
    private func search(
        _ samples: [Sample],
        keysOf merchants: [Merchant],
        secrets: (Sample) -> [(String, [UInt8])],
        keepingKeys: Bool = false
    ) throws -> [String: Int] {
        var files: [String: String] = ["root.crt.pem": try pki.root.certificate.pem]
        for sample in samples {
            files["\(sample.name).json"] = sample.token.text
            files["\(sample.name).tsv"] = secrets(sample).map { name, bytes in
                "\(name)\t\(Hexadecimal.text(bytes.map { ~$0 }))\n"
            }.joined()
        }
        return try KeyFolder.with(merchants) { keys in
            try KeyFolder.with(files) { path in
                let folder = path + "/"
                let words = samples.flatMap { sample in
                    [
                        folder + "\(sample.name).json", sample.outcome,
                        folder + "\(sample.name).tsv",
                    ]
                }
                let search = try Command(
                    [keys, folder + "root.crt.pem", CivilTime.text(TestPKI.useTime)] + words,
                    program: "memory-search",
                    environment: keepingKeys ? ["MEMORY_SEARCH_KEEPS_KEYS": "1"] : [:])
                #expect(search.status == 0, "\(search.output)\(search.error)")
                var counts: [String: Int] = [:]
                for line in search.output.split(separator: "\n") {
                    let columns = line.split(separator: "\t")
                    let name = URL(filePath: String(columns.last ?? "")).lastPathComponent
                    counts[name] = columns.first.flatMap { Int($0) }
                }
                return counts
            }
        }
    }

    @Test("contains no secret of them, decrypted or refused, and the search finds a planted one")
    func payments() throws {
        let merchants = [try pki.merchant("one"), try pki.merchant("two", .rsa)]
        let counts = try search(try samples(), keysOf: merchants) { sample in
            secrets(sample.token)
                + [("control", Array("\(sample.name).json".utf8))]
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            if name.hasSuffix(": control") {
                #expect(count > 0, "\(name)")
            } else {
                #expect(count == 0, "\(name)")
            }
        }
        #expect(counts.count > 80)
    }

    @Test("contains a private key only in its OpenSSL object, and not after that is freed")
    func privateKeys() throws {
        let one = try pki.merchant("one")
        let two = try pki.merchant("two", .rsa)
        func forms(_ sample: Sample) -> [(String, [UInt8])] {
            let merchant = sample.token.recipient == two.recipient ? two : one
            let number: [UInt8] =
                switch merchant.credential.key {
                case .ec(let key): key.scalar
                case .rsa(let key): key.prime1
                }
            let body = merchant.keyPEM.split(separator: "\n")[1...]
            return [
                ("big-endian", number),
                // The words of a BIGNUM, lowest first, as OpenSSL stores them in memory.
                ("object", Array(number.reversed())),
                ("pem", Array((body.dropFirst().first ?? "").utf8.prefix(40))),
                // The end of the encoding, because an RSA key begins with its public numbers.
                (
                    "der",
                    Array(merchant.keyDER.suffix(merchant.version == .ec ? 102 : 64).prefix(30))
                ),
            ]
        }
        let samples = Array(try samples().prefix(2))
        let gone = try search(samples, keysOf: [one, two], secrets: forms)
        #expect(gone.count == 8)
        for (name, count) in gone { #expect(count == 0, "\(name)") }
        let kept = try search(samples, keysOf: [one, two], secrets: forms, keepingKeys: true)
        for (name, count) in kept {
            // A context has a separate copy of an RSA key, in which OpenSSL stores a prime
            // together with its Montgomery form.
            #expect((name.hasSuffix(": object") ? 1...3 : 0...0).contains(count), "\(name)")
        }
    }
}
