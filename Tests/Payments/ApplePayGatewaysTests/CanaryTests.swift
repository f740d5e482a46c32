import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayLedger
import ApplePayOtherGateways
import ApplePayTokenTesting
import ApplePayTokenTestingPrimitives
import Foundation
import TestVectors
import Testing

@Suite("No secret and no byte of a token")
struct CanaryTests {
    private let pki = TestPKI(seed: "canary")

    /// Returns every text that a program might log for a value.
    private func shown(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) \(String(describing: value))\n"
        dump(value, to: &text)
        var mirrors = [Mirror(reflecting: value)]
        while let mirror = mirrors.popLast() {
            for child in mirror.children {
                text += "\(child.label ?? "") \(child.value)\n"
                mirrors.append(Mirror(reflecting: child.value))
            }
        }
        return text
    }

    /// Returns the forms in which a description might show bytes.
    private func forms(_ bytes: [UInt8]) -> [String] {
        let hexadecimal = Hexadecimal.text(bytes)
        return [
            hexadecimal, hexadecimal.uppercased(), Data(bytes).base64EncodedString(),
            bytes.map(String.init).joined(separator: ", "),
            bytes.map { "- \($0)" }.joined(separator: "\n"),
        ].map { String($0.prefix(24)) }
    }

    @Test(
        "is in the description, the dump or the mirror of a public value", arguments: [false, true])
    func values(_ isRSA: Bool) async throws {
        let merchant = try pki.merchant(isRSA ? "two" : "one", isRSA ? .rsa : .ec)
        let testToken = try pki.token(to: merchant)
        let keyring = try KeyFolder.with([merchant]) { try MerchantKeyring(contentsOf: [$0]) }
        let anchor = try TrustAnchor(testRootCertificate: Array(pki.root.certificate.pem.utf8))
        let verifier = try PaymentTokenVerifier(anchor: anchor)
        let token = try PaymentToken(parsing: testToken.json)
        let verified = try verifier.verify(
            token, agePolicy: .received(at: TestPKI.useTime))
        let payment = try verified.open(with: keyring)
        let currency = try #require(payment.currency)
        let order = Order(reference: "order-1", amount: payment.amount, currency: currency)
        let request = try ExampleMerchant(secret: "a passphrase").worldlineDirect.paymentRequest(
            .example(payment, order))
        let ledger = InMemoryLedger()
        try await ledger.claim(payment)
        let diagnosis = KeyDiagnosis(of: verified, keyring: keyring)
        let values: [Any] = [
            token, verified, verified.signature, payment, payment.data, payment.accountNumber,
            payment.expiration, payment.rawPayload, payment.currencyCode, request,
            keyring, keyring.descriptions, verifier, anchor, ledger, diagnosis, order,
            AcceptedPayment(order, try PaymentAttempt(order), payment.token, payment),
            try PaymentTokenDecryptor(keyring: keyring, anchor: anchor), Revocation.none,
            Passphrase(Array("a passphrase".utf8).span), payment.cryptogram as Any,
            payment.eciIndicator as Any,
        ]
        let account = testToken.payload.accountNumber
        var secrets = [account, String(account.dropFirst(6).dropLast(4)), "a passphrase"]
        secrets +=
            forms(testToken.contentKey) + forms(testToken.plaintext) + forms(Array(account.utf8))
        secrets += forms(testToken.signature) + forms(testToken.data) + forms(testToken.keyField)
        let number: [UInt8] =
            switch merchant.credential.key {
            case .ec(let key): key.scalar
            case .rsa(let key): key.prime1
            }
        secrets += forms(number) + forms(Array(number.reversed()))
        if let sharedSecret = testToken.sharedSecret { secrets += forms(sharedSecret) }
        if let cryptogram = testToken.payload.cryptogram { secrets += forms(cryptogram) }
        for value in values {
            let text = shown(value)
            for secret in secrets where text.contains(secret) {
                Issue.record("\(type(of: value)) shows a secret of \(secret.count) characters")
            }
        }
    }

    @Test("is in the description of payment data, except for those that SecretsInMemory.md lists")
    func plainMembers() throws {
        let merchant = try pki.merchant("one")
        let secrets = [
            "cardholderName": "CANARY/JANE", "merchantTokenIdentifier": "CANARY0000000001",
            "emvData": "Y2FuYXJ5IGVtdg==", "encryptedPINData": "c0ffee0123456789",
            "authenticationData": "Y2FuYXJ5IGF1dGg=",
        ]
        let testToken = try pki.token(to: merchant, named: "every member") {
            for name in ["cardholderName", "merchantTokenIdentifier"] {
                $0.payload[name] = .string(secrets[name] ?? "")
            }
            for name in ["emvData", "encryptedPINData"] {
                $0.payload.members["paymentData", name] = .string(secrets[name] ?? "")
            }
            $0.payload["authenticationResponses"] = .array([
                .object([
                    "merchantIdentifier": "a", "transactionAmount": "1",
                    "authenticationData": .string(secrets["authenticationData"] ?? ""),
                ])
            ])
            $0.payload["merchantTokenMetadata"] = .object([
                "cardMetadata": .object(["fpanSuffix": "4321", "cardCountry": .raw("1")]),
                "cardArt": .array([.object(["name": "card"])]),
            ])
        }
        let keyring = try KeyFolder.with([merchant]) { try MerchantKeyring(contentsOf: [$0]) }
        let payment = try PaymentTokenDecryptor(
            keyring: keyring,
            anchor: TrustAnchor(testRootCertificate: Array(pki.root.certificate.pem.utf8))
        ).decrypt(testToken.json, agePolicy: .received(at: TestPKI.useTime))
        let text = shown(payment) + shown(payment.data)
        for secret in Array(secrets.values) + forms(testToken.plaintext) {
            #expect(!text.contains(secret))
        }
        #expect(payment.omittedMembers == ["merchantTokenMetadata.cardMetadata.cardCountry"])

        let plain = Mirror(reflecting: payment.data).children.filter { !isMasked($0.value) }
        let file = TestVectors.directory.deletingLastPathComponent().appending(
            path: "Sources/Core/ApplePayToken/Docs.docc/SecretsInMemory.md")
        let paragraph = try String(contentsOf: file, encoding: .utf8)
            .components(separatedBy: "\n- ")
            .first { $0.hasPrefix("**Not wiped, because they are ordinary members of `Pay") }
        let listed = try #require(paragraph).components(separatedBy: "`").enumerated()
            .compactMap { $0.isMultiple(of: 2) ? nil : $1 }
        #expect(Set(listed) == Set(plain.compactMap(\.label)).union(["PaymentData"]))
    }

    /// Returns whether a value, possibly in an Optional, has one of the types that wipe and mask
    /// their content.
    private func isMasked(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, let child = mirror.children.first {
            return isMasked(child.value)
        }
        return value is SensitiveBytes || value is SensitiveBase64 || value is AccountNumber
    }

    @Test("is in the descriptions of gateways, requests, answers, calls and outcomes")
    func gateways() throws {
        let merchant = try pki.merchant("one")
        let testToken = try pki.token(to: merchant)
        let keyring = try KeyFolder.with([merchant]) { try MerchantKeyring(contentsOf: [$0]) }
        let payment = try PaymentTokenDecryptor(
            keyring: keyring,
            anchor: TrustAnchor(testRootCertificate: Array(pki.root.certificate.pem.utf8))
        ).decrypt(testToken.json, agePolicy: .received(at: TestPKI.useTime))
        let order = Order(
            reference: "order-1", amount: payment.amount,
            currency: try #require(payment.currency))
        let values = try requests(payment, order) + calls(payment, order)
        let account = testToken.payload.accountNumber
        var secrets = [account, "canary", "Y2FuYXJ5", "MzYxOmNhbmFyeQ"]
        secrets += forms(testToken.plaintext) + forms(testToken.data) + forms(testToken.signature)
        if let cryptogram = testToken.payload.cryptogram { secrets += forms(cryptogram) }
        for value in values {
            let text = shown(value)
            for secret in secrets where text.contains(secret) {
                Issue.record("\(type(of: value)) shows \(secret.prefix(8))")
            }
        }
    }

    /// Returns the requests of every gateway, their headers, and the values they are made of; each
    /// secret contains "canary".
    private func requests(_ payment: Payment, _ order: Order) throws -> [Any] {
        let merchant = ExampleMerchant(secret: "canary")
        let input = try PaymentInput.example(payment, order)
        let requests = try ExampleGateway.all.flatMap { gateway in
            try gateway.opened.map { try $0.make(input, merchant) }
                + gateway.encrypted.map {
                    try $0.make(.example(payment.token.parsed, nil, order), merchant)
                }
                + gateway.others(input, merchant)
        }
        let values = try ExampleGateway.all.flatMap { try $0.values(payment, merchant) }
        return requests + requests.flatMap(\.headers) + values
    }

    /// Returns the accounts at every gateway, their calls, and what those read in answers that contain the secret and the
    /// account number.
    private func calls(_ payment: Payment, _ order: Order) throws -> [Any] {
        let merchant = ExampleMerchant(secret: "canary")
        let client = OAuthCredentials.client(id: "c", secret: merchant.secret)
        let gateways: [any PaymentGateway] = [
            merchant.worldlineDirect, merchant.worldlineConnect, merchant.bePaid, merchant.dintero,
            merchant.rbs(.encrypted), merchant.rbs(.decrypted), merchant.rbs(.token),
            merchant.cyberSource, try merchant.checkout(), try merchant.adyen(), merchant.payPal,
            with(merchant.dintero) { $0.credentials = client },
            with(merchant.payPal) { $0.credentials = client },
        ]
        let input = try PaymentInput.example(payment, order)
        let accepted = AcceptedPayment(input.order, input.attempt, payment.token, payment)
        let known = try with(PaymentAttempt(order)) { $0.paymentID = "1" }
        let number = payment.accountNumber.digits.revealText()
        let members =
            #""access_token":"canary","RETURNMAC":"canary","number":"\#(number)","token":"canary""#
        let error = #""error":{"message":"\#(number)"},"message":"\#(number)""#
        let answers = [
            GatewayResponse("{\(members)}"), GatewayResponse("{\(members),\(error)}", status: 402),
            GatewayResponse("canary"),
        ]
        func read<Outcome>(_ call: GatewayCall<Outcome>?) -> [Any] {
            guard let call else { return [] }
            let readings = answers.map { call.read($0) }.filter {
                // Repeats the gateway's message, in an answer to a request without card data.
                if case .notSent = $0 { false } else { true }
            }
            return [call as Any] + readings
        }
        let values = try gateways.flatMap { gateway in
            let report = with(PaymentReport(gateway: gateway.name)) {
                $0.refusal = PaymentReport.Refusal(text: ExactText(number))
            }
            return [gateway as Any, report, OrderOutcome(report: report, attempt: known)]
                + read(try gateway.payment(accepted))
                + read(try? gateway.status(of: known))
                + PaymentOperation.Kind.allCases.flatMap { kind in
                    let operation = with(PaymentOperation(kind, name: "o")) { $0.reason = "r" }
                    return read(try? gateway.perform(operation, on: report, of: known))
                }
        }
        let page = try merchant.worldlineDirect.page(for: input.order, attempt: input.attempt)
        return values + [client as Any, accepted, known] + read(page)
            + read(try merchant.intergiro.addition(of: "1", returnURL: nil))
    }

    @Test("is in the error of any refused vector")
    func errors() throws {
        let keyring = try MerchantKeyring(contentsOf: [TestVectors.keys.path()])
        let decryptor = try PaymentTokenDecryptor(
            keyring: keyring,
            anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: TestVectors.root))))
        var stages: Set<String> = []
        for vector in try TestVectors.syntheticCases() {
            var refusal: PaymentTokenError?
            do throws(PaymentTokenError) {
                _ = try decryptor.decrypt(vector.token, agePolicy: .received(at: vector.now))
            } catch {
                refusal = error
            }
            guard let refusal else { continue }
            stages.insert(refusal.stage.rawValue)
            let text = shown(refusal)
            for secret in vector.sensitive where text.contains(secret) {
                Issue.record("\(vector.id): the error shows an account number")
            }
            // An error names the token: these two members, and nothing else of it.
            let named = [refusal.token?.publicKeyHash, refusal.token?.transactionId]
                .compactMap { $0.map { String($0.prefix(20)) } }
            for piece in pieces(of: vector.token).subtracting(named) where text.contains(piece) {
                Issue.record("\(vector.id): the error shows the token's bytes")
            }
        }
        #expect(stages.count == 10)
    }

    /// Returns the first characters of the token's long strings; an error may contain its short
    /// version string.
    private func pieces(of token: [UInt8]) -> Set<String> {
        let text = String(decoding: token, as: UTF8.self).replacing("\\/", with: "/")
            .replacing("\\\"", with: "\"")
        // Strings that consist only of letters are member names, which errors do contain.
        let strings = text.split(separator: "\"")
            .filter { $0.utf8.count >= 20 && !$0.allSatisfy(\.isLetter) }
        return Set(strings.map { String($0.prefix(20)) })
    }
}
