import ApplePayLedger
import ApplePayToken
import Foundation
import Testing

@Suite("Every ledger of attempts")
struct AttemptLedgerTests {
    typealias Fixture = LedgerFixture

    private static let endings = AttemptRecord.State.allCases.filter { !$0.isLive }

    @Test("stores all members of an attempt", arguments: Fixture.Kind.allCases)
    func members(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (record, request) = try Fixture.attempt(
            "Bestellung 'ä' 1", 1, seconds: 0.75, contents: #"{"amount":"10 €"}"#)
        #expect(try await ledger.attempts(of: record.reference).isEmpty)
        #expect(try await ledger.begin(record, claiming: request, after: nil))
        #expect(try await ledger.attempts(of: record.reference) == [record])
        #expect(record.beginning == Fixture.signingTime)
        let next = try await Fixture.replace(record, in: ledger) { next in
            next.state = .refused
            next.hasLateCharge = true
            next.paymentID = "ID 'ä'"
            next.question = Fixture.signingTime + 60
            next.contents = #"{"amount":"10 €","text":"ä"}"#
        }
        #expect(next.change == Fixture.signingTime + 1)
        let again = try await fixture.another()
        #expect(try await again.attempts(of: record.reference) == [next])
        let last = try await Fixture.replace(next, in: again) { next in
            next.hasLateCharge = false
            next.paymentID = nil
            next.question = nil
        }
        #expect(try await ledger.attempts(of: record.reference) == [last])
        #expect(try await ledger.attempts(of: "Bestellung").isEmpty)
        #expect(try await ledger.attemptsMayBeMissingBefore == nil)
    }

    @Test("begins one attempt to pay an order, with its claim", arguments: Fixture.Kind.allCases)
    func once(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        #expect(try await ledger.record(of: first.transaction)?.claim == first.claim)
        #expect(try await ledger.record(of: first.transaction)?.state == .claimed)
        let second = try Fixture.attempt("order", 2)
        for last in [nil, first] {
            #expect(
                try await !ledger.begin(second.record, claiming: second.request, after: last))
        }
        #expect(try await ledger.attempts(of: "order") == [first])
        #expect(try await ledger.record(of: second.record.transaction) == nil)
        _ = try await Fixture.begin("another", 2, in: ledger)
    }

