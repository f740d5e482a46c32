import ApplePayLedger
import ApplePayWire
import Foundation
import TestVectors
import Testing

@Suite("The record of an attempt")
struct AttemptRecordTests {
    private let time = LedgerFixture.signingTime

    private func record() throws -> AttemptRecord {
        try LedgerFixture.attempt(
            "order", 1, seconds: 0.75, sessionID: "page", contents: #"{"text":"4111"}"#
        ).record
    }

    @Test("begins as claimed and open, with a random serial and version, and full seconds")
    func beginning() throws {
        let record = try record()
        let expected = AttemptRecord(
            serial: record.serial, version: record.version, reference: "order",
            account: LedgerFixture.account, beginning: time, change: time, state: .claimed,
            listing: .open, paymentID: nil, sessionID: "page", question: nil,
            contents: #"{"text":"4111"}"#)
        #expect(record == expected)
        let other = try self.record()
        let texts = [record.serial, record.version, other.serial, other.version]
        #expect(Set(texts).count == 4)
        for text in texts {
            #expect(text.utf8.count == 32)
            #expect(text.utf8.allSatisfy("0123456789abcdef".utf8.contains))
        }
    }

    @Test("has a successor that differs in its version and its time alone")
    func successor() throws {
        let record = try record()
        let next = record.next(at: time + 7.5)
        #expect(next.version != record.version)
        let expected = AttemptRecord(
            serial: record.serial, version: next.version, reference: record.reference,
            account: record.account, beginning: record.beginning, change: time + 7,
            state: record.state, listing: record.listing, paymentID: record.paymentID,
            sessionID: record.sessionID, question: record.question, contents: record.contents)
        #expect(next == expected)
    }

    @Test("is live unless it ended without a payment")
    func live() {
        #expect(
            AttemptRecord.State.allCases.filter(\.isLive) == [.claimed, .sending, .open, .paid])
    }

    @Test("has a description and a mirror without the gateway's text")
    func description() throws {
        let record = try record()
        #expect("\(record)" == "AttemptRecord(order, claimed)")
        var dumped = ""
        dump(record, to: &dumped)
        #expect(!dumped.contains("4111"))
    }
}
