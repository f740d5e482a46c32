import ApplePayPrimitives
import Testing

@testable import paytoken

@Suite("The places of the service")
struct ServicePlacesTests {
    private let places = ServicePlaces(requests: 2)

    /// Takes places for a user, and returns their numbers.
    private func take(_ count: Int, of user: UInt32) throws -> [Int] {
        // One socket is enough for places that no connection uses.
        let socket = try UnixSocket.pair().0
        return try (0..<count).map { _ in try #require(places.take(socket, of: user)) }
    }

    @Test("are at most 128 for a user")
    func perUser() throws {
        let taken = try take(128, of: 1)
        #expect(Set(taken).count == 128)
        taken.forEach(places.work)
        let (socket, _) = try UnixSocket.pair()
        #expect(places.take(socket, of: 1) == nil)
        #expect(places.take(socket, of: 2) != nil)
        places.leave(taken[0])
        #expect(places.take(socket, of: 1) != nil)
        #expect(places.take(socket, of: 1) != nil, "the last one is idle")
    }

    @Test("are at most 256 in all")
    func inAll() throws {
        let taken = try take(128, of: 1) + take(128, of: 2)
        taken.forEach(places.work)
        let (socket, _) = try UnixSocket.pair()
        #expect(places.take(socket, of: 3) == nil)
        places.leave(taken[200])
        #expect(places.take(socket, of: 3) != nil)
    }

    @Test("are taken from the connection that has been idle for the longest time, if all are taken")
    func eviction() throws {
        let (first, firstClient) = try UnixSocket.pair()
        let (second, secondClient) = try UnixSocket.pair()
        let one = try #require(places.take(first, of: 1))
        let two = try #require(places.take(second, of: 1))
        try take(126, of: 1).forEach(places.work)
        // The first one had a request, and is idle only since then.
        places.work(one)
        places.rest(one)
        let (socket, _) = try UnixSocket.pair()
        let three = try #require(places.take(socket, of: 1))
        #expect(secondClient.hasEnded && !firstClient.hasEnded)
        places.work(three)
        #expect(places.take(socket, of: 1) != nil)
        #expect(firstClient.hasEnded)
        // That an evicted connection leaves frees no other place.
        places.leave(two)
        #expect(places.take(socket, of: 1).map(places.work) != nil)
        #expect(places.take(socket, of: 1) == nil)
    }

    @Test("are taken from the same user if that user has too many, and otherwise from any user")
    func evictedUser() throws {
        let (other, otherClient) = try UnixSocket.pair()
        _ = try #require(places.take(other, of: 2))
        let (own, ownClient) = try UnixSocket.pair()
        _ = try #require(places.take(own, of: 1))
        try take(127, of: 1).forEach(places.work)
        let (socket, _) = try UnixSocket.pair()
        try places.work(#require(places.take(socket, of: 1)))
        #expect(ownClient.hasEnded && !otherClient.hasEnded)
        try take(127, of: 2).forEach(places.work)
        #expect(places.take(socket, of: 3) != nil)
        #expect(otherClient.hasEnded)
    }

    @Test("permit a number of requests at a time")
    func requests() {
        #expect(places.begin() && places.begin())
        #expect(!places.begin())
        places.end()
        #expect(places.begin())
        #expect(!places.begin())
    }

    @Test("end idle connections at the end, and wait for requests and for their connections")
    func closing() throws {
        let (idle, idleClient) = try UnixSocket.pair()
        let (busy, busyClient) = try UnixSocket.pair()
        let one = try #require(places.take(idle, of: 1))
        let two = try #require(places.take(busy, of: 1))
        places.work(two)
        #expect(places.begin())
        #expect(!places.isClosed && !places.isClosed(within: .milliseconds(1)))
        places.close()
        #expect(!places.finish(within: .milliseconds(10)), "a request has not ended")
        #expect(places.isClosed && places.isClosed(within: .seconds(20)))
        #expect(idleClient.hasEnded && !busyClient.hasEnded)
        places.leave(one)
        places.end()
        #expect(!places.finish(within: .milliseconds(10)), "a connection has not ended")
        let leaving = SystemThread { [places] in places.leave(two) }
        #expect(places.finish(within: .seconds(20)))
        leaving?.join()
    }
}
