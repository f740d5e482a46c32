internal import Glibc

/// Values of the environment that are not secret.
package enum ProcessEnvironment {
    /// Returns a variable's text; nil if it is not set.
    package static func text(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Returns the number that a variable contains.
    package static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
}
