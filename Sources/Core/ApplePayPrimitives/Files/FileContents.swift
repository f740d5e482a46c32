internal import Glibc

/// Reads whole files into memory that is wiped.
package enum FileContents {
    /// Reads a file, or a pipe until it ends if it was open when this process started.
    ///
    /// A pipe in a folder is refused, a device must deliver at once, and a disk in time: otherwise this call could wait without
    /// an end.
    ///
    /// - Parameters:
    ///   - path: The file's path; `-` is standard input, and `/dev/fd/NUMBER` another file that is open, as shells name one.
    ///   - limit: The greatest number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``FileError``, whose text contains the path and the reason.
    package static func read(_ path: String, limit: Int) throws(FileError) -> SecretBytes {
        var timeLeft = ThreadLimit.fileTime
        return try read(path, limit: limit, within: &timeLeft)
    }

    /// Reads a file as ``read(_:limit:)`` does.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - limit: The greatest number of bytes.
    ///   - timeLeft: How long its disk may take; the time that passes is taken off.
    /// - Returns: The bytes.
    /// - Throws: ``FileError``.
    package static func read(
        _ path: String, limit: Int, within timeLeft: inout Duration
    ) throws(FileError) -> SecretBytes {
        guard path != "-", !openFiles.contains(where: path.hasPrefix) else {
            return try contents(path, limit: limit, isOpen: true)
                .withSpan { SecretBytes(copying: $0) }
        }
        return try ThreadLimit.files.result(at: path, within: &timeLeft) { () throws(FileError) in
            try contents(path, limit: limit, isOpen: false).sensitiveBytes()
        }.withRevealedBytes { SecretBytes(copying: $0) }
    }

    private static func contents(
        _ path: String, limit: Int, isOpen: Bool
    ) throws(FileError) -> SecretBuffer {
        let mode = O_RDONLY | O_CLOEXEC | O_NOCTTY | (isOpen ? 0 : O_NONBLOCK)
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, mode)
        guard descriptor >= 0 else { throw FileError(path: path, errno: errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        if !isOpen {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw FileError(path: path, errno: errno)
            }
            guard status.st_mode & S_IFMT != S_IFIFO else {
                throw FileError(
                    path: path,
                    reason: "is a pipe, not a file; copy its contents to a file, and name that")
            }
        }
        var contents = SecretBuffer()
        // One byte more than permitted, to detect a longer file without reading all of it.
        while contents.count <= limit {
            let chunkCount = min(chunkCount, limit + 1 - contents.count)
            var received = 0
            let chunk = SecretBytes(count: chunkCount) { chunk in
                received = unsafe chunk.withUnsafeMutableBytes {
                    unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
                }
            }
            if received == 0 { break }
            if received < 0 {
                if errno == EINTR { continue }
                throw FileError(path: path, errno: errno)
            }
            chunk.withSpan { contents.append($0.extracting(0..<received)) }
        }
        guard contents.count <= limit else {
            throw FileError(path: path, reason: "is larger than \(limit) bytes")
        }
        return contents
    }

    /// Returns the permission bits of a regular file, such as 0o600; nil for a pipe or a device, or if the file cannot
    /// be examined.
    package static func permissions(_ path: String) -> UInt32? {
        let status = try? FileStatus(answered: path)
        return status?.isFile == true ? status?.permissions : nil
    }

    /// The beginnings of paths that name files which are already open.
    private static let openFiles = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"]

    /// The number of bytes requested at a time.
    private static var chunkCount: Int { 16_384 }
}

/// Why a file, or a member of a gateway file or an order file, cannot be used.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's path as it was given; for a member its path in the file, such as `account.merchantId`, which is
    /// empty for the whole file.
    package let path: String

    /// The reason, as the continuation of a sentence that begins with the path.
    package let reason: String

    /// Whether the file does not exist.
    package let isMissing: Bool

    /// Whether a gateway file is right, and a secret that it names could not be read.
    package let isUnavailable: Bool

    /// Whether the disk did not answer in time; whatever else examines the path may hang.
    package let isLate: Bool

    /// The path and the reason.
    package var description: String { "\(path == "-" ? "standard input" : path) \(reason)" }

    /// Creates an error that this library detected.
    package init(
        path: String, reason: String, isMissing: Bool = false, isUnavailable: Bool = false,
        isLate: Bool = false
    ) {
        self.path = path
        self.reason = reason
        self.isMissing = isMissing
        self.isUnavailable = isUnavailable
        self.isLate = isLate
    }

    /// Creates the error for a disk that did not answer in time.
    package init(late path: String) {
        self.init(
            path: path,
            reason:
                "was not read within \(ThreadLimit.fileTime.components.seconds) s; check its disk or network",
            isLate: true)
    }

    /// Creates the error for a failed system call.
    package init(path: String, verb: String = "read", errno number: Int32) {
        self.init(
            path: path, reason: "cannot be \(verb): \(unsafe String(cString: strerror(number)))",
            isMissing: number == ENOENT)
    }
}

/// Reads the process's environment into memory that is wiped.
///
/// The environment itself remains unchanged, because it cannot be wiped.
package enum EnvironmentVariable {
    /// Returns whether a text is certainly the name of a variable, so that a message may repeat it: a secret that was given in
    /// its place has small letters, or digits without an underscore.
    package static func isName(_ text: String) -> Bool {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let bytes = text.utf8
        let hasUnderscore = bytes.contains(UInt8(ascii: "_"))
        return bytes.count <= 64
            && bytes.allSatisfy {
                capitals.contains($0) || $0 == UInt8(ascii: "_")
                    || hasUnderscore && digits.contains($0)
            }
    }

    /// Returns the bytes of a variable; nil if it is not set.
    package static func read(_ name: String) -> SensitiveBytes? {
        guard let value = unsafe getenv(name) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: strlen(value))
        return unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
            SensitiveBytes(SecretBytes(copying: unsafe Span(_unsafeElements: bytes)))
        }
    }
}
