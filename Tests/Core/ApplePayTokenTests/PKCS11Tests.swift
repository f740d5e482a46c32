import ApplePayToken
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

/// The SoftHSM2 that Tests/Integration/softhsm.sh sets up.
private struct Device {
    static let environment = ProcessInfo.processInfo.environment
    static let module = environment["APPLEPAYTOKEN_PKCS11_MODULE"]

    static func uri(_ path: String, pin: String = "APPLEPAYTOKEN_PKCS11_PIN_FILE") -> String {
        let module = module ?? ""
        return "pkcs11:\(path)?module-path=\(module)&pin-source=\(environment[pin] ?? "")"
    }
}

@Suite(
    "A key in a PKCS#11 token", .serialized,
    .enabled(if: Device.module != nil, "needs SoftHSM2: make integration-test"))
struct PKCS11Tests {
    private let module = Device.module ?? ""

    private func vector(_ id: String) throws -> SyntheticCase {
        try #require(try TestVectors.syntheticCases().first { $0.id == id })
    }

    private func decryptor(_ keys: [String]) throws -> PaymentTokenDecryptor {
        try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: keys),
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))))
    }

    private func payload(_ vector: SyntheticCase, _ decryptor: PaymentTokenDecryptor) throws
        -> [UInt8]
    {
        try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
            .rawPayload.withRevealedBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test("decrypts the same tokens as the key's file, EC and RSA, also if Z begins with a zero")
    func identical() throws {
        let inFile = try decryptor([TestVectors.keys.path()])
        let inDevice = try decryptor([
            Device.uri("token=payments;object=one"),
            Device.uri("token=payments;id=%02;type=private"),
        ])
        let merchants = try Set(
            MerchantKeyring(
                contentsOf: ["one", "two"].flatMap { name in
                    ["key", "cert"].map {
                        TestVectors.keys.appending(path: "\(name).\($0).pem").path()
                    }
                }
            ).publicKeyHashes)
        var opened = 0
        for vector in try TestVectors.syntheticCases() where vector.id.hasPrefix("valid/") {
            let token = try PaymentToken(parsing: vector.token)
            let hash = token.publicKeyHash.withSpan { hash in
                Data(hash.indices.map { hash[$0] }).base64EncodedString()
            }
            guard merchants.contains(hash) else { continue }
            #expect(try payload(vector, inDevice) == payload(vector, inFile))
            opened += 1
        }
        #expect(opened > 40)
    }

    @Test("can be used by 8 threads at once")
    func threads() throws {
        let decryptor = try decryptor([
            Device.uri("token=payments;object=one"), Device.uri("token=payments;object=two"),
        ])
        let vectors = [try vector("valid/ec"), try vector("valid/rsa")]
        let failures = Lock<[String]>([])
        let done = DispatchGroup()
        let work: @Sendable (Int) -> Void = { number in
            for _ in 0..<50 {
                do {
                    let vector = vectors[number % 2]
                    _ = try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            done.leave()
        }
        for number in 0..<8 {
            done.enter()
            Thread.detachNewThread { work(number) }
        }
        done.wait()
        #expect(failures.withLock { $0 } == [])
    }

    @Test(
        "works after its sessions are lost, and is reported as unavailable when the device is removed"
    )
    func lost() throws {
        let ec = try decryptor([Device.uri("token=payments;object=one")])
        let rsa = try decryptor([Device.uri("token=payments;object=two")])
        for (decryptor, id) in [(ec, "valid/ec"), (rsa, "valid/rsa")] {
            let vector = try vector(id)
            let before = try payload(vector, decryptor)
            PKCS11Device.closeAllSessions(module: module)
            #expect(try payload(vector, decryptor) == before)
            PKCS11Device.withoutDevice(module: module) {
                let error = #expect(throws: PaymentTokenError.self) {
                    try payload(vector, decryptor)
                }
                #expect(error?.code == .keyUnavailable)
                #expect(
                    error?.description
                        == "The merchant's key cannot be used now: the token answered CKR_CRYPTOKI_NOT_INITIALIZED."
                )
            }
            #expect(try payload(vector, decryptor) == before)
        }
    }

    @Test(
        "refuses a point off the curve and an altered wrapped key with the codes of a key in a file"
    )
    func refusals() throws {
        let inFile = try decryptor([TestVectors.keys.path()])
        let inDevice = try decryptor([
            Device.uri("token=payments;object=one"), Device.uri("token=payments;object=two"),
        ])
        var compared = 0
        for vector in try TestVectors.syntheticCases()
        where vector.id.hasPrefix("key-agreement/") || vector.id.hasPrefix("decrypt/") {
            func refusal(_ decryptor: PaymentTokenDecryptor) -> String? {
                do throws(PaymentTokenError) {
                    _ = try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
                    return nil
                } catch {
                    return error.code.rawValue
                }
            }
            guard let expected = refusal(inFile), !expected.hasPrefix("key-selection") else {
                continue
            }
            let found = refusal(inDevice)
            guard found?.hasPrefix("key-selection") != true else { continue }
            #expect(found == expected, "\(vector.id)")
            compared += 1
        }
        #expect(compared > 10)
    }

    private static let kinds =
        "; Apple Pay encrypts only to EC keys on P-256 and RSA keys of 2048 bits"

    @Test(
        "is refused with one sentence when it cannot be used",
        arguments: [
            (
                "token=payments;object=sign-only",
                "cannot be used: the key is not permitted to derive secrets (CKA_DERIVE is false)"
            ),
            (
                "token=payments;object=p384",
                "contains an EC key on another curve than P-256" + kinds
            ),
            ("token=payments;object=rsa3072", "contains an RSA key of 3072 bits" + kinds),
            (
                "token=payments;object=double",
                "cannot be used: several private keys on the token match the URI; add id= or object="
            ),
            (
                "token=payments;object=nothing",
                "cannot be used: no private key on the token matches the URI"
            ),
            ("token=absent;object=one", "cannot be used: no token matches the URI"),
            (
                "token=twins;object=one",
                "cannot be used: 2 tokens match the URI; add serial= or slot-id="
            ),
            (
                "token=payments;object=bare",
                "contains an EC key without its certificate; add the payment processing certificate, "
                    + "or give the merchant identifier"
            ),
        ] as [(String, String)])
    func unusable(_ path: String, _ reason: String) throws {
        let error = #expect(throws: KeyringError.self) {
            try MerchantKeyring(contentsOf: [Device.uri(path)])
        }
        #expect(error?.path == "pkcs11:\(path)")
        #expect(error?.reason == reason)
    }

    @Test("is refused with a wrong PIN, without one, and without its module")
    func locked() throws {
        let path = "token=payments;object=one"
        let without = "pkcs11:\(path)?module-path=\(module)"
        let cases = [
            (
                Device.uri(path, pin: "APPLEPAYTOKEN_PKCS11_WRONG_PIN_FILE"),
                "cannot be used: the token refused the PIN (CKR_PIN_INCORRECT)"
            ),
            (
                without,
                "cannot be used: the token shows no matching private key without a PIN; name the PIN's file with pin-source"
            ),
            (
                "pkcs11:\(path)?module-path=/nowhere/module.so",
                "cannot be used: the module cannot be loaded: /nowhere/module.so: cannot open shared "
                    + "object file: No such file or directory"
            ),
        ]
        for (uri, reason) in cases {
            // Closing all sessions also logs the user out.
            PKCS11Device.closeAllSessions(module: module)
            let error = #expect(throws: KeyringError.self) {
                try MerchantKeyring(contentsOf: [uri])
            }
            #expect(error?.reason == reason)
        }
    }
}
