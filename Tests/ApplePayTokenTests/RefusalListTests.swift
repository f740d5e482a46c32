import ApplePayToken
import Foundation
import TestVectors
import Testing

@Suite("The list of refusals")
struct RefusalListTests {
    @Test("has exactly the stages and codes of the code")
    func complete() throws {
        let codes: [(PaymentTokenError.Stage, [String])] = [
            (.json, JSONError.Code.allCases.map(\.rawValue)),
            (.field, FieldError.Code.allCases.map(\.rawValue)),
            (.cms, CMSError.Code.allCases.map(\.rawValue)),
            (.chain, ChainError.Code.allCases.map(\.rawValue)),
            (.signature, SignatureError.Code.allCases.map(\.rawValue)),
            (.signingTime, SigningTimeError.Code.allCases.map(\.rawValue)),
            (.keySelection, KeySelectionError.Code.allCases.map(\.rawValue)),
            (.keyAgreement, KeyAgreementError.Code.allCases.map(\.rawValue)),
            (.decrypt, DecryptionError.Code.allCases.map(\.rawValue)),
            (.paymentData, PaymentDataError.Code.allCases.map(\.rawValue)),
            (.order, OrderError.Code.allCases.map(\.rawValue)),
            (.replay, ReplayError.Code.allCases.map(\.rawValue)),
            (.gateway, GatewayError.Code.allCases.map(\.rawValue)),
        ]
        let expected = codes.flatMap { stage, codes in
            ["## \(stage.rawValue)"] + codes.map { "`\($0)`" }
        }
        let file = TestVectors.directory.deletingLastPathComponent()
            .appending(path: "Sources/ApplePayToken/Docs.docc/Refusals.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let listed = lines.dropFirst().compactMap { line -> String? in
            if line.hasPrefix("## "), line != "## Overview" { return String(line) }
            return line.hasPrefix("| `") ? String(line.dropFirst(2).prefix { $0 != " " }) : nil
        }
        #expect(listed == expected)
    }
}
