import ApplePayLedger
import ApplePayPrimitives
import ApplePayToken
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The lines of a batch")
struct BatchPartTests {
    private func line(_ text: String) -> LineReader.Line { .text(Array(text.utf8)) }

    private func refused(_ line: BatchLine) -> Result<BatchAnswer, CommandFailure> {
        .failure(.refused(PaymentTokenError(.tooOld)))
    }

    private func accepted(_ line: BatchLine) -> Result<BatchAnswer, CommandFailure> {
        .success(
            BatchAnswer(answer: .refused(PaymentTokenError(.tooOld), id: nil, message: "")))
    }

    @Test("are counted, and so are those that are refused")
    func counts() {
        let lines = [line("{}"), line("{}"), .tooLong, line("{}")]
        for (hasEnvelopes, answer, refusedCount) in [
            (false, accepted, 1), (false, refused, 4), (true, accepted, 4),
        ] as [(Bool, (BatchLine) -> Result<BatchAnswer, CommandFailure>, Int)] {
            let part = BatchPart(lines, hasEnvelopes: hasEnvelopes) { $0.map(answer) }
            #expect(part.count == 4 && part.refused == refusedCount)
        }
        let unusable = BatchPart([line("x")], hasEnvelopes: false) { lines in
            lines.map { _ in .failure(.usage("wrong")) }
        }
        #expect(unusable.count == 1 && unusable.refused == 1)
    }

    @Test("end the output where a signal ended the work")
    func cutShort() {
        let none = BatchPart([], hasEnvelopes: false) { _ in [] }
        #expect(none.count == 0 && none.refused == 0 && none.write())
        let cut = BatchPart([line("{}"), .tooLong], hasEnvelopes: false) { _ in [] }
        #expect(cut.count == 0 && cut.refused == 0 && !cut.write())
        let half = BatchPart([.tooLong, line("{}"), line("{}")], hasEnvelopes: false) { lines in
            [accepted(lines[0])]
        }
        #expect(half.count == 2 && half.refused == 1)
    }

    @Test("release all their claims when their answers are discarded")
    func discarded() async throws {
        let ledger = InMemoryLedger()
        let location = try LedgerLocation("claims")
        let requests = try (0..<3).map { number in
            ClaimRequest(
                transaction: try #require(
                    TransactionIdentifier(hexadecimal: String(repeating: "\(number)", count: 64))),
                signingTime: Date(), window: 300, isExpiring: false)
        }
        let claims = try await ledger.claim(requests).map { try $0.get() }
        #expect(await ledger.openClaims(limit: 9).count == 3)
        let part = BatchPart(claims.map { _ in line("{}") }, hasEnvelopes: false) { lines in
            zip(lines, claims).map { _, claim in
                let claim = UnwrittenClaim(claim, in: ledger, at: location)
                return .success(
                    BatchAnswer(
                        answer: .refused(PaymentTokenError(.tooOld), id: nil, message: ""),
                        claim: claim))
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                part.discard()
                continuation.resume()
            }
        }
        #expect(await ledger.openClaims(limit: 9).isEmpty)
    }

    private func fault(_ text: String) -> String? {
        #expect(throws: CommandFailure.self) { try BatchLine(envelope: Array(text.utf8)) }.map {
            "\($0.lineID.map { String(decoding: $0, as: UTF8.self) } ?? "-") \($0.message)"
        }
    }

    @Test("are envelopes with each member in its place, or tokens")
    func envelope() throws {
        let text =
            #"{"reference":"r\n","order":{"amount":7,"currency":"EUR"},"id":"i\u0041","token":{"a": [1]},"#
            + #""at":"2026-03-01T12:00:00Z"}"#
        let line = try BatchLine(envelope: Array(text.utf8))
        #expect(String(decoding: line.token, as: UTF8.self) == #"{"a": [1]}"#)
        #expect(line.id == Array(#""i\u0041""#.utf8) && line.reference == "r\n")
        #expect(line.receipt == .received(at: Date(timeIntervalSince1970: 1_772_366_400)))
        let euro = try #require(Currency(alphabetic: "EUR"))
        #expect(line.order == Order(reference: "", amount: 7, currency: euro))
        let bare = try BatchLine(envelope: Array(#"{"id":-1.5e3,"token":"{\"\u0061\":1}"}"#.utf8))
        #expect(bare.token == Array(#"{"a":1}"#.utf8) && bare.id == Array("-1.5e3".utf8))
        #expect(bare.receipt == nil && bare.order == nil && bare.reference == nil)
        let token = BatchLine(token: Array(text.utf8))
        #expect(token.token == Array(text.utf8) && token.id == nil && token.receipt == nil)
    }

    @Test("are envelopes whose tokens have a depth of at most 16")
    func depth() throws {
        for (depth, isRead) in [(16, true), (17, false)] {
            let inner =
                String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            let text = Array(#"{"token":{"a":\#(inner)}}"#.utf8)
            #expect(((try? BatchLine(envelope: text)) != nil) == isRead)
        }
    }

    @Test("are refused with their identifier and the member at fault")
    func faults() {
        let name = String(repeating: "n", count: 64)
        for (text, sentence) in [
            ("[]", "- The line is not an envelope. It is not a JSON object."),
            (#"{"id":true,"token":{}}"#, "- The envelope's id must be a string or a number."),
            (
                #"{"token":{},"id":1,"at":1}"#,
                "1 The envelope's at must be a time such as 2026-03-01T12:00:00Z."
            ),
            (
                #"{"id":2,"token":[]}"#,
                "2 The envelope's token must be the token as an object, or a string with its text."
            ),
            (
                #"{"id":"3"}"#,
                #""3" The envelope's token is missing; it must be the token or a string with its text."#
            ),
            (#"{"id":4,"order":1}"#, "4 The envelope's order must be an object."),
            (
                #"{"id":5,"order":{"amount":1}}"#,
                "5 The envelope's order.currency is missing: the currency, a code of ISO 4217."
            ),
            (
                #"{"id":5,"order":{"tip":1}}"#,
                "5 The envelope's order.tip is unknown; order can have reference, amount, currency, applicationData, "
                    + "merchants, zeroAmount, description, language, returnURL, notificationURL, customerReference, "
                    + "storedCards, fee, customer, customerIP, shipping, items."
            ),
            (#"{"id":6,"reference":1}"#, "6 The envelope's reference must be a string."),
            (
                #"{"id":7,"\#(name)m":1}"#,
                "7 The envelope's \(name) is unknown: an envelope has token, and may have id, at, order and reference; "
                    + "if the lines are tokens, leave out --envelopes."
            ),
        ] { #expect(fault(text) == sentence) }
    }
}
