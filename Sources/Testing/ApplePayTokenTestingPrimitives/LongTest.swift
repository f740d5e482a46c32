internal import FoundationEssentials

/// How much of a long test runs: a fixed part, or all of it if APPLEPAYTOKEN_LONG_TESTS is set, as `make integration-test` does.
///
/// The Makefile names the tests that use it.
package enum LongTest {
    /// The distance of the cases that run: 1 for all of them, otherwise a prime, so that every kind of case occurs.
    package static let step =
        ProcessInfo.processInfo.environment["APPLEPAYTOKEN_LONG_TESTS"] == nil ? 7 : 1

    /// Returns whether the case at an index runs.
    package static func includes(_ index: Int) -> Bool { index.isMultiple(of: step) }

    /// Returns how many of a number of random rounds run.
    package static func rounds(_ all: Int) -> Int { all / step }
}
