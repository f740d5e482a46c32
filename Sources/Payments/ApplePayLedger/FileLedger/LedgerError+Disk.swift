internal import ApplePayPrimitives
internal import ApplePayToken

extension LedgerError {
    /// Creates the error for a disk that failed.
    init(_ error: FileError) {
        self.init(.ledgerUnavailable, reason: "\(error)")
    }

    /// Runs file operations, and converts their errors.
    static func onDisk<Result>(_ body: () throws(FileError) -> Result) throws(LedgerError) -> Result
    {
        do {
            return try body()
        } catch {
            throw LedgerError(error)
        }
    }
}
