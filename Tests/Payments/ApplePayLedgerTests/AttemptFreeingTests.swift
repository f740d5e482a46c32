import ApplePayLedger
import Foundation
import TestVectors
import Testing

@Suite("The transactions that attempts free, in every ledger")
struct AttemptFreeingTests {
    typealias Fixture = LedgerFixture

    @Test(
        "frees order and transaction when an attempt is released", arguments: Fixture.Kind.allCases)
    func released(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let released = try await Fixture.replace(
            first.record, in: ledger, freeing: [first.transaction]
        ) { $0.state = .released }
        #expect(try await ledger.record(of: first.transaction) == nil)
        let other = try await Fixture.begin("another", 1, in: ledger)
        let second = try await Fixture.begin("order", 2, in: ledger)
        #expect(try await ledger.attempts(of: "order") == [released, second.record])
        // The claim is now another order's, so the released attempt no longer changes it.
        try await Fixture.replace(released, in: ledger, freeing: [first.transaction]) {
            $0.state = .givenUp
        }
        #expect(try await ledger.record(of: first.transaction) == other.claim)
    }

    @Test(
        "frees of the given transactions only those that the attempt claimed",
        arguments: Fixture.Kind.allCases)
    func freed(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let other = try await Fixture.begin("another", 2, in: ledger)
        let single = try Fixture.attempt("nothing", 3)
        let claim = try await ledger.claim(single.request)
        let unclaimed = try Fixture.attempt("nothing", 4)
        let foreign = [other.transaction, single.transaction, unclaimed.transaction]
        let next = try await Fixture.replace(first.record, in: ledger, freeing: foreign) {
            $0.state = .released
        }
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        // The state makes no difference.
        try await Fixture.replace(next, in: ledger, freeing: foreign + [first.transaction]) {
            $0.state = .open
        }
        #expect(try await ledger.record(of: first.transaction) == nil)
        #expect(try await ledger.record(of: other.transaction) == other.claim)
        #expect(try await ledger.record(of: single.transaction) == claim)
        #expect(try await ledger.record(of: unclaimed.transaction) == nil)
        #expect(try await ledger.attempts(of: "another") == [other.record])
        // It is free in every respect: for a claim without an order, too.
        _ = try await ledger.claim(first.request)
    }

    @Test(
        "does not free a transaction because of its attempt's state alone",
        arguments: Fixture.Kind.allCases, AttemptRecord.State.allCases)
    func stateAlone(_ kind: Fixture.Kind, _ state: AttemptRecord.State) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let next = try await Fixture.replace(first.record, in: ledger) { $0.state = state }
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(first.request) }
                == "already-claimed")
        #expect(try await ledger.attempts(of: "order") == [next])
    }

    @Test(
        "keeps a claim whose transaction was freed before", arguments: Fixture.Kind.allCases)
    func claimAfterRelease(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        try await Fixture.replace(first.record, in: ledger, freeing: [first.transaction]) {
            $0.state = .released
        }
        let lasting = ClaimRequest(
            transaction: first.transaction, signingTime: Fixture.signingTime, window: 300,
            isExpiring: false)
        let claim = try await ledger.claim(lasting)
        fixture.setAge(901 + 60)
        #expect(try await ledger.prune() == 0)
        #expect(try await ledger.record(of: first.transaction) == claim)
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(lasting) } == "already-claimed")
    }
}
