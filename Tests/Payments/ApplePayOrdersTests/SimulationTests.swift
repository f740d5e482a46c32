import Foundation
import TestVectors
import Testing

/// The guarantee, for each class of gateways.
///
/// Keys (`keys`, `identifier`): an order is charged at most once within the time for which keys are kept, even if a
/// person is wrong; after that time nothing is sent before the gateway was asked. Without keys (`query`, `nothing`): an
/// order is charged at most once if a person decides by complete books, and no request is under way for more than a
/// day; nothing but a person makes an order free again whose answer was lost. Pages and sessions have no keys, and a
/// person closes them before deciding.
@Suite("An order with random faults")
struct SimulationTests {
    /// `ORDER_ROUNDS` is the number of rounds for each class, 500 by default; `ORDER_SEED`, or `ORDER_PAGE_SEED` with
    /// pages, is one seed, whose trace is printed.
    private static let environment = ProcessInfo.processInfo.environment

    @Test(
        "is never charged twice, and its record at rest agrees with the gateway's books or is listed as open",
        arguments: BooksGateway.Class.allCases)
    func once(_ kind: BooksGateway.Class) async throws {
        let rounds = Self.environment["ORDER_ROUNDS"].flatMap(UInt64.init) ?? 500
        let only = Self.environment["ORDER_SEED"].flatMap(UInt64.init)
        for seed in only.map({ $0...$0 }) ?? 1...rounds {
            let round = try OrderSimulation(kind, seed: seed, isTraced: only != nil)
            let faults = try await round.run()
            #expect(faults.isEmpty, "\(kind.rawValue), ORDER_SEED=\(seed)")
            if only != nil { print(round.trace.joined(separator: "\n")) }
        }
    }

    @Test(
        "that is also paid on pages and in sessions is never charged twice, if a person closes them before deciding",
        arguments: PageTests.kinds)
    func pages(_ kind: BooksGateway.Class) async throws {
        let rounds = Self.environment["ORDER_ROUNDS"].flatMap(UInt64.init) ?? 500
        let only = Self.environment["ORDER_PAGE_SEED"].flatMap(UInt64.init)
        for seed in only.map({ $0...$0 }) ?? 1...rounds {
            let round = try OrderSimulation(
                kind, hasPages: true, seed: seed, isTraced: only != nil)
            let faults = try await round.run()
            #expect(faults.isEmpty, "\(kind.rawValue), ORDER_PAGE_SEED=\(seed)")
            if only != nil { print(round.trace.joined(separator: "\n")) }
        }
    }
}
