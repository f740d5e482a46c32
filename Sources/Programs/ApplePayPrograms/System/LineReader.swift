package import ApplePayPrimitives
internal import CPaytoken
internal import Glibc

/// Reads lines from a file or a pipe as they arrive, in bounded memory.
package final class LineReader {
    /// A line without its line feed.
    package enum Line: Sendable {
        /// The line's bytes.
        case text([UInt8])

        /// A line with more bytes than the limit; it was read to its end and discarded.
        case tooLong
    }

    private let path: String
    private let descriptor: Int32
    private let limit: Int
    private var chunk = [UInt8](repeating: 0, count: 65_536)
    private var position = 0
    private var end = 0

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file's path; `-` is standard input.
    ///   - limit: The greatest number of bytes in a line.
    /// - Throws: ``FileError`` if the file cannot be opened.
    package init(path: String, limit: Int) throws(FileError) {
        self.path = path
        self.limit = limit
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, errno: errno) }
    }

    /// Returns the next line, or nil at the end; the last line may lack its line feed.
    package func next() throws(FileError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if position == end {
                guard try fill() else {
                    // After an interruption, the last bytes may be part of a line.
                    guard CPaytoken_interruption() == 0 else { return nil }
                    return isTooLong ? .tooLong : line.isEmpty ? nil : .text(line)
                }
            }
            let lineFeed = lineFeed()
            let part = chunk[position..<(lineFeed ?? end)]
            if line.count + part.count > limit { isTooLong = true }
            if !isTooLong { line += part }
            position = lineFeed.map { $0 + 1 } ?? end
            if lineFeed != nil { return isTooLong ? .tooLong : .text(line) }
        }
    }

    /// Returns the lines that are already available, at most `count`; waits for the first, and is
    /// empty at the end.
    package func lines(upTo count: Int) throws(FileError) -> [Line] {
        var lines: [Line] = []
        repeat {
            guard let line = try next() else { break }
            lines.append(line)
        } while lines.count < count && lineFeed() != nil
        return lines
    }

    /// Returns the index of the next line feed in the bytes that were read.
    private func lineFeed() -> Int? {
        unsafe chunk.withUnsafeBytes { chunk in
            guard let start = chunk.baseAddress,
                let found = unsafe memchr(start + position, 0x0A, end - position)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    private func fill() throws(FileError) -> Bool {
        while true {
            // An interruption ends the input even if more bytes follow.
            guard CPaytoken_wait_for_input(descriptor) == 1 else { return false }
            let received = unsafe chunk.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if received < 0 {
                if errno == EINTR { continue }
                throw FileError(path: path, errno: errno)
            }
            position = 0
            end = received
            return received > 0
        }
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }
}
