import ApplePayAcceptance
import ApplePayLedger
import Foundation

/// A wall clock that `jumping-clock.c` sets forward and back by an hour while processes use it.
struct JumpingClock {
    /// A window in seconds after which claims are forgotten while the clock is an hour fast.
    static let window = 300

    private let file: FileHandle

    /// Opens the file with the number of seconds to add to the clock, which must be 0.
    init(_ path: String) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else {
            throw Failure("\(path) cannot be written")
        }
        self.file = file
        try set(0)
    }

    /// Returns a request whose signing time depends only on the transaction: the start of the group plus one second for each
    /// earlier transaction, so that forgetting one claim does not refuse all others.
    static func request(
        _ transaction: TransactionIdentifier,
        _ index: Int,
        of group: Int
    ) -> ClaimRequest {
        ClaimRequest(
            transaction: transaction,
            signingTime: Date(timeIntervalSince1970: Double(group / 1_000 + index)),
            window: window, isExpiring: true)
    }

    /// Lets the clock jump until the task is cancelled, and then sets it back.
    ///
    /// - Returns: The number of jumps.
    func jump() async -> Int {
        var (count, jump) = (0, Int64(0))
        // Claims are made before the first jump: after it they may be too late at once.
        try? await Task.sleep(for: .milliseconds(.random(in: 0...200)))
        while !Task.isCancelled {
            let others: [Int64] = [-3_600, 0, 3_600].filter { $0 != jump }
            let other = others[Int.random(in: others.indices)]
            guard (try? set(other)) != nil else { break }
            (count, jump) = (count + 1, other)
            try? await Task.sleep(for: .milliseconds(.random(in: 5...60)))
        }
        return (try? set(0)) != nil ? count : 0
    }

    private func set(_ jump: Int64) throws {
        try file.seek(toOffset: 0)
        // In the byte order of the machines on which this runs.
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: jump >> (8 * $0)) }
        try file.write(contentsOf: Data(bytes))
    }
}
