internal import CApplePaySystem

/// A private key that stays in a device, used through PKCS#11.
///
/// Sessions are pooled, so threads use the key side by side. A session that was lost is opened again,
/// once for each token; then the device is reported as out.
package final class PKCS11Key: PrivateKeyOperations {
    /// The public half.
    package let publicKey: RecipientPublicKey

    /// The certificate that stands beside the key, with the same identifier; nil when there is none.
    package let certificate: X509Certificate?

    private let sessions: Pool<PKCS11KeySession, PKCS11Result>

    /// Whether the module wants an ephemeral point wrapped in an OCTET STRING.
    private let wrapsPoints = Lock(false)

    /// Takes off OAEP's padding for a module that only has the bare operation; nil until needed.
    private let padding = Lock<PrivateKey?>(nil)

    /// Finds the key.
    ///
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` with what is wrong: the module, the token, the
    ///   PIN, the key's name or its permission; then ``PrimitivesError/unsupportedKey(_:)``.
    package init(_ selector: PKCS11Selector) throws(PrimitivesError) {
        let module = try PKCS11Module.load(selector.modulePath)
        let attributes = Self.attributes(of: selector)
        let slot = try module.slot(of: selector)
        let found: PKCS11KeyObjects
        do throws(PKCS11Result) {
            let session = try PKCS11Session(module, slot: slot, pin: selector.pin)
            found = try PKCS11KeyObjects(session, attributes)
        } catch {
            throw .keyUnavailable(Self.sentence(error, hasPIN: selector.pin != nil))
        }
        try found.check(hasPIN: selector.pin != nil)
        certificate = try found.certificate.map { der throws(PrimitivesError) in
            try X509Certificate(der: der.span)
        }
        publicKey = try found.publicKey(certificate: certificate)
        let refusedPIN = Lock<PKCS11Result?>(nil)
        sessions = Pool { () throws(PKCS11Result) in
            // One session at a time is opened, and a PIN that was refused once is not tried again:
            // the token would lock itself.
            try refusedPIN.withLock { refused throws(PKCS11Result) in
                if let refused { throw refused }
                do throws(PKCS11Result) {
                    guard let slot = try? module.slot(of: selector) else { throw .tokenNotPresent }
                    let session = try PKCS11Session(module, slot: slot, pin: selector.pin)
                    return try PKCS11KeySession(session, attributes)
                } catch {
                    if error.isAboutPIN { refused = error }
                    throw error
                }
            }
        }
    }

    /// ECDH in the device; that the point is on the curve is seen to before it gets there.
    package func deriveSharedSecret(
        with point: Span<UInt8>,
        into secret: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        guard publicKey.kind == .p256 else { throw .invalidPoint }
        _ = try EVPKey(p256Point: point)
        precondition(secret.count == 32, "a P-256 shared secret has 32 bytes")
        let octets = point.indices.map { point[$0] }
        do throws(PKCS11Result) {
            if !wrapsPoints.withLock({ $0 }) {
                do throws(PKCS11Result) {
                    return try perform { key throws(PKCS11Result) in
                        try key.derive(with: octets, into: &secret)
                    }
                } catch {
                    guard error.isMissingMechanism else { throw error }
                }
            }
            try perform { key throws(PKCS11Result) in
                try key.derive(with: [0x04, UInt8(octets.count)] + octets, into: &secret)
            }
            wrapsPoints.withLock { $0 = true }
        } catch {
            throw .keyUnavailable(Self.sentence(error))
        }
    }

    /// RSAES-OAEP in the device; where it has only the bare operation, libcrypto takes off the padding.
    package func unwrap(
        _ wrapped: Span<UInt8>,
        count: Int
    ) throws(PrimitivesError) -> SecretBytes {
        guard publicKey.kind == .rsa2048, wrapped.count == 256 else { throw .unwrappingFailed }
        if let padding = padding.withLock({ $0 }) {
            return try unwrapRaw(wrapped, count: count, padding)
        }
        var plaintextCount = 0
        do throws(PKCS11Result) {
            let block = try SecretBytes(count: 256) { block throws(PKCS11Result) in
                plaintextCount = try perform { key throws(PKCS11Result) in
                    try key.decryptOAEP(wrapped, into: &block)
                }
            }
            guard plaintextCount == count else { throw .generalError }
            return block.withSpan { SecretBytes(copying: $0.extracting(0..<count)) }
        } catch {
            guard error.isMissingMechanism else { throw Self.unwrappingError(error) }
            let padding = try PrivateKey(publicKey.withoutPrivateExponent())
            let key = try unwrapRaw(wrapped, count: count, padding)
            self.padding.withLock { $0 = padding }
            return key
        }
    }

    private func unwrapRaw(
        _ wrapped: Span<UInt8>,
        count: Int,
        _ padding: PrivateKey
    ) throws(PrimitivesError) -> SecretBytes {
        let block: SecretBytes
        do throws(PKCS11Result) {
            block = try SecretBytes(count: 256) { block throws(PKCS11Result) in
                let blockCount = try perform { key throws(PKCS11Result) in
                    try key.decryptRaw(wrapped, into: &block)
                }
                guard blockCount == 256 else { throw .generalError }
            }
        } catch {
            throw Self.unwrappingError(error)
        }
        return try block.withSpan { block throws(PrimitivesError) in
            try padding.unwrap(block, count: count)
        }
    }

    private func perform<Result>(
        _ body: (PKCS11KeySession) throws(PKCS11Result) -> Result
    ) throws(PKCS11Result) -> Result {
        do throws(PKCS11Result) {
            return try sessions.withContext(body)
        } catch {
            guard error.isLostSession else { throw error }
        }
        sessions.removeIdle()
        return try sessions.withContext(body)
    }

    private static func attributes(of selector: PKCS11Selector) -> [PKCS11Attribute] {
        var attributes = [PKCS11Attribute.number(Int(CKA_CLASS), Int(CKO_PRIVATE_KEY))]
        if let label = selector.objectLabel {
            attributes.append(PKCS11Attribute(type: Int(CKA_LABEL), value: Array(label.utf8)))
        }
        if let identifier = selector.objectIdentifier {
            attributes.append(PKCS11Attribute(type: Int(CKA_ID), value: identifier))
        }
        return attributes
    }

    /// A device that is out says nothing of the wrapped key; all else is one error.
    private static func unwrappingError(_ error: PKCS11Result) -> PrimitivesError {
        error.isAboutData ? .unwrappingFailed : .keyUnavailable(sentence(error))
    }

    /// What an answer means, for people.
    private static func sentence(_ error: PKCS11Result, hasPIN: Bool = true) -> String {
        switch error {
        case .pinIncorrect: "the token refuses the PIN (\(error.name))"
        case .pinLocked: "the token is locked after too many wrong PINs (\(error.name))"
        case .tokenNotPresent: "the token is not there (\(error.name))"
        case .objectHandleInvalid:
            hasPIN
                ? "the token holds no private key of that name"
                : "the token shows no private key of that name without a PIN; name its file with pin-source"
        default: "the token answers \(error.name)"
        }
    }
}