    @Test(
        "begins another attempt only after one that ended without a payment",
        arguments: Fixture.Kind.allCases, AttemptRecord.State.allCases)
    func again(_ kind: Fixture.Kind, _ state: AttemptRecord.State) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let ended = try await Fixture.replace(first, in: ledger) { $0.state = state }
        let second = try Fixture.attempt("order", 2)
        // The version of `first` is no longer that of the record, and the order has an attempt.
        for last in [nil, first] {
            #expect(
                try await !ledger.begin(second.record, claiming: second.request, after: last))
        }
        #expect(
            try await ledger.begin(second.record, claiming: second.request, after: ended)
                == Self.endings.contains(state))
        #expect(
            try await ledger.attempts(of: "order")
                == (Self.endings.contains(state) ? [ended, second.record] : [ended]))
        #expect(
            try await ledger.record(of: second.record.transaction)?.claim
                == (Self.endings.contains(state) ? second.record.claim : nil))
    }

    @Test(
        "begins no attempt after one of another order, one that is not the last, or one that is missing",
        arguments: Fixture.Kind.allCases)
    func wrongLast(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        func ended(_ reference: String, _ number: Int) async throws -> AttemptRecord {
            let record = try await Fixture.begin(reference, number, in: ledger)
            return try await Fixture.replace(record, in: ledger) { $0.state = .refused }
        }
        let first = try await ended("order", 1)
        _ = try await ended("order", 2)
        let other = try await ended("another", 3)
        let missing = try Fixture.attempt("order", 4).record
        let new = try Fixture.attempt("order", 5)
        for last in [first, other, missing] {
            #expect(try await !ledger.begin(new.record, claiming: new.request, after: last))
        }
        let unpaid = try Fixture.attempt("unpaid", 5)
        for last in [first, missing] {
            #expect(try await !ledger.begin(unpaid.record, claiming: unpaid.request, after: last))
        }
        #expect(try await ledger.record(of: new.record.transaction) == nil)
    }

    @Test("does not begin the same attempt twice", arguments: Fixture.Kind.allCases)
    func sameSerial(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (record, request) = try Fixture.attempt("order", 1)
        #expect(try await ledger.begin(record, claiming: request, after: nil))
        #expect(try await !ledger.begin(record, claiming: request, after: nil))
        let ended = try await Fixture.replace(record, in: ledger) { $0.state = .released }
        #expect(try await !ledger.begin(record, claiming: request, after: ended))
        #expect(try await ledger.attempts(of: "order") == [ended])
        #expect(try await ledger.record(of: record.transaction)?.state == .released)
    }

    @Test(
        "refuses a token of another order, which leaves the order free",
        arguments: Fixture.Kind.allCases)
    func claimedToken(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var first = try await Fixture.begin("order", 1, in: ledger)
        let second = try Fixture.attempt("another", 1)
        func refusal() async -> String? {
            await Fixture.refusal {
                _ = try await ledger.begin(second.record, claiming: second.request, after: nil)
            }
        }
        #expect(await refusal() == "already-claimed")
        #expect(
            await Fixture.refusal { _ = try await ledger.claim(second.request) }
                == "already-claimed")
        first = try await Fixture.replace(first, in: ledger) { $0.state = .sending }
        #expect(await refusal() == "already-confirmed")
        #expect(try await ledger.attempts(of: "another").isEmpty)
        #expect(try await ledger.openAttempts(limit: 9) == [first])
        _ = try await Fixture.begin("another", 2, in: ledger)
    }

    @Test(
        "refuses a token that was claimed without an order, and one that is too old",
        arguments: Fixture.Kind.allCases)
    func refusedToken(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let (record, request) = try Fixture.attempt("order", 1)
        func refusal(_ request: ClaimRequest) async -> String? {
            await Fixture.refusal {
                _ = try await ledger.begin(record, claiming: request, after: nil)
            }
        }
        let claim = try await ledger.claim(request)
        #expect(await refusal(request) == "already-claimed")
        try await ledger.release(claim)
        let wide = ClaimRequest(
            transaction: request.transaction, signingTime: request.signingTime, window: 301,
            isExpiring: true)
        #expect(await refusal(wide) == "window-too-wide")
        fixture.setAge(601)
        #expect(await refusal(request) == "too-late")
        #expect(try await ledger.attempts(of: "order").isEmpty)
        fixture.setAge(600)
        #expect(await refusal(request) == nil)
        #expect(try await ledger.record(of: request.transaction)?.claim == record.claim)
    }

    @Test(
        "frees order and transaction when an attempt is released", arguments: Fixture.Kind.allCases)
    func released(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let released = try await Fixture.replace(first, in: ledger) { $0.state = .released }
        #expect(try await ledger.record(of: first.transaction)?.state == .released)
        let other = try await Fixture.begin("another", 1, in: ledger)
        let second = try await Fixture.begin("order", 2, in: ledger)
        #expect(try await ledger.attempts(of: "order") == [released, second])
        // The claim is now another order's, so the released attempt no longer changes it.
        try await Fixture.replace(released, in: ledger) { $0.state = .givenUp }
        #expect(try await ledger.record(of: first.transaction)?.claim == other.claim)
        #expect(try await ledger.record(of: first.transaction)?.state == .claimed)
    }

    @Test("replaces only the version that was read", arguments: Fixture.Kind.allCases)
    func versions(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let second = try await Fixture.replace(first, in: ledger) { $0.state = .sending }
        #expect(second.version != first.version)
        var late = first.next(at: Fixture.signingTime)
        late.state = .released
        #expect(try await !ledger.replace(first, with: late))
        let unknown = try Fixture.attempt("order", 1).record
        #expect(try await !ledger.replace(unknown, with: unknown.next(at: Fixture.signingTime)))
        #expect(try await ledger.attempts(of: "order") == [second])
        #expect(try await ledger.record(of: first.transaction)?.state == .confirmed)
    }

    @Test(
        "does not let an ended attempt go on while another one can be paid",
        arguments: Fixture.Kind.allCases)
    func twoLive(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let ended = try await Fixture.replace(first, in: ledger) { $0.state = .refused }
        let second = try await Fixture.begin("order", 2, in: ledger)
        for state in AttemptRecord.State.allCases where state.isLive {
            var next = ended.next(at: Fixture.signingTime)
            next.state = state
            #expect(try await !ledger.replace(ended, with: next), "\(state)")
        }
        #expect(try await ledger.attempts(of: "order") == [ended, second])
        try await Fixture.replace(second, in: ledger) { $0.state = .givenUp }
        try await Fixture.replace(ended, in: ledger) { $0.state = .open }
    }

    @Test(
        "gives a claim the state that follows from its attempt, and lets nobody else change it",
        arguments: Fixture.Kind.allCases, AttemptRecord.State.allCases)
    func claimStates(_ kind: Fixture.Kind, _ state: AttemptRecord.State) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        let next = try await Fixture.replace(first, in: ledger) { $0.state = state }
        for change in [ledger.confirm, ledger.release] {
            let error = await #expect(throws: LedgerError.self) { try await change(first.claim) }
            #expect(error == .ofAttempt)
        }
        let record = try await ledger.record(of: first.transaction)
        #expect(record?.claim == first.claim)
        #expect(record?.state == state.claim)
        #expect(try await ledger.attempts(of: "order") == [next])
    }

    @Test("keeps attempts whose claims were forgotten", arguments: Fixture.Kind.allCases)
    func forgotten(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let first = try await Fixture.begin("order", 1, in: ledger)
        fixture.setAge(901 + 60)
        #expect(try await ledger.prune() == 1)
        #expect(try await ledger.record(of: first.transaction) == nil)
        let next = try await Fixture.replace(first, in: ledger) { $0.state = .sending }
        #expect(try await ledger.attempts(of: "order") == [next])
        #expect(try await ledger.record(of: first.transaction) == nil)
    }

    @Test("forgets old claims when attempts begin", arguments: Fixture.Kind.allCases)
    func forgetting(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        var old: [AttemptRecord] = []
        for number in 0..<4 {
            old.append(try await Fixture.begin("old \(number)", number, in: ledger))
        }
        fixture.setAge(901 + 60)
        for number in 4..<6 {
            let (record, request) = try Fixture.attempt("order \(number)", number)
            let lasting = ClaimRequest(
                transaction: request.transaction, signingTime: request.signingTime, window: 300,
                isExpiring: false)
            #expect(try await ledger.begin(record, claiming: lasting, after: nil))
            #expect(try await ledger.record(of: record.transaction)?.claim == record.claim)
        }
        for record in old {
            #expect(try await ledger.record(of: record.transaction) == nil)
            #expect(try await ledger.attempts(of: record.reference) == [record])
        }
    }

    @Test(
        "lets exactly one of many tasks begin an attempt to pay an order",
        arguments: Fixture.Kind.allCases)
    func race(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        var last: AttemptRecord?
        for round in 0..<8 {
            let (order, lastOfOrder) = ("order \(round / 2)", round % 2 == 0 ? nil : last)
            let winners = try await withThrowingTaskGroup(of: AttemptRecord?.self) { group in
                for number in 0..<64 {
                    let ledger = ledgers[number % 2]
                    let attempt = try Fixture.attempt(order, round * 64 + number)
                    group.addTask {
                        try await ledger.begin(
                            attempt.record, claiming: attempt.request, after: lastOfOrder)
                            ? attempt.record : nil
                    }
                }
                return try await group.reduce(into: [AttemptRecord]()) { winners, winner in
                    winner.map { winners.append($0) }
                }
            }
            #expect(winners.count == 1)
            let winner = try #require(winners.first)
            #expect(try await ledgers[1].attempts(of: order).last == winner)
            let claims = try await ledgers[0].openClaims(limit: 999)
            #expect(claims.map(\.claim) == [winner.claim])
            last = try await Fixture.replace(winner, in: ledgers[round % 2]) { $0.state = .refused }
        }
    }

    @Test(
        "lets exactly one of many tasks replace a version, and one order claim a token",
        arguments: Fixture.Kind.allCases)
    func races(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledgers = [fixture.ledger, try await fixture.another()]
        let begun = await withTaskGroup(of: AttemptRecord?.self) { group in
            for number in 0..<64 {
                let ledger = ledgers[number % 2]
                group.addTask {
                    guard let attempt = try? Fixture.attempt("order \(number)", 1),
                        (try? await ledger.begin(
                            attempt.record, claiming: attempt.request, after: nil)) == true
                    else { return nil }
                    return attempt.record
                }
            }
            return await group.reduce(into: [AttemptRecord]()) { begun, record in
                record.map { begun.append($0) }
            }
        }
        #expect(begun.count == 1)
        let record = try #require(begun.first)
        #expect(try await ledgers[0].openAttempts(limit: 99) == [record])
        let versions = try await withThrowingTaskGroup(of: AttemptRecord?.self) { group in
            for number in 0..<64 {
                let ledger = ledgers[number % 2]
                group.addTask {
                    var next = record.next(at: Fixture.signingTime)
                    next.state = number % 3 == 0 ? .released : .sending
                    return try await ledger.replace(record, with: next) ? next : nil
                }
            }
            return try await group.reduce(into: [AttemptRecord]()) { versions, version in
                version.map { versions.append($0) }
            }
        }
        #expect(versions.count == 1)
        #expect(try await ledgers[1].attempts(of: record.reference) == versions)
        #expect(
            try await ledgers[0].record(of: record.transaction)?.state
                == versions.first?.state.claim)
    }

    @Test("does not begin an attempt for a cancelled task", arguments: Fixture.Kind.allCases)
    func cancelled(_ kind: Fixture.Kind) async throws {
        let fixture = try await Fixture(kind)
        defer { fixture.remove() }
        let ledger = fixture.ledger
        let attempt = try Fixture.attempt("order", 1)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await ledger.begin(attempt.record, claiming: attempt.request, after: nil)
        }
        let error = await #expect(throws: LedgerError.self) { _ = try await task.value }
        #expect(error?.code == .ledgerUnavailable)
        #expect(try await ledger.attempts(of: "order").isEmpty)
        // A request that may have been sent is recorded nevertheless.
        let record = try await Fixture.begin("order", 1, in: ledger)
        let replacing = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await Fixture.replace(record, in: ledger) { $0.state = .sending }
        }
        #expect(try await replacing.value.state == .sending)
        #expect(try await ledger.attempts(of: "order").first?.state == .sending)
    }
}
