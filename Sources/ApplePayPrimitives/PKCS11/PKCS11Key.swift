internal import CApplePaySystem

/// A private key that stays in a device, used through PKCS#11.
///
/// The module is called on other threads than the caller's, which waits up to a limit; then the device is
/// reported as out. Sessions are pooled, so threads use the key side by side. The session of a call
/// that did not return in time is closed when it does, and not used again. A session that was lost is
/// opened again, once for each token.
package final class PKCS11Key: PrivateKeyOperations {
    /// The public half.
    package let publicKey: RecipientPublicKey

    /// The certificate that stands beside the key, with the same identifier; nil when there is none.
    package let certificate: X509Certificate?

    private let threads: DeviceThreads
    private let timeLimit: Duration

    /// Used on ``threads`` alone, since dropping a session closes it.
    private let sessions: Pool<PKCS11KeySession, PKCS11Result>

    /// Whether the module wants an ephemeral point wrapped in an OCTET STRING.
    private let wrapsPoints = Lock(false)

    /// Takes off OAEP's padding for a module that only has the bare operation; nil until needed.
    private let padding = Lock<PrivateKey?>(nil)

    /// Finds the key.
    ///
    /// - Parameters:
    ///   - selector: The module, the token and the key.
    ///   - timeLimit: How long finding the key may take, the module's loading included, and then each
    ///     use of the key.
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` with what is wrong: the time that it took, the
    ///   module, the token, the PIN, the key's name or its permission; then
    ///   ``PrimitivesError/unsupportedKey(_:)``.
    package init(_ selector: PKCS11Selector, timeLimit: Duration) throws(PrimitivesError) {
        let library = PKCS11Library.at(selector.modulePath)
        let attributes = Self.attributes(of: selector)
        threads = library.threads
        self.timeLimit = timeLimit
        let (module, found) = try threads.run(within: timeLimit) {
            isAwaited throws(PrimitivesError) in
            let module = try library.load()
            let slot = try module.slot(of: selector)
            do throws(PKCS11Result) {
                guard isAwaited() else { throw .functionCanceled }
                let session = try PKCS11Session(module, slot: slot, pin: selector.pin)
                guard isAwaited() else { throw .functionCanceled }
                return (module, try PKCS11KeyObjects(session, attributes))
            } catch {
                throw .keyUnavailable(Self.sentence(error, hasPIN: selector.pin != nil))
            }
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

    /// ECDH in the device; that the point is on the curve is checked before it gets there.
    package func deriveSharedSecret(
        with point: Span<UInt8>,
        into secret: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        guard publicKey.kind == .p256 else { throw .invalidPoint }
        _ = try EVPKey(p256Point: point)
        precondition(secret.count == 32, "a P-256 shared secret has 32 bytes")
        let octets = point.indices.map { point[$0] }
        let derived = try threads.run(within: timeLimit) {
            [self] isAwaited throws(PrimitivesError) in
            do throws(PKCS11Result) {
                return try derive(with: octets, isAwaited)
            } catch {
                throw .keyUnavailable(Self.sentence(error))
            }
        }
        derived.withRevealedBytes { derived in
            for index in derived.indices { secret[index] = derived[index] }
        }
    }

    private func derive(
        with octets: [UInt8],
        _ isAwaited: () -> Bool
    ) throws(PKCS11Result) -> SensitiveBytes {
        func derive(_ octets: [UInt8]) throws(PKCS11Result) -> SensitiveBytes {
            try perform(isAwaited) { key throws(PKCS11Result) in
                SensitiveBytes(
                    try SecretBytes(count: 32) { secret throws(PKCS11Result) in
                        try key.derive(with: octets, into: &secret)
                    })
            }
        }
        if !wrapsPoints.withLock({ $0 }) {
            do throws(PKCS11Result) {
                return try derive(octets)
            } catch {
                guard error.isMissingMechanism else { throw error }
            }
        }
        let derived = try derive([0x04, UInt8(octets.count)] + octets)
        wrapsPoints.withLock { $0 = true }
        return derived
    }

    /// RSAES-OAEP in the device; where it has only the bare operation, libcrypto takes off the padding.
    package func unwrap(
        _ wrapped: Span<UInt8>,
        count: Int
    ) throws(PrimitivesError) -> SecretBytes {
        guard publicKey.kind == .rsa2048, wrapped.count == 256 else { throw .unwrappingFailed }
        let octets = wrapped.indices.map { wrapped[$0] }
        let known = padding.withLock { $0 }
        let isBare = known != nil
        let decrypted = try threads.run(within: timeLimit) {
            [self] isAwaited throws(PrimitivesError) in
            do throws(PKCS11Result) {
                if isBare { return try decrypt(octets, isPadded: true, isAwaited) }
                do throws(PKCS11Result) {
                    return try decrypt(octets, isPadded: false, isAwaited)
                } catch {
                    guard error.isMissingMechanism else { throw error }
                    return try decrypt(octets, isPadded: true, isAwaited)
                }
            } catch {
                throw Self.unwrappingError(error)
            }
        }
        guard decrypted.isPadded else {
            guard decrypted.count == count else { throw .unwrappingFailed }
            return decrypted.block.withRevealedBytes {
                SecretBytes(copying: $0.extracting(0..<count))
            }
        }
        guard decrypted.count == 256 else { throw .unwrappingFailed }
        let padding =
            if let known { known } else { try PrivateKey(publicKey.withoutPrivateExponent()) }
        let key = try decrypted.block.withRevealedBytes { block throws(PrimitivesError) in
            try padding.unwrap(block, count: count)
        }
        self.padding.withLock { $0 = padding }
        return key
    }

    /// What a device decrypted: the first `count` bytes of 256.
    private struct Decrypted: Sendable {
        let block: SensitiveBytes
        let count: Int
        let isPadded: Bool
    }

    private func decrypt(
        _ wrapped: [UInt8],
        isPadded: Bool,
        _ isAwaited: () -> Bool
    ) throws(PKCS11Result) -> Decrypted {
        try perform(isAwaited) { key throws(PKCS11Result) in
            var count = 0
            let block = try SecretBytes(count: 256) { block throws(PKCS11Result) in
                count =
                    try isPadded
                    ? key.decryptRaw(wrapped.span, into: &block)
                    : key.decryptOAEP(wrapped.span, into: &block)
            }
            return Decrypted(block: SensitiveBytes(block), count: count, isPadded: isPadded)
        }
    }

    /// Uses a session, on the calling thread; an abandoned call's session is closed as one that failed.
    private func perform<Result>(
        _ isAwaited: () -> Bool,
        _ body: (PKCS11KeySession) throws(PKCS11Result) -> Result
    ) throws(PKCS11Result) -> Result {
        func use(_ session: PKCS11KeySession) throws(PKCS11Result) -> Result {
            guard isAwaited() else { throw .functionCanceled }
            let result = try body(session)
            guard isAwaited() else { throw .functionCanceled }
            return result
        }
        do throws(PKCS11Result) {
            return try sessions.withContext(use)
        } catch {
            guard error.isLostSession else { throw error }
        }
        sessions.removeIdle()
        return try sessions.withContext(use)
    }

    deinit {
        threads.settle(within: timeLimit) { [sessions] in sessions.removeIdle() }
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
