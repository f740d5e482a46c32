import ApplePayCMS
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import TestVectors

/// The initial inputs: the project's vectors, and inputs that once revealed a fault.
public enum FuzzSeeds {
    /// Returns the seeds of a target.
    public static func of(_ target: FuzzTarget) throws -> [[UInt8]] {
        let found = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Tests/Proofs/Fuzz/Findings/\(target.rawValue)")
        return try vectors(of: target) + files(in: found)
    }

    private static func vectors(of target: FuzzTarget) throws -> [[UInt8]] {
        let cases = try TestVectors.syntheticCases()
        switch target {
        case .envelope:
            return cases.filter { ["json", "field", "wrapper", "valid"].contains($0.group) }
                .map(\.token)
        case .wrappers:
            let tokens = cases.filter { ["json", "field", "valid"].contains($0.group) }
                .map { shortened(String(decoding: $0.token, as: UTF8.self)) }
            let valid = cases.first { $0.id == "valid/ec" }.map(\.token) ?? []
            let forms = wrapped(shortened(String(decoding: valid, as: UTF8.self)))
            return (tokens + forms).map { Array($0.utf8) }
        case .cms:
            return cases.filter { $0.id.hasPrefix("cms/") || $0.id.hasPrefix("valid/") }
                .compactMap { (try? PaymentToken(parsing: $0.token))?.signature }
        case .certificates:
            let signatures = cases.filter { $0.id.hasPrefix("chain/") || $0.id == "valid/ec" }
                .compactMap { try? PaymentToken(parsing: $0.token) }
                .compactMap { try? SignedData(parsing: $0.signature) }
            return signatures.flatMap { signedData in
                signedData.certificates.map { Array(signedData[$0.der]) }
            }
        case .paymentData:
            let pki = TestPKI(seed: "fuzz")
            return [try pki.token().plaintext, try pki.token(.rsa).plaintext]
                + payloads.map { Array($0.utf8) }
        case .keyFiles:
            return try ["accepted", "refused"].flatMap {
                try files(in: TestVectors.keyFiles.appending(path: $0))
            }
        case .answers: return answers.map { Array($0.utf8) }
        case .requests:
            let heads = try files(in: TestVectors.httpHeads).map {
                String(decoding: $0, as: UTF8.self).replacing(/(?i)(content-length): \d+/) {
                    "\($0.output.1): 2"
                }
            }
            return (heads.map { $0 + "{}" } + [heads.joined(separator: "{}")] + requests).map {
                Array($0.utf8)
            }
        case .messages: return try messages()
        }
    }

    /// Returns the messages that vendors publish, and one of each kind that is not signed.
    private static func messages() throws -> [[UInt8]] {
        let names = ["bepaid", "worldline-direct", "worldline-connect", "dintero"]
        let published = try names.enumerated().flatMap { number, name in
            let file = TestVectors.directory.appending(path: "answers/\(name).jsonl")
            let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
            return try lines.compactMap { line -> [UInt8]? in
                let vector = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
                guard vector["step"] as? String == "message" else { return nil }
                let http = vector["http"] as? [String: Any] ?? [:]
                let (method, target) = (http["method"] as? String, http["target"] as? String)
                let body = try vector["body"].map {
                    try JSONSerialization.data(
                        withJSONObject: $0, options: [.fragmentsAllowed, .sortedKeys])
                }
                return Array("\(number)\(method ?? "POST") \(target ?? "/")\n\n".utf8)
                    + (body ?? Data())
            }
        }
        return published
            + [
                "1GET /hook\nX-GCS-Webhooks-Endpoint-Verification: 9f\n\n",
                "1GET /return?RETURNMAC=a%2Fb&hostedCheckoutId=1\n\n",
            ].map { Array($0.utf8) }
    }

    /// Answers of each kind: with a length, in chunks, until the end, without a body, after an interim answer, and refused.
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n01\r\n}\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.0 402 No\r\nContent-Type: application/json\r\n\r\n{}",
        "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "upstream timeout\n",
    ]

    /// Requests with an encoded path, for which one answer is a refusal, and refused at once.
    private static let requests = [
        "GET /v1/payments/%2F%C3%A9+a HTTP/1.1\r\nHost: [::1]:80\r\nPaytoken-Request: true\r\n\r\n",
        "POST / HTTP/1.1\r\nHost:\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\n{}"
            + "GET / HTTP/1.1\r\nHost: a\r\nConnection: a, Close\r\nPaytoken-Request: true\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nPaytoken-Request: true\r\n"
            + "Content-Type: application/json;charset=\"utf-8\"\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]

    /// Returns a token with short data and signature, which the target does not read.
    ///
    /// The fuzzer then tries ten times as many changes of the rest.
    private static func shortened(_ token: String) -> String {
        token.replacing(/"(data|signature)":"[^"]{40,}"/) {
            "\"\($0.output.1)\":\"AAECAwQFBgcICQoLDA0ODw==\""
        }
    }

    /// Returns a token in every form that the wrapper parser accepts.
    private static func wrapped(_ token: String) -> [String] {
        let quoted = "\"" + token.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        let base64 = { (text: String) in Data(text.utf8).base64EncodedString() }
        let payment = #"{"token":{"paymentData":\#(token),"transactionIdentifier":"A"}}"#
        return [
            payment, #"{"payment":\#(payment)}"#, #"{"details":\#(payment)}"#, quoted,
            #"{"paymentData":\#(quoted)}"#, base64(token), base64(base64(quoted)),
            "$begateway_apple_pay_1_0_0$" + base64(#"{"paymentData":\#(token)}"#),
            token.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
        ]
    }

    /// One of each other kind: EMV, several merchants, a merchant token.
    private static let payloads = [
        #"{"applicationPrimaryAccountNumber":"6200000000000005","applicationExpirationDate":"260101","#
            + #""currencyCode":"156","transactionAmount":0,"deviceManufacturerIdentifier":"062010030999","#
            + #""paymentDataType":"EMV","paymentData":{"emvData":"nyYIAQIDBAUGBwg=","encryptedPINData":"0A0B"}}"#,
        #"{"applicationPrimaryAccountNumber":"4000000000000002","applicationExpirationDate":"301231","#
            + #""currencyCode":"36","transactionAmount":1.0,"deviceManufacturerIdentifier":"040010030273","#
            + #""paymentDataType":"3DSecure","paymentData":{},"authenticationResponses":[{"merchantIdentifier":"#
            + #""ab","authenticationData":"AAAA","transactionAmount":"250"}]}"#,
        #"{"applicationPrimaryAccountNumber":"4000000000000002","applicationExpirationDate":"301231","#
            + #""currencyCode":"978","transactionAmount":99,"deviceManufacturerIdentifier":"040010030273","#
            + #""paymentDataType":"3DSecure","paymentData":{"onlinePaymentCryptogram":"AAAA","eciIndicator":"7"},"#
            + #""merchantTokenIdentifier":"DNITHE0","merchantTokenMetadata":{"cardMetadata":{"fpanSuffix":"0002"},"#
            + #""cardArt":[{"name":"a","type":"image/png","url":"https://example.com/a"}]}}"#,
    ]

    private static func files(in folder: URL) throws -> [[UInt8]] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return try names.sorted().map { Array(try Data(contentsOf: folder.appending(path: $0))) }
    }
}
