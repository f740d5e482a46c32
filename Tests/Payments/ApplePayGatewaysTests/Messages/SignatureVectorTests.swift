import ApplePayAcceptance
import ApplePayGateways
import Foundation
import TestVectors
import Testing

/// A published message with its signature: a line of TestVectors/answers/signatures.jsonl.
struct SignatureVector: Decodable, Sendable, CustomTestStringConvertible {
    let id, gateway, secret: String
    let account: String?
    /// The identifier of Worldline's key; nil for that of its documentation.
    let key: String?
    let receivedAt: Double?
    let http: AnswerVector.HTTP
    let body: String
    let valid: Bool

    var testDescription: String { id }

    static let all: [SignatureVector] = {
        let file = TestVectors.directory.appending(path: "answers/signatures.jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Self.self, from: Data($0.utf8))
        }
    }()

    var message: GatewayMessage {
        GatewayMessage(
            method: http.method ?? "", target: http.target ?? "", headers: http.pairs,
            body: Array(body.utf8))
    }

    /// The account that knows the secret.
    var merchant: any PaymentGateway {
        guard gateway != "dintero" else {
            return SignedMessage.dinteroAccount(account ?? "", secret: secret)
        }
        let members = try? JSONDecoder().decode([String: JSONTree].self, from: Data(body.utf8))
        guard case .string(let id) = members?["merchantId"] else {
            return SignedMessage.worldlineAccount(gateway)
        }
        return SignedMessage.worldlineAccount(
            gateway, merchantID: id, keys: ["other": "x", key ?? "dummy-key-id": secret])
    }
}

@Suite("A published signature")
struct SignatureVectorTests {
    @Test("is verified, and refused over an altered message", arguments: SignatureVector.all)
    func verification(_ vector: SignatureVector) throws {
        let time =
            vector.receivedAt.map(Date.init(timeIntervalSince1970:)) ?? SignedMessage.time
        var code: PaymentError.Code?
        do throws(PaymentError) {
            let contents = try vector.merchant.read(vector.message, receivedAt: time)
            #expect(contents.event != nil)
        } catch {
            code = error.code
        }
        // The callback on Dintero's page names no transaction, which is checked after the signature.
        let isCallback = vector.gateway == "dintero"
        #expect(code == (vector.valid ? (isCallback ? .missingMember : nil) : .wrongSignature))
    }

    @Test("is published by three gateways")
    func count() {
        #expect(SignatureVector.all.count == 12)
        #expect(SignatureVector.all.count(where: \.valid) == 6)
        #expect(Set(SignatureVector.all.map(\.gateway)).count == 3)
    }
}
