/// Why a key, a certificate or a token could not be made.
package enum TestingError: Error, Equatable, Sendable {
    /// A call into libcrypto failed; `function` is its name.
    case cryptography(function: String)

    /// The recipe asks for something that does not exist, in plain words.
    case impossible(String)
}

/// Insists that a libcrypto call returned 1.
///
/// - Throws: ``TestingError/cryptography(function:)``.
func expectSuccess(_ result: Int32, of function: String) throws(TestingError) {
    guard result == 1 else { throw .cryptography(function: function) }
}

/// Insists that a libcrypto call returned an object.
///
/// - Throws: ``TestingError/cryptography(function:)``.
func expectObject(_ pointer: OpaquePointer?, from function: String) throws(TestingError)
    -> OpaquePointer
{
    guard let pointer = unsafe pointer else { throw .cryptography(function: function) }
    return unsafe pointer
}
