package import ApplePayPrimitives
internal import CPaytoken
internal import Glibc

/// The process's two output streams, written immediately and without a buffer.
package enum StandardStream: Sendable {
    /// For machines.
    case output

    /// For people.
    case error

    /// PIPE_BUF: a writable pipe accepts this many bytes without blocking (pipe(7)).
    private static let chunkCount = 4096

    /// The number of the system's first error at standard output.
    private static let failure = Lock<Int32?>(nil)

    /// Why standard output could not be written; nil if it could, or if its reader stopped reading.
    package static var outputError: FileError? {
        failure.withLock { $0 }.flatMap { number in
            number == EPIPE
                ? nil : FileError(path: "standard output", verb: "written", errno: number)
        }
    }

    /// Whether the stream is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether standard input is a terminal.
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// The width of the terminal in characters; nil if the stream is not a terminal or its size is not known.
    package var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

    /// Writes bytes until all are written or no more can be written.
    ///
    /// After a signal (``Interruption``), standard output accepts bytes for another 400 ms.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The number of bytes written. It is less than `bytes.count` if the reader has
    ///   closed the pipe or hangs, or if the disk or the file-size limit is exhausted.
    package func write(_ bytes: Span<UInt8>) -> Int {
        var written = 0
        while written < bytes.count {
            if self == .output, CPaytoken_wait_for_output(descriptor) == 0 { break }
            let count = min(bytes.count - written, Self.chunkCount)
            let result = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + written }, count)
            }
            if result < 0, errno == EINTR || errno == EAGAIN && self == .output { continue }
            guard result > 0 else {
                let number = errno
                if self == .output { Self.failure.withLock { $0 = $0 ?? number } }
                break
            }
            written += result
        }
        return written
    }

    /// Writes bytes, and returns whether all of them were written.
    package func writeAll(_ bytes: Span<UInt8>) -> Bool { write(bytes) == bytes.count }

    /// Writes text, and returns whether all of it was written.
    @discardableResult
    package func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return writeAll(bytes.span)
    }
}
