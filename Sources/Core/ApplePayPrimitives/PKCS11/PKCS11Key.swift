internal import CApplePaySystem

/// A private key that stays in a device, used through PKCS#11.
///
/// The module runs on separate threads, and the caller waits for it up to a limit; after that, the device is reported
/// as unavailable. Sessions are pooled, so several threads can use the key at once. If a call does not return in time,
/// its session is closed when it does, and not used again. A lost session is reopened, once for each token.
package final class PKCS11Key: PrivateKeyOperations {
    /// The public half.
    package let publicKey: RecipientPublicKey

    /// The certificate with the key's identifier; nil if the device has none.
    package let certificate: X509Certificate?

    /// The threads of all callers that wait for this module.
    package var waitingThreads: ThreadLimit? { threads.callers }

    private let threads: DeviceThreads
    private let timeLimit: Duration

    /// Used only on ``threads``, since dropping a session closes it.
    private let sessions: Pool<PKCS11KeySession, PrimitivesError>

    /// How an EC key restores content keys; nil for an RSA key.
    private let agreement: PKCS11Agreement?

    /// Removes OAEP's padding for a module that has only the raw RSA operation; nil until needed.
    private let padding = Lock<PrivateKey?>(nil)

    /// Finds the key, and tries how an EC key restores content keys.
    ///
    /// - Parameters:
    ///   - selector: The module, the token and the key.
    ///   - timeLimit: How long finding and trying the key may take, including loading the module, and then
    ///     each use of the key.
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` if the search takes too long or there is a problem with the
    ///   module, the token, the PIN, the key's name or its permissions; then ``PrimitivesError/unsupportedKey(_:)``;
    ///   then ``PrimitivesError/keyUnavailable(_:)`` if an EC key cannot restore content keys.
    package init(_ selector: PKCS11Selector, timeLimit: Duration) throws(PrimitivesError) {
        let library = PKCS11Library.at(selector.modulePath)
        let attributes = Self.attributes(of: selector)
        threads = library.threads
        self.timeLimit = timeLimit
        let module: PKCS11Module
        (module, certificate, publicKey, agreement) = try threads.run(within: timeLimit) {
            isAwaited throws(PrimitivesError) in
            let module = try library.load()
            let slot = try module.slot(of: selector)
            do throws(PrimitivesError) {
                guard isAwaited() else { throw .device(.functionCanceled) }
                let session = try PKCS11Session(module, slot: slot, pin: selector.pin)
                guard isAwaited() else { throw .device(.functionCanceled) }
                let found = try PKCS11KeyObjects(session, attributes)
                try found.check(hasPIN: selector.pin != nil)
                let certificate = try found.certificate.map { der throws(PrimitivesError) in
                    try X509Certificate(der: der.span)
                }
                let publicKey = try found.publicKey(certificate: certificate)
                guard publicKey.kind == .p256 else { return (module, certificate, publicKey, nil) }
                guard isAwaited() else { throw .device(.functionCanceled) }
                let agreement = try PKCS11Agreement.tried(
                    with: PKCS11KeySession(session, attributes), publicKey, isAwaited)
                return (module, certificate, publicKey, agreement)
            } catch .device(let result) {
                throw .keyUnavailable(Self.sentence(result, hasPIN: selector.pin != nil))
            }
        }
        let refusedPIN = Lock<PKCS11Result?>(nil)
        sessions = Pool { () throws(PrimitivesError) in
            // Open one session at a time, and do not retry a refused PIN: repeated attempts would lock the token.
            try refusedPIN.withLock { refused throws(PrimitivesError) in
                if let refused { throw .device(refused) }
                guard let slot = try? module.slot(of: selector) else {
                    throw .device(.tokenNotPresent)
                }
                do throws(PrimitivesError) {
                    let session = try PKCS11Session(module, slot: slot, pin: selector.pin)
                    return try PKCS11KeySession(session, attributes)
                } catch .device(let result) where result.isAboutPIN {
                    refused = result
                    throw .device(result)
                }
            }
        }
    }

    /// Returns a key that the device derives when it decrypts, after checking that the point is on the curve.
    package func contentKey(
        agreedWith point: Span<UInt8>,
        otherInfo: Span<UInt8>
    ) throws(PrimitivesError) -> ContentKey {
        guard publicKey.kind == .p256 else { throw .invalidPoint }
        _ = try EVPKey(p256Point: point)
        return .inDevice(
            self, point: point.indices.map { point[$0] },
            otherInfo: otherInfo.indices.map { otherInfo[$0] })
    }

    /// Restores the content key of ``contentKey(agreedWith:otherInfo:)``, and decrypts with it.
    func open(
        _ sealed: Span<UInt8>,
        point: [UInt8],
        otherInfo: [UInt8]
    ) throws(PrimitivesError) -> SensitiveBytes {
        guard let agreement else { throw .invalidPoint }
        let sealed = sealed.indices.map { sealed[$0] }
        return try threads.run(within: timeLimit) { [self] isAwaited throws(PrimitivesError) in
            do throws(PrimitivesError) {
                return try perform(isAwaited) { key throws(PrimitivesError) in
                    try key.open(sealed.span, agreement, point: point, otherInfo: otherInfo)
                }
            } catch .device(let result) {
                throw .keyUnavailable(Self.sentence(result))
            }
        }
    }

    /// Decrypts RSAES-OAEP in the device; if it has only the raw operation, libcrypto removes the padding.
    package func unwrap(_ wrapped: Span<UInt8>, count: Int) throws(PrimitivesError) -> SecretBytes {
        guard publicKey.kind == .rsa2048, wrapped.count == 256 else { throw .unwrappingFailed }
        let octets = wrapped.indices.map { wrapped[$0] }
        let known = padding.withLock { $0 }
        let isBare = known != nil
        let decrypted = try threads.run(within: timeLimit) {
            [self] isAwaited throws(PrimitivesError) in
            do throws(PrimitivesError) {
                if isBare { return try decrypt(octets, isPadded: true, isAwaited) }
                do throws(PrimitivesError) {
                    return try decrypt(octets, isPadded: false, isAwaited)
                } catch .device(let result) where result.isMissingMechanism {
                    return try decrypt(octets, isPadded: true, isAwaited)
                }
            } catch .device(let result) {
                throw .keyUnavailable(Self.sentence(result))
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

    /// The output of a device's decryption: the first `count` bytes of 256.
    private struct Decrypted: Sendable {
        let block: SensitiveBytes
        let count: Int
        let isPadded: Bool
    }

    private func decrypt(
        _ wrapped: [UInt8],
        isPadded: Bool,
        _ isAwaited: () -> Bool
    ) throws(PrimitivesError) -> Decrypted {
        try perform(isAwaited) { key throws(PrimitivesError) in
            var count = 0
            let block = try SecretBytes(count: 256) { block throws(PrimitivesError) in
                count =
                    try isPadded
                    ? key.decryptRaw(wrapped.span, into: &block)
                    : key.decryptOAEP(wrapped.span, into: &block)
            }
            return Decrypted(block: SensitiveBytes(block), count: count, isPadded: isPadded)
        }
    }

    /// Runs `body` with a session on the calling thread; closes the session if the call failed or was abandoned.
    private func perform<Result>(
        _ isAwaited: () -> Bool,
        _ body: (PKCS11KeySession) throws(PrimitivesError) -> Result
    ) throws(PrimitivesError) -> Result {
        func use(_ session: PKCS11KeySession) throws(PrimitivesError) -> Result {
            guard isAwaited() else { throw .device(.functionCanceled) }
            let result = try body(session)
            guard isAwaited() else { throw .device(.functionCanceled) }
            return result
        }
        do throws(PrimitivesError) {
            return try sessions.withContext(use)
        } catch .device(let result) where result.isLostSession {}
        sessions.removeIdle()
        return try sessions.withContext(use)
    }

    deinit {
        threads.settle(within: timeLimit) { [sessions] in sessions.removeIdle() }
    }

    private static func attributes(of selector: PKCS11Selector) -> [PKCS11Attribute] {
        var attributes = [PKCS11Attribute.number(Int(CKA_CLASS), Int(CKO_PRIVATE_KEY))]
        if let label = selector.objectLabel {
            attributes.append(PKCS11Attribute(type: Int(CKA_LABEL), value: label))
        }
        if let identifier = selector.objectIdentifier {
            attributes.append(PKCS11Attribute(type: Int(CKA_ID), value: identifier))
        }
        return attributes
    }

    /// Returns the meaning of a result, for people.
    private static func sentence(_ result: PKCS11Result, hasPIN: Bool = true) -> String {
        switch result {
        case .pinIncorrect: "the token refused the PIN (\(result.name))"
        case .pinLocked: "the token is locked after too many wrong PINs (\(result.name))"
        case .tokenNotPresent: "the token is not present (\(result.name))"
        case .objectHandleInvalid:
            hasPIN
                ? "no private key on the token matches the URI"
                : "the token shows no matching private key without a PIN; name the PIN's file with pin-source"
        default: "the token answered \(result.name)"
        }
    }
}
