import ApplePayToken
import ApplePayTokenTesting
import Foundation

/// A token in which one part is changed by a byte.
struct EditedToken: Sendable {
    /// A part of a token whose bytes are changed.
    struct Part: Sendable {
        /// Such as `EC_v1 signature`.
        let name: String

        /// Its bytes.
        let bytes: [UInt8]

        /// The text before it, and after it.
        fileprivate let before: [UInt8]
        fileprivate let after: [UInt8]

        fileprivate let encode: @Sendable ([UInt8]) -> [UInt8]

        /// The token's text with other bytes in this part.
        fileprivate func text(_ bytes: [UInt8]) -> [UInt8] { before + encode(bytes) + after }
    }

    /// The parts: the signature, the text of the header, and the decoded members of the header.
    let parts: [Part]

    private let decryptor: PaymentTokenDecryptor
    private let original: PaymentToken
    private let text: [UInt8]

    /// Makes a token with application data, of which every part is read.
    init(_ version: TokenVersion) throws {
        let pki = TestPKI(seed: "every change of one byte")
        let merchant = try pki.merchant("one", version)
        let hash = try pki.bytes("application data", 32)
        let token = try pki.token(to: merchant) { $0.applicationData = hash }
        decryptor = try pki.decryptor(for: merchant)
        original = try PaymentToken(parsing: token.json)
        text = token.json

        func part(
            _ name: String, _ bytes: [UInt8], _ encode: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) throws -> Part {
            let encoded = Data(encode(bytes))
            let text = Data(token.json)
            guard let range = text.range(of: encoded),
                text.range(of: encoded, in: range.upperBound..<text.endIndex) == nil
            else { throw CocoaError(.coderInvalidValue) }
            return Part(
                name: "\(version.rawValue) \(name)", bytes: bytes,
                before: Array(text[..<range.lowerBound]), after: Array(text[range.upperBound...]),
                encode: encode)
        }
        let base64: @Sendable ([UInt8]) -> [UInt8] = { Array(Data($0).base64EncodedData()) }
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal: @Sendable ([UInt8]) -> [UInt8] = { bytes in
            bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        }
        let words = token.text
        guard let name = words.range(of: "\"header\":"),
            let end = words.range(of: "}", range: name.upperBound..<words.endIndex)
        else { throw CocoaError(.coderInvalidValue) }
        parts = [
            try part("signature", token.signature, base64),
            try part("header text", Array(words[name.upperBound..<end.upperBound].utf8)) { $0 },
            try part("key", token.keyField, base64),
            try part("publicKeyHash", token.publicKeyHash, base64),
            try part("transactionId", token.transactionId, hexadecimal),
            try part("applicationData", hash, hexadecimal),
        ]
    }

    /// Counts the outcomes of all changes of a kind, or of every so many of them.
    func tally(_ part: Part, _ kind: SingleByteEdit, step: Int = 1) -> Tally {
        let shares = 64
        let cases = (kind.count(part.bytes.count) + step - 1) / step
        return Tally.inParallel("\(part.name), \(kind.rawValue)", shares: shares) { share, tally in
            for number in stride(from: share, to: cases, by: shares) {
                judge(part.text(kind.applied(number * step, to: part.bytes)), &tally)
            }
        }
    }

    private func judge(_ edited: [UInt8], _ tally: inout Tally) {
        do throws(PaymentTokenError) {
            _ = try decryptor.decrypt(edited, agePolicy: .received(at: TestPKI.useTime))
        } catch {
            return tally.add(error.code.rawValue)
        }
        guard edited != text else { return tally.add("the same text") }
        guard let token = try? PaymentToken(parsing: edited), token.version == original.version,
            token.signedMessage == original.signedMessage, token.signature == original.signature,
            token.publicKeyHash == original.publicKeyHash
        else {
            tally.add("ACCEPTED with other contents")
            return tally.fail("\(String(decoding: edited, as: UTF8.self)) is accepted")
        }
        tally.add(spelling(edited))
    }

    /// Why another text has the same contents.
    private func spelling(_ edited: [UInt8]) -> String {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        if edited.filter({ !blanks.contains($0) }) == text {
            return "accepted, equal: white space in JSON"
        }
        let lower = { (text: [UInt8]) in String(decoding: text, as: UTF8.self).lowercased() }
        if lower(edited) == lower(text) {
            return "accepted, equal: a hexadecimal digit in capitals"
        }
        return "accepted, equal: another spelling"
    }
}
