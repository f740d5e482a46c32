/// How an EC key in a device restores content keys; found by trial when the key is loaded.
struct PKCS11Agreement: Sendable {
    /// The ways, in the order of preference: what leaves the device is the token's key, nothing, or the shared secret.
    enum Form: String, CaseIterable {
        /// The device derives the content key, which is read.
        case readKey = "CKD_SHA256_KDF_SP800 with a key that can be read"

        /// The device derives the content key, and decrypts with it.
        case keyInDevice = "CKD_SHA256_KDF_SP800 with a sensitive key for CKM_AES_GCM"

        /// The device computes the shared secret, which is read.
        case readSecret = "CKD_NULL with a secret that can be read"
    }

    let form: Form

    /// Whether the module expects an ephemeral point wrapped in an OCTET STRING.
    let wrapsPoint: Bool

    private init(_ form: Form, wrapsPoint: Bool) {
        self.form = form
        self.wrapsPoint = wrapsPoint
    }

    /// Finds the first way that restores a key on which libcrypto agrees with the device.
    ///
    /// A module may accept a mechanism and derive another key, for example because it ignores the shared data.
    ///
    /// - Parameters:
    ///   - session: A session with the key.
    ///   - publicKey: The key's public half.
    ///   - isAwaited: Returns false once the call was abandoned.
    /// - Returns: The way.
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` with the device's reason against each way.
    static func tried(
        with session: PKCS11KeySession,
        _ publicKey: RecipientPublicKey,
        _ isAwaited: () -> Bool
    ) throws(PrimitivesError) -> PKCS11Agreement {
        let trial = try Trial(publicKey)
        var refusals = Form.allCases.map { _ in [String]() }
        for wrapsPoint in [false, true] {
            for (index, form) in Form.allCases.enumerated() {
                let agreement = PKCS11Agreement(form, wrapsPoint: wrapsPoint)
                guard let refusal = try trial.refusal(of: agreement, session, isAwaited) else {
                    return agreement
                }
                if !refusals[index].contains(refusal) { refusals[index].append(refusal) }
            }
        }
        let list = zip(Form.allCases, refusals).map { form, refusals in
            "\(form.rawValue): \(refusals.joined(separator: ", and with the point in an OCTET STRING "))"
        }
        throw .keyUnavailable(
            "the device restores content keys in none of these ways: \(list.joined(separator: "; "))"
        )
    }

    /// A message that is encrypted to the device's key as a token is.
    private struct Trial {
        private let point: [UInt8]
        private let sealed: [UInt8]
        private static let otherInfo = [UInt8](1...51)
        private static let plaintext = [UInt8](1...32)

        init(_ publicKey: RecipientPublicKey) throws(PrimitivesError) {
            let ephemeralKey = try PrivateKey(NewPrivateKey(.p256).key)
            point = Array(ephemeralKey.publicKey.subjectPublicKeyInfo[P256PublicKey.pointRange])
            let devicePoint = publicKey.subjectPublicKeyInfo[P256PublicKey.pointRange]
            let key = try ContentKey.derived(otherInfo: Self.otherInfo.span) {
                secret throws(PrimitivesError) in
                try ephemeralKey.deriveSharedSecret(with: devicePoint.span, into: &secret)
            }
            sealed = try key.withSpan { key throws(PrimitivesError) in
                try AESGCM.seal(Self.plaintext, key: key)
            }
        }

        /// Returns why the device does not restore the message's key in this way; nil if it does.
        func refusal(
            of agreement: PKCS11Agreement,
            _ session: PKCS11KeySession,
            _ isAwaited: () -> Bool
        ) throws(PrimitivesError) -> String? {
            func opened(_ sealed: [UInt8]) throws(PrimitivesError) -> SensitiveBytes? {
                guard isAwaited() else { throw .device(.functionCanceled) }
                do throws(PrimitivesError) {
                    return try session.open(
                        sealed.span, agreement, point: point, otherInfo: Self.otherInfo)
                } catch .authenticationFailed {
                    return nil
                }
            }
            do throws(PrimitivesError) {
                var altered = sealed
                altered[sealed.count - 1] ^= 1
                guard try opened(altered) == nil else { return "the device accepts a wrong tag" }
                let isRight = try opened(sealed)?.withRevealedBytes {
                    ConstantTimeComparison.areEqual($0, Self.plaintext.span)
                }
                return isRight == true ? nil : "the device derives another key than libcrypto"
            } catch .device(let result) {
                guard isAwaited() else { throw .device(.functionCanceled) }
                return result.nameAndNumber
            }
        }
    }
}
