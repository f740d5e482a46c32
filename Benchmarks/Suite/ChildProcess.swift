import BenchmarkFloor
import Glibc

/// A command run to its end, its output thrown away.
enum ChildProcess {
    /// The nanoseconds it took, or 0 when it failed.
    static func run(_ words: [String]) -> UInt64 {
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeBufferPointer { words in
            guard let words = words.baseAddress else { return 0 }
            return unsafe Floor_run(words)
        }
    }

    /// The most memory that a command has had resident so far, in MiB.
    static var peak: Double { Double(Floor_run_peak()) / 1024 }
}
