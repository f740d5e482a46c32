internal import ApplePayPrimitives

/// The signing time, in seconds since 1970, up to which a file ledger may have forgotten claims.
///
/// It is on the disk before anything is forgotten, and never decreases. A new claim that found the name of its
/// transaction free can therefore read the horizon afterwards to find out whether an earlier claim may have had that
/// name.
struct Horizon {
    private let folder: LedgerFolder

    init(_ folder: LedgerFolder) {
        self.folder = folder
    }

    /// Returns the horizon; nil if the file does not exist.
    func read() throws(FileError) -> Int64? {
        let path = folder.root.path(of: "horizon")
        guard let bytes = try LedgerFolder.read(path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count == Self.digitCount + 1, text.last == "\n",
            let seconds = Int64(text.dropLast())
        else { throw folder.damaged(path) }
        return seconds
    }

    /// Returns the horizon of a ledger that was set up completely.
    func current() throws(FileError) -> Int64 {
        guard let seconds = try read() else {
            throw FileError(
                path: folder.root.path(of: "horizon"),
                reason: "is missing; \(folder.repairAdvice)")
        }
        return seconds
    }

    /// Advances the horizon, and waits until it is on the disk; an earlier time changes nothing.
    func advance(to seconds: Int64) throws(FileError) {
        guard try current() < seconds else { return }
        try locked { () throws(FileError) in
            if try current() < seconds { try write(seconds) }
        }
    }

    /// Writes the file if it does not exist.
    func create(_ seconds: Int64) throws(FileError) {
        try locked { () throws(FileError) in
            if try read() == nil { try write(seconds) }
        }
    }

    /// Replaces a file that cannot be read.
    func replace(_ seconds: Int64) throws(FileError) {
        try locked { () throws(FileError) in try write(seconds) }
    }

    /// Runs `body` while no other process writes the horizon or reserves space for it.
    private func locked(_ body: () throws(FileError) -> Void) throws(FileError) {
        let lock = try folder.lock(folder.expiring)
        try body()
        _ = consume lock
    }

    private func write(_ seconds: Int64) throws(FileError) {
        try InPlace.write(
            folder.root.path(of: Self.next), bytes: Self.bytes(seconds), isCreating: true)
        try folder.root.move(folder.root.path(of: Self.next), to: "horizon")
        try folder.root.sync()
    }

    /// Reserves the disk space for the next horizon, so that claims can be forgotten on a full disk.
    func reserve() {
        // If this fails, the next write needs free space, which is nearly always available.
        try? locked { () throws(FileError) in
            try InPlace.write(
                folder.root.path(of: Self.next), bytes: Self.bytes(0), isCreating: true)
        }
    }

    private static let next = "horizon.next"
    private static let digitCount = 20

    private static func bytes(_ seconds: Int64) -> [UInt8] {
        let digits = String(max(seconds, 0))
        return Array(
            (String(repeating: "0", count: digitCount - digits.count) + digits + "\n").utf8)
    }
}
