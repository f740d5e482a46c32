internal import ApplePayPrimitives
internal import CApplePaySystem
internal import Glibc

/// Reads lines from a file or a pipe as they come, in bounded memory.
final class LineReader {
    /// A line without its line feed.
    enum Line: Sendable {
        /// The line's bytes.
        case text([UInt8])

        /// A line with more bytes than the limit; it was read to its end and dropped.
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
    ///   - limit: The most bytes a line may have.
    /// - Throws: ``FileError`` when the file cannot be opened.
    init(path: String, limit: Int) throws(FileError) {
        self.path = path
        self.limit = limit
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, errno: errno) }
    }

    /// The next line, nil at the end; a last line needs no line feed.
    func next() throws(FileError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if position == end {
                guard try fill() else {
                    // What stands before an interruption may be half a line.
                    guard CApplePaySystem_interruption() == 0 else { return nil }
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

    /// Lines that are there already, `count` at most; waits for the first, and is empty at the end.
    func lines(upTo count: Int) throws(FileError) -> [Line] {
        var lines: [Line] = []
        repeat {
            guard let line = try next() else { break }
            lines.append(line)
        } while lines.count < count && lineFeed() != nil
        return lines
    }

    /// Where the next line feed is among the bytes that were read.
    private func lineFeed() -> Int? {
        unsafe chunk.withUnsafeBytes { chunk in
            guard position < end, let start = chunk.baseAddress,
                let found = unsafe memchr(start + position, 0x0A, end - position)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    private func fill() throws(FileError) -> Bool {
        while true {
            // After an interruption the input counts as ended, whatever else would have come.
            guard CApplePaySystem_wait_for_input(descriptor) == 1 else { return false }
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
