/// Runs a step of libcrypto and translates its error into the error of the caller's module.
///
/// - Parameters:
///   - step: The step.
///   - translate: Returns the error to throw for the error of the step.
/// - Returns: What the step returns.
/// - Throws: What `translate` returns.
package func rethrowing<Value: ~Copyable, Failure: Error>(
    _ step: @autoclosure () throws(PrimitivesError) -> Value,
    as translate: (PrimitivesError) -> Failure
) throws(Failure) -> Value {
    do throws(PrimitivesError) {
        return try step()
    } catch {
        throw translate(error)
    }
}

/// Why a primitive returned no result.
package enum PrimitivesError: Error, Hashable, Sendable {
    /// libcrypto failed: for example, memory ran out, or it lacks an algorithm.
    case libraryFailure(function: String)

    /// The bytes are not a point of the curve.
    case invalidPoint

    /// The authentication tag does not match.
    case authenticationFailed

    /// The wrapped key does not unwrap.
    case unwrappingFailed

    /// The bytes are not one X.509 certificate.
    case malformedCertificate

    /// The bytes are not a public key of a kind used here.
    case malformedPublicKey

    /// The certification path is not valid: what OpenSSL reports, for people.
    case invalidPath(reason: String)

    /// The bytes are not a private key.
    case malformedPrivateKey

    /// The subject of a request for a certificate does not fit its rules.
    case malformedSubject

    /// A PEM block does not end, or what is in it is not base64.
    case malformedPEM

    /// The bytes are encrypted and no passphrase was given.
    case passphraseNeeded

    /// No passphrase that was given opens the bytes.
    case wrongPassphrase

    /// The bytes are encrypted with an algorithm that libcrypto, with its legacy provider if that
    /// is installed, does not have.
    case unsupportedEncryption

    /// Deriving a key from the passphrase would take longer than is allowed.
    case costlyDerivation

    /// The key is of a kind that Apple Pay does not use, told for people: `an EC key on secp384r1`.
    case unsupportedKey(String)

    /// A key that lives in a device cannot be used now: what the device says, for people.
    case keyUnavailable(String)
}
