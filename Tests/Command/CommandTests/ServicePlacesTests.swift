import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The places of the service")
struct ServicePlacesTests {
    private let places = ServicePlaces(requests: 300)

    private func take(_ socket: UnixSocket, of user: UInt32, isOperator: Bool = false) -> Int? {
        places.take(socket, of: user, isOperator: isOperator)
    }

    /// Takes places for a user, and returns their numbers.
    private func take(
        _ count: Int, of user: UInt32, isOperator: Bool = false
    ) throws -> [Int] {
        // One socket is enough for places that no connection uses.
        let socket = try UnixSocket.pair().0
        return try (0..<count).map { _ in
            try #require(take(socket, of: user, isOperator: isOperator))
        }
    }

    /// Begins to handle the request of a connection that still has its place.
    private func begin(_ number: Int) { #expect(places.begin(number)) }

    /// Takes places for a user who sends requests, and returns their numbers.
    private func open(_ count: Int, of user: UInt32) throws -> [Int] {
        let taken = try take(count, of: user)
        #expect(taken.allSatisfy(places.work))
        return taken
    }

    /// Returns how many of several connections still have their places.
    private func kept(_ numbers: [Int]) -> Int { numbers.count(where: places.work) }

    @Test("are at most 128 for a user")
    func perUser() throws {
        let taken = try take(128, of: 1)
        #expect(Set(taken).count == 128)
        taken.forEach(begin)
        let (socket, _) = try UnixSocket.pair()
        #expect(take(socket, of: 1) == nil)
        #expect(take(socket, of: 2) != nil)
        places.leave(taken[0])
        #expect(take(socket, of: 1) != nil)
        #expect(take(socket, of: 1) != nil, "the last one is idle")
    }

    @Test("are at most 256 in all")
    func inAll() throws {
        let taken = try take(128, of: 1) + take(128, of: 2)
        taken.forEach(begin)
        let (socket, _) = try UnixSocket.pair()
        #expect(take(socket, of: 3) == nil)
        places.leave(taken[200])
        #expect(take(socket, of: 3) != nil)
    }

    @Test("are taken from the connection that has been idle for the longest time, if all are taken")
    func eviction() throws {
        let (first, firstClient) = try UnixSocket.pair()
        let (second, secondClient) = try UnixSocket.pair()
        let one = try #require(take(first, of: 1))
        let two = try #require(take(second, of: 1))
        try take(126, of: 1).forEach(begin)
        // The first one had a request, and is idle only since then.
        begin(one)
        places.end(one)
        places.rest(one)
        let (socket, _) = try UnixSocket.pair()
        let three = try #require(take(socket, of: 1))
        #expect(secondClient.hasEnded && !firstClient.hasEnded)
        #expect(!places.work(two), "a request that had arrived is not carried out")
        begin(three)
        #expect(take(socket, of: 1) != nil)
        #expect(firstClient.hasEnded)
        // That an evicted connection leaves frees no other place.
        places.leave(two)
        #expect(take(socket, of: 1).map(places.begin) == true)
        #expect(take(socket, of: 1) == nil)
    }

    @Test("are taken from the same user if that user has too many, and otherwise from any user")
    func evictedUser() throws {
        let (other, otherClient) = try UnixSocket.pair()
        _ = try #require(take(other, of: 2))
        let (own, ownClient) = try UnixSocket.pair()
        _ = try #require(take(own, of: 1))
        try take(127, of: 1).forEach(begin)
        let (socket, _) = try UnixSocket.pair()
        try begin(#require(take(socket, of: 1)))
        #expect(ownClient.hasEnded && !otherClient.hasEnded)
        try take(127, of: 2).forEach(begin)
        #expect(take(socket, of: 3) != nil)
        #expect(otherClient.hasEnded)
    }

    @Test("are 8 more for operators, whose idle connections end for no other client")
    func reserve() throws {
        let (idle, idleClient) = try UnixSocket.pair()
        _ = try #require(take(idle, of: 9, isOperator: true))
        let taken = try take(128, of: 1) + take(127, of: 2)
        taken.forEach(begin)
        let (socket, _) = try UnixSocket.pair()
        #expect(take(socket, of: 3) == nil)
        #expect(!idleClient.hasEnded)
        try take(8, of: 8, isOperator: true).forEach(begin)
        // All places are taken; another operator gets that of the first one.
        try begin(#require(take(socket, of: 8, isOperator: true)))
        #expect(idleClient.hasEnded)
        #expect(take(socket, of: 8, isOperator: true) == nil)
        // Other clients get a place if at most 255 are taken, including those of operators.
        taken[..<8].forEach(places.leave)
        #expect(take(socket, of: 1) == nil)
        places.leave(taken[8])
        #expect(take(socket, of: 1) != nil)
    }

    @Test("are taken from the users who have most of them, also in the middle of a request")
    func fair() throws {
        let (one, two) = try (open(128, of: 1), open(128, of: 2))
        let three = try open(86, of: 3)
        #expect([kept(one), kept(two), kept(three)] == [85, 85, 86])
        // The user who has most gets another one in place of an own one, and the two others none of that user's.
        let more = try open(1, of: 3)
        #expect([kept(one), kept(two), kept(three + more)] == [85, 85, 86])
        _ = try open(1, of: 4)
        #expect([kept(one), kept(two), kept(three + more)] == [85, 85, 85])
    }

    @Test("are never taken from a connection whose request is handled")
    func handled() throws {
        let (one, two) = try (open(128, of: 1), open(128, of: 2))
        (one.dropLast() + two).forEach(begin)
        let three = try open(1, of: 3)
        #expect(!places.work(one[127]))
        begin(three[0])
        let (socket, _) = try UnixSocket.pair()
        #expect(take(socket, of: 3) == nil)
        // Its answer may be one that the client does not read.
        places.end(two[5])
        #expect(take(socket, of: 3) != nil)
        #expect(!places.work(two[5]))
    }

    @Test("have 32 MiB for bodies, of which no user keeps more than another one leaves")
    func bodies() throws {
        let length = 1 << 20
        let (one, two) = try (open(20, of: 1), open(20, of: 2))
        for number in one.prefix(16) + two.prefix(16) {
            #expect(places.takeBytes(length, for: number))
        }
        #expect([kept(one), kept(two)] == [20, 20])
        // A user who has most gets more in place of an own body.
        #expect(places.takeBytes(length, for: one[16]))
        #expect([kept(one), kept(two)] == [19, 20])
        let three = try open(2, of: 3)
        #expect(places.takeBytes(1, for: three[0]))
        #expect(kept(one) + kept(two) == 38 && kept(three) == 2)
        // A body that was received, and is handled, does not count.
        two.suffix(10).forEach(begin)
        #expect(places.takeBytes(length, for: three[1]))
        #expect(kept(one) == 18 && kept(three) == 2)
    }

    @Test("take memory from the longest body of a user")
    func longestBody() throws {
        let one = try open(34, of: 1)
        for number in one.prefix(33) {
            #expect(places.takeBytes(number == one[5] ? 1 << 20 : 31 << 15, for: number))
        }
        #expect(kept(one) == 34)
        #expect(places.takeBytes(1 << 20, for: one[33]))
        #expect(kept(one) == 33 && !places.work(one[5]))
    }

    @Test("have no memory for a body that is longer than what any other user has")
    func longBody() throws {
        let numbers = try (1...32).flatMap { try open(1, of: $0) }
        for number in numbers { #expect(places.takeBytes(1 << 20 - 1, for: number)) }
        let last = try open(1, of: 33)[0]
        #expect(!places.takeBytes(1 << 20, for: last))
        #expect(places.takeBytes(32, for: last))
        #expect(kept(numbers) == 32)
        places.leave(numbers[0])
        #expect(!places.takeBytes(1, for: numbers[0]), "it has no place any more")
    }

    @Test("permit a number of requests at a time, and 8 more to operators")
    func requests() throws {
        let places = ServicePlaces(requests: 2)
        func take(_ user: UInt32, isOperator: Bool) throws -> Int {
            try #require(
                places.take(UnixSocket.pair().0, of: user, isOperator: isOperator))
        }
        let client = try take(1, isOperator: false)
        #expect(places.begin(client) && places.begin(client))
        #expect(!places.begin(client))
        places.end(client)
        #expect(places.begin(client))
        #expect(!places.begin(client))
        let staff = try take(2, isOperator: true)
        for _ in 0..<8 { #expect(places.begin(staff)) }
        #expect(!places.begin(staff) && !places.begin(client))
        for _ in 0..<8 { places.end(staff) }
        #expect(!places.begin(client) && places.begin(staff))
        // A connection without a place is not an operator's.
        places.leave(staff)
        #expect(!places.begin(staff))
    }

    @Test("end idle connections at the end, and wait for requests and for their connections")
    func closing() throws {
        let (idle, idleClient) = try UnixSocket.pair()
        let (busy, busyClient) = try UnixSocket.pair()
        let one = try #require(take(idle, of: 1))
        let two = try #require(take(busy, of: 1))
        begin(two)
        #expect(!places.isClosed && !places.isClosed(within: .milliseconds(1)))
        places.close()
        #expect(!places.finish(within: .milliseconds(10)), "a request has not ended")
        #expect(places.isClosed && places.isClosed(within: .seconds(20)))
        #expect(!places.work(one), "a request that had arrived is not carried out")
        #expect(idleClient.hasEnded && !busyClient.hasEnded)
        places.leave(one)
        places.end(two)
        #expect(!places.finish(within: .milliseconds(10)), "a connection has not ended")
        let leaving = SystemThread { [places] in places.leave(two) }
        #expect(places.finish(within: .seconds(20)))
        leaving?.join()
    }
}
