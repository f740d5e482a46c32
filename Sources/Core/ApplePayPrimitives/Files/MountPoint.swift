internal import Glibc

/// The folder at which a file system is mounted.
package enum MountPoint {
    /// The most bytes of the list of mounts; a machine with a thousand containers has some hundred kilobytes.
    private static let limit = 1 << 22

    /// Returns the mount point of the file system that contains a file.
    ///
    /// - Parameter path: The path of a file or folder, which must exist.
    /// - Returns: The mount point; nil if the file does not exist, or if `/proc` is not mounted.
    package static func of(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        let absolute = unsafe String(cString: resolved)
        guard let mounts = try? FileContents.read("/proc/self/mounts", limit: limit).array() else {
            return nil
        }
        return of(absolute, in: String(decoding: mounts, as: UTF8.self))
    }

    /// Finds the longest of the mount points that contain a path.
    ///
    /// - Parameters:
    ///   - absolute: An absolute path without symbolic links.
    ///   - mounts: The list, a mount a line, with the mount point in the second column (proc_pid_mounts(5)).
    /// - Returns: The mount point; nil if none contains the path.
    static func of(_ absolute: String, in mounts: String) -> String? {
        mounts.split(separator: "\n").compactMap { line -> String? in
            let columns = line.split(separator: " ")
            return columns.count > 1 ? unescaped(columns[1]) : nil
        }.filter {
            $0 == "/" || absolute == $0 || absolute.hasPrefix("\($0)/")
        }.max { $0.utf8.count < $1.utf8.count }
    }

    /// Returns a mount point with its blanks, tabs, line feeds and backslashes, which the list writes as octal numbers.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count > 2,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest.removeFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
