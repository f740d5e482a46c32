internal import Glibc

/// Reads the process's environment into memory that is wiped.
///
/// The environment itself stays as the process got it; nothing can wipe that.
package enum EnvironmentVariable {
    /// The bytes of a variable; nil when it is not set.
    package static func read(_ name: String) -> SensitiveBytes? {
        guard let value = unsafe getenv(name) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: strlen(value))
        return unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
            SensitiveBytes(SecretBytes(copying: unsafe Span(_unsafeElements: bytes)))
        }
    }
}
