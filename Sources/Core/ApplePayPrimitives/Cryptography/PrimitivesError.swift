/// Runs a libcrypto operation and translates its error into the error of the caller's module.
///
/// - Parameters:
///   - step: The operation.
///   - translate: Returns the error to throw instead of the operation's error.
/// - Returns: The result of `step`.
/// - Throws: The error that `translate` returns.
package func rethrowing<Value: ~Copyable, Failure: Error>(
    _ step: @autoclosure () throws(PrimitivesError) -> Value,
    as translate: (PrimitivesError) -> Failure
) throws(Failure) -> Value {
    do {
        return try step()
    } catch {
        throw translate(error)
    }
}

/// Why a primitive returned no result.
package enum PrimitivesError: Error, Hashable, Sendable {
    /// libcrypto failed, for example because memory ran out or it lacks an algorithm.
    case libraryFailure(function: String)

    /// The bytes are not a point on the curve.
    case invalidPoint

    /// The authentication tag does not match.
    case authenticationFailed

    /// The wrapped key could not be unwrapped.
    case unwrappingFailed

    /// The bytes are not one X.509 certificate.
    case malformedCertificate

    /// The bytes are not a public key of a kind used here.
    case malformedPublicKey

    /// The certification path is not valid; `reason` is OpenSSL's explanation for people.
    case invalidPath(reason: String)

    /// A revocation list has an issuer's name, but not its signature.
    case unverifiedRevocationList

    /// The bytes are not a private key.
    case malformedPrivateKey

    /// The subject of a certificate request does not meet its constraints.
    case malformedSubject

    /// A PEM block is empty, lacks its END line, or its content is not base64.
    case malformedPEM

    /// The bytes are encrypted and no passphrase was given.
    case passphraseNeeded

    /// None of the given passphrases decrypts the bytes.
    case wrongPassphrase

    /// The bytes are encrypted with an algorithm that libcrypto does not support, even with its
    /// legacy provider if that is installed.
    case unsupportedEncryption

    /// A PKCS#12 file is authenticated with an algorithm that libcrypto does not support.
    case unsupportedMAC

    /// Deriving a key from the passphrase would exceed the permitted cost.
    case costlyDerivation

    /// The key is of a kind that Apple Pay does not use; the text describes it for people: `an EC key on secp384r1`.
    case unsupportedKey(String)

    /// A function of a device did not succeed; ``PKCS11Key`` tries another way, or throws ``keyUnavailable(_:)``.
    case device(PKCS11Result)

    /// A key in a device cannot be used now; the text gives the device's reason for people.
    case keyUnavailable(String)
}
