internal import Glibc

/// The output streams of a test program, written at once and without a buffer.
package enum StandardStream: Int32, Sendable {
    /// Standard output.
    case output = 1

    /// Standard error.
    case error = 2

    /// Writes all bytes; returns false if the stream cannot be written.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(rawValue, bytes.baseAddress, bytes.count)
            }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(count, 0))
        }
        return true
    }
}
