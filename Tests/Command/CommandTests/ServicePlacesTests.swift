import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import Testing

@testable import paytoken
@testable import paytokend

@Suite("The places of the service")
struct ServicePlacesTests {
    private let places = ServicePlaces(requests: 2)

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

    /// Marks a connection that still has its place.
    private func work(_ number: Int) { #expect(places.work(number)) }

    @Test("are at most 128 for a user")
    func perUser() throws {
        let taken = try take(128, of: 1)
        #expect(Set(taken).count == 128)
        taken.forEach(work)
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
        taken.forEach(work)
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
        try take(126, of: 1).forEach(work)
        // The first one had a request, and is idle only since then.
        work(one)
        places.rest(one)
        let (socket, _) = try UnixSocket.pair()
        let three = try #require(take(socket, of: 1))
        #expect(secondClient.hasEnded && !firstClient.hasEnded)
        #expect(!places.work(two), "a request that had arrived is not carried out")
        work(three)
        #expect(take(socket, of: 1) != nil)
        #expect(firstClient.hasEnded)
        // That an evicted connection leaves frees no other place.
        places.leave(two)
        #expect(take(socket, of: 1).map(places.work) == true)
        #expect(take(socket, of: 1) == nil)
    }

    @Test("are taken from the same user if that user has too many, and otherwise from any user")
    func evictedUser() throws {
        let (other, otherClient) = try UnixSocket.pair()
        _ = try #require(take(other, of: 2))
        let (own, ownClient) = try UnixSocket.pair()
        _ = try #require(take(own, of: 1))
        try take(127, of: 1).forEach(work)
        let (socket, _) = try UnixSocket.pair()
        try work(#require(take(socket, of: 1)))
        #expect(ownClient.hasEnded && !otherClient.hasEnded)
        try take(127, of: 2).forEach(work)
        #expect(take(socket, of: 3) != nil)
        #expect(otherClient.hasEnded)
    }

    @Test("are 8 more for operators, whose idle connections end for no other client")
    func reserve() throws {
        let (idle, idleClient) = try UnixSocket.pair()
        _ = try #require(take(idle, of: 9, isOperator: true))
        let taken = try take(128, of: 1) + take(127, of: 2)
        taken.forEach(work)
        let (socket, _) = try UnixSocket.pair()
        #expect(take(socket, of: 3) == nil)
        #expect(!idleClient.hasEnded)
        try take(8, of: 8, isOperator: true).forEach(work)
        // All places are taken; another operator gets that of the first one.
        try work(#require(take(socket, of: 8, isOperator: true)))
        #expect(idleClient.hasEnded)
        #expect(take(socket, of: 8, isOperator: true) == nil)
        // Other clients get a place if at most 255 are taken, including those of operators.
        taken[..<8].forEach(places.leave)
        #expect(take(socket, of: 1) == nil)
        places.leave(taken[8])
        #expect(take(socket, of: 1) != nil)
    }

    @Test("permit a number of requests at a time, and 8 more to operators")
    func requests() throws {
        let client = try take(1, of: 1)[0]
        #expect(places.begin(client) && places.begin(client))
        #expect(!places.begin(client))
        places.end()
        #expect(places.begin(client))
        #expect(!places.begin(client))
        let staff = try take(1, of: 2, isOperator: true)[0]
        for _ in 0..<8 { #expect(places.begin(staff)) }
        #expect(!places.begin(staff) && !places.begin(client))
        for _ in 0..<8 { places.end() }
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
        work(two)
        #expect(places.begin(two))
        #expect(!places.isClosed && !places.isClosed(within: .milliseconds(1)))
        places.close()
        #expect(!places.finish(within: .milliseconds(10)), "a request has not ended")
        #expect(places.isClosed && places.isClosed(within: .seconds(20)))
        #expect(!places.work(one), "a request that had arrived is not carried out")
        #expect(idleClient.hasEnded && !busyClient.hasEnded)
        places.leave(one)
        places.end()
        #expect(!places.finish(within: .milliseconds(10)), "a connection has not ended")
        let leaving = SystemThread { [places] in places.leave(two) }
        #expect(places.finish(within: .seconds(20)))
        leaving?.join()
    }
}
