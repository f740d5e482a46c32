import ApplePayAcceptance
import ApplePayLedger
import Foundation
import TestVectors
import Testing

@Suite("Every ledger of attempts")
struct AttemptLedgerTests {
    typealias Fixture = LedgerFixture

    private static let endings: [AttemptRecord.State] = [.refused, .returned, .released, .givenUp]

    @Test("stores all members of an attempt", arguments: Fixture.Kind.allCases)
    func members(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let attempt = try Fixture.attempt(
            "Bestellung 'ä' 1", 1, seconds: 0.75,
            account: AttemptAccount(gateway: "a'b", identifier: "Händler \"1\"", mode: .live),
            sessionID: "Seite 'ä'", contents: #"{"amount":"10 €"}"#)
        let record = attempt.record
        #expect(try await ledger.attempts(of: record.reference).isEmpty)
        #expect(try await ledger.begin(record, claiming: attempt.request, after: nil))
        #expect(try await ledger.attempts(of: record.reference) == [record])
        #expect(record.beginning == Fixture.signingTime)
        #expect(record.state == .claimed && record.listing == .open)
        let next = try await Fixture.replace(record, in: ledger) { next in
            next.state = .refused
            next.listing = .first
            next.paymentID = "ID 'ä'"
            next.sessionID = "Seite 'ö'"
            next.question = Fixture.signingTime + 60
            next.contents = #"{"amount":"10 €","text":"ä"}"#
        }
        #expect(next.change == Fixture.signingTime + 1)
        let again = try await fixture.another()
        #expect(try await again.attempts(of: record.reference) == [next])
        let last = try await Fixture.replace(next, in: again) { next in
            next.listing = .none
            next.paymentID = nil
            next.sessionID = nil
            next.question = nil
        }
        #expect(try await ledger.attempts(of: record.reference) == [last])
        #expect(try await ledger.attempts(of: "Bestellung").isEmpty)
        #expect(try await ledger.attemptsMayBeMissingBefore == nil)
    }

    @Test(
        "stores each kind of account and listing, and members that are set from the beginning",
        arguments: Fixture.Kind.allCases, AttemptAccount.Mode.allCases)
    func kinds(_ kind: Fixture.Kind, _ mode: AttemptAccount.Mode) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let time = Fixture.signingTime
        for listing in AttemptRecord.Listing.allCases {
            let record = AttemptRecord(
                serial: Claim.newSerial(), version: Claim.newSerial(), reference: "\(listing)",
                account: AttemptAccount(gateway: "paytrail", identifier: "", mode: mode),
                beginning: time - 7, change: time + 8, state: .open, listing: listing,
                paymentID: "payment", sessionID: "session", question: time + 9, contents: "")
            #expect(try await fixture.ledger.begin(record, claiming: nil, after: nil))
            let again = try await fixture.another()
            #expect(try await again.attempts(of: "\(listing)") == [record])
        }
    }

