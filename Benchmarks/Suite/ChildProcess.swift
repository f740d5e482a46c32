import BenchmarkFloor
import Glibc

/// Runs a command to its end and discards its output.
enum ChildProcess {
    /// Returns the run time in nanoseconds, or 0 if the command failed.
    static func run(_ words: [String]) -> UInt64 {
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe pointers.withUnsafeBufferPointer { words in
            guard let words = words.baseAddress else { return 0 }
            return unsafe Floor_run(words)
        }
    }

    /// The peak resident memory of a command so far, in MiB.
    static var peak: Double { Double(Floor_run_peak()) / 1024 }
}
