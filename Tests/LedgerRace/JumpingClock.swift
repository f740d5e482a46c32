import ApplePayLedger
import ApplePayToken
import Foundation

/// A wall clock that is set forward and back by an hour while processes use it, through `jumping-clock.c`.
struct JumpingClock {
    /// A window so small that a claim can be forgotten when the clock is an hour fast.
    static let window = 300

    private let file: FileHandle

    /// Opens the file with the number of seconds by which the clock is wrong.
    init(_ path: String) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else {
            throw Failure("\(path) cannot be written")
        }
        self.file = file
        try set(0)
    }

    /// A request whose token was signed at a time that depends on the transaction alone: when the group was begun, each second
    /// one, so that forgetting one claim does not refuse all others.
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

    /// Lets the clock jump until the task is cancelled, and then sets it right.
    ///
    /// - Returns: How often it jumped.
    func jump() async -> Int {
        var (count, offset) = (0, Int64(0))
        while !Task.isCancelled {
            let others: [Int64] = [-3_600, 0, 3_600].filter { $0 != offset }
            let other = others[Int.random(in: others.indices)]
            guard (try? set(other)) != nil else { break }
            (count, offset) = (count + 1, other)
            try? await Task.sleep(for: .milliseconds(.random(in: 5...60)))
        }
        return (try? set(0)) != nil ? count : 0
    }

    private func set(_ seconds: Int64) throws {
        try file.seek(toOffset: 0)
        // In the byte order of the machines on which this runs.
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
        try file.write(contentsOf: Data(bytes))
    }
}
