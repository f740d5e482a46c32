internal import Glibc

/// The process's two output streams, written at once and without a buffer of their own.
package enum StandardStream: Sendable {
    /// For machines.
    case output

    /// For people.
    case error

    /// Whether a person is watching.
    package var isTerminal: Bool { isatty(self == .output ? STDOUT_FILENO : STDERR_FILENO) == 1 }

    /// Writes all of `bytes`; false when nobody reads any more.
    package func write(_ bytes: Span<UInt8>) -> Bool {
        let descriptor = self == .output ? STDOUT_FILENO : STDERR_FILENO
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    descriptor, $0.baseAddress.map { unsafe $0 + written }, $0.count - written)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { return false }
            written += result
        }
        return true
    }

    /// Writes text; false when nobody reads any more.
    @discardableResult
    package func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return write(bytes.span)
    }
}