    @Test("begins one attempt to pay an order, with its claim", arguments: Fixture.Kind.allCases)
    func once(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        #expect(first.claim.serial == first.record.serial)
        let second = try Fixture.attempt("order", 2)
        for last in [nil, first.record] {
            #expect(
                try await !ledger.begin(second.record, claiming: second.request, after: last))
        }
        #expect(try await ledger.attempts(of: "order") == [first.record])
        #expect(try await ledger.record(of: second.transaction) == nil)
        _ = try await Fixture.begin("another", 2, in: ledger)
    }

    @Test(
        "begins another attempt only after one that ended without a payment",
        arguments: Fixture.Kind.allCases, AttemptRecord.State.allCases)
    func again(_ kind: Fixture.Kind, _ state: AttemptRecord.State) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger).record
        let ended = try await Fixture.replace(first, in: ledger) { $0.state = state }
        let second = try Fixture.attempt("order", 2)
        // The version of `first` is no longer that of the record, and the order has an attempt.
        for last in [nil, first] {
            #expect(
                try await !ledger.begin(second.record, claiming: second.request, after: last))
        }
        let mayBegin = Self.endings.contains(state)
        #expect(
            try await ledger.begin(second.record, claiming: second.request, after: ended)
                == mayBegin)
        #expect(
            try await ledger.attempts(of: "order") == (mayBegin ? [ended, second.record] : [ended]))
        #expect(
            try await ledger.record(of: second.transaction) == (mayBegin ? second.claim : nil))
    }

    @Test(
        "stores an attempt without a token, by the same rule: an order has one that can be paid",
        arguments: Fixture.Kind.allCases, AttemptRecord.State.allCases)
    func withoutToken(_ kind: Fixture.Kind, _ state: AttemptRecord.State) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try Fixture.attempt("order", 1, sessionID: "page")
        #expect(try await ledger.begin(first.record, claiming: nil, after: nil))
        #expect(try await ledger.attempts(of: "order") == [first.record])
        #expect(try await ledger.record(of: first.transaction) == nil)
        let (page, token) = (try Fixture.attempt("order", 2), try Fixture.attempt("order", 3))
        func begins(after last: AttemptRecord?) async throws -> [Bool] {
            [
                try await ledger.begin(page.record, claiming: nil, after: last),
                try await ledger.begin(token.record, claiming: token.request, after: last),
            ]
        }
        #expect(try await begins(after: nil) == [false, false])
        #expect(try await begins(after: first.record) == [false, false])
        let ended = try await Fixture.replace(first.record, in: ledger) { $0.state = state }
        // After an ended attempt, the one that begins first is the order's only one.
        let mayBegin = Self.endings.contains(state)
        #expect(try await begins(after: ended) == [mayBegin, false])
        #expect(
            try await ledger.attempts(of: "order") == (mayBegin ? [ended, page.record] : [ended]))
        #expect(try await ledger.record(of: token.transaction) == nil)
        // Its token, if it has one later, is not claimed.
        _ = try await ledger.claim(first.request)
    }

    @Test(
        "begins no attempt after one of another order, one that is not the last, or one that is missing",
        arguments: Fixture.Kind.allCases)
    func wrongLast(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        func ended(_ reference: String, _ number: Int) async throws -> AttemptRecord {
            let record = try await Fixture.begin(ExactText(reference), number, in: ledger).record
            return try await Fixture.replace(record, in: ledger) { $0.state = .refused }
        }
        let first = try await ended("order", 1)
        _ = try await ended("order", 2)
        let other = try await ended("another", 3)
        let missing = try Fixture.attempt("order", 4).record
        let new = try Fixture.attempt("order", 5)
        for last in [first, other, missing] {
            #expect(try await !ledger.begin(new.record, claiming: new.request, after: last))
            #expect(try await !ledger.begin(new.record, claiming: nil, after: last))
        }
        let unpaid = try Fixture.attempt("unpaid", 5)
        for last in [first, missing] {
            #expect(try await !ledger.begin(unpaid.record, claiming: unpaid.request, after: last))
        }
        #expect(try await ledger.record(of: new.transaction) == nil)
    }

    @Test("distinguishes references by their bytes", arguments: Fixture.Kind.allCases)
    func references(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        // Swift compares the first two texts as equal.
        var number = 0
        for reference in ["\u{E9}", "e\u{301}", "E\u{301}", "e", "e "] {
            number += 1
            let attempt = try Fixture.attempt(ExactText(reference), number)
            #expect(try await ledger.begin(attempt.record, claiming: attempt.request, after: nil))
            #expect(try await ledger.attempts(of: ExactText(reference)) == [attempt.record])
        }
    }

    @Test("does not begin the same attempt twice", arguments: Fixture.Kind.allCases)
    func sameSerial(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        #expect(try await !ledger.begin(first.record, claiming: first.request, after: nil))
        let ended = try await Fixture.replace(
            first.record, in: ledger, freeing: [first.transaction]
        ) { $0.state = .released }
        for request in [first.request, nil] {
            #expect(try await !ledger.begin(first.record, claiming: request, after: ended))
        }
        #expect(try await ledger.attempts(of: "order") == [ended])
        #expect(try await ledger.record(of: first.transaction) == nil)
    }

    @Test(
        "refuses a token of another order, which leaves the order free",
        arguments: Fixture.Kind.allCases)
    func claimedToken(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var first = try await Fixture.begin("order", 1, in: ledger).record
        let second = try Fixture.attempt("another", 1)
        for state in AttemptRecord.State.allCases {
            first = try await Fixture.replace(first, in: ledger) { $0.state = state }
            let beginning = await Fixture.refusal {
                _ = try await ledger.begin(second.record, claiming: second.request, after: nil)
            }
            #expect(beginning == "already-claimed", "\(state)")
            let claiming = await Fixture.refusal { _ = try await ledger.claim(second.request) }
            #expect(claiming == "already-claimed", "\(state)")
        }
        #expect(try await ledger.attempts(of: "another").isEmpty)
        #expect(try await ledger.openAttempts(limit: 9) == [first])
        #expect(try await ledger.record(of: second.transaction)?.serial == first.serial)
        _ = try await Fixture.begin("another", 2, in: ledger)
    }

    @Test(
        "refuses a token that was claimed without an order, and one that is too old",
        arguments: Fixture.Kind.allCases)
    func refusedToken(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let attempt = try Fixture.attempt("order", 1)
        func refusal(_ request: ClaimRequest) async -> String? {
            await Fixture.refusal {
                _ = try await ledger.begin(attempt.record, claiming: request, after: nil)
            }
        }
        let claimed = try Fixture.attempt("order", 2)
        let claim = try await ledger.claim(claimed.request)
        #expect(await refusal(claimed.request) == "already-claimed")
        #expect(try await ledger.record(of: claimed.transaction) == claim)
        let wide = ClaimRequest(
            transaction: attempt.transaction, signingTime: attempt.request.signingTime,
            window: 301, isExpiring: true)
        #expect(await refusal(wide) == "window-too-wide")
        fixture.setAge(601)
        #expect(await refusal(attempt.request) == "too-late")
        #expect(try await ledger.attempts(of: "order").isEmpty)
        #expect(try await ledger.record(of: attempt.transaction) == nil)
        fixture.setAge(600)
        #expect(await refusal(attempt.request) == nil)
        #expect(try await ledger.record(of: attempt.transaction) == attempt.claim)
    }

    @Test(
        "replaces only the version that was read, and frees nothing otherwise",
        arguments: Fixture.Kind.allCases)
    func versions(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let second = try await Fixture.replace(first.record, in: ledger) { $0.state = .sending }
        #expect(second.version != first.record.version)
        var late = first.record.next(at: Fixture.signingTime)
        late.state = .released
        #expect(
            try await !ledger.replace(first.record, with: late, freeing: [first.transaction]))
        let unknown = try Fixture.attempt("order", 1).record
        #expect(
            try await !ledger.replace(
                unknown, with: unknown.next(at: Fixture.signingTime), freeing: [first.transaction]))
        #expect(try await ledger.attempts(of: "order") == [second])
        #expect(try await ledger.record(of: first.transaction) == first.claim)
    }

    @Test(
        "does not let an ended attempt go on while another one can be paid",
        arguments: Fixture.Kind.allCases)
    func twoLive(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let ended = try await Fixture.replace(first.record, in: ledger) { $0.state = .refused }
        let second = try await Fixture.begin("order", 2, in: ledger).record
        for state in AttemptRecord.State.allCases where state.isLive {
            var next = ended.next(at: Fixture.signingTime)
            next.state = state
            #expect(
                try await !ledger.replace(ended, with: next, freeing: [first.transaction]),
                "\(state)")
        }
        #expect(try await ledger.attempts(of: "order") == [ended, second])
        #expect(try await ledger.record(of: first.transaction) == first.claim)
        try await Fixture.replace(second, in: ledger) { $0.state = .givenUp }
        try await Fixture.replace(ended, in: ledger) { $0.state = .open }
    }

    @Test("keeps attempts whose claims were forgotten", arguments: Fixture.Kind.allCases)
    func forgotten(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        fixture.setAge(901)
        #expect(try await ledger.prune() == 1)
        #expect(try await ledger.record(of: first.transaction) == nil)
        let next = try await Fixture.replace(first.record, in: ledger) { $0.state = .sending }
        #expect(try await ledger.attempts(of: "order") == [next])
        #expect(try await ledger.record(of: first.transaction) == nil)
    }

    @Test("forgets old claims when attempts begin", arguments: Fixture.Kind.allCases)
    func forgetting(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var old: [Fixture.Attempt] = []
        for number in 0..<4 {
            old.append(try await Fixture.begin("old \(number)", number, in: ledger))
        }
        fixture.setAge(901)
        for number in 4..<6 {
            let attempt = try Fixture.attempt("order \(number)", number)
            let lasting = ClaimRequest(
                transaction: attempt.transaction, signingTime: attempt.request.signingTime,
                window: 300, isExpiring: false)
            #expect(try await ledger.begin(attempt.record, claiming: lasting, after: nil))
            #expect(
                try await ledger.record(of: attempt.transaction)
                    == Claim(lasting, serial: attempt.record.serial))
        }
        for attempt in old {
            #expect(try await ledger.record(of: attempt.transaction) == nil)
            #expect(try await ledger.attempts(of: attempt.record.reference) == [attempt.record])
        }
    }

    @Test("does not begin an attempt for a cancelled task", arguments: Fixture.Kind.allCases)
    func cancelled(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let attempt = try Fixture.attempt("order", 1)
        for request in [attempt.request, nil] {
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await ledger.begin(attempt.record, claiming: request, after: nil)
            }
            let error = await #expect(throws: LedgerError.self) { _ = try await task.value }
            #expect(error?.code == .ledgerUnavailable)
        }
        #expect(try await ledger.attempts(of: "order").isEmpty)
        #expect(try await ledger.record(of: attempt.transaction) == nil)
        // A request that may have been sent is recorded nevertheless.
        let first = try await Fixture.begin("order", 1, in: ledger).record
        let replacing = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await Fixture.replace(first, in: ledger) { $0.state = .sending }
        }
        #expect(try await replacing.value.state == .sending)
        #expect(try await ledger.attempts(of: "order").first?.state == .sending)
    }
}
