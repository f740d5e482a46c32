/// Why a key, a certificate or a token could not be created.
package enum TestingError: Error, Equatable, Sendable {
    /// A call into libcrypto failed; `function` is its name.
    case cryptography(function: String)

    /// The recipe asks for something impossible, which the text explains.
    case impossible(String)
}

/// Checks that a libcrypto call returned 1.
///
/// - Throws: ``TestingError/cryptography(function:)``.
func expectSuccess(_ result: Int32, of function: String) throws(TestingError) {
    guard result == 1 else { throw .cryptography(function: function) }
}

/// Checks that a libcrypto call returned an object.
///
/// - Throws: ``TestingError/cryptography(function:)``.
func expectObject(_ pointer: OpaquePointer?, from function: String) throws(TestingError)
    -> OpaquePointer
{
    guard let pointer = unsafe pointer else { throw .cryptography(function: function) }
    return unsafe pointer
}
