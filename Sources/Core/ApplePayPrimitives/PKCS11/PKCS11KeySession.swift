internal import CApplePaySystem

/// A session with a token and the private key in it.
final class PKCS11KeySession {
    let session: PKCS11Session
    let key: CK_ULONG

    /// Takes over a session and finds the one private key that matches.
    ///
    /// - Throws: The module's result; `CKR_OBJECT_HANDLE_INVALID` if no key matches.
    init(_ session: PKCS11Session, _ attributes: [PKCS11Attribute]) throws(PrimitivesError) {
        let found = try session.objects(attributes)
        guard found.count == 1 else { throw .device(.objectHandleInvalid) }
        self.session = session
        key = found[0]
    }

    /// Restores a content key with ECDH (CKM_ECDH1_DERIVE), and decrypts with AES-GCM.
    ///
    /// - Parameters:
    ///   - sealed: The ciphertext and its tag.
    ///   - agreement: How the device restores the key.
    ///   - point: The other party's public key, 65 bytes.
    ///   - otherInfo: The context of the key.
    /// - Returns: The plaintext.
    /// - Throws: The module's result; ``PrimitivesError/authenticationFailed`` if the tag is wrong.
    func open(
        _ sealed: Span<UInt8>,
        _ agreement: PKCS11Agreement,
        point: [UInt8],
        otherInfo: [UInt8]
    ) throws(PrimitivesError) -> SensitiveBytes {
        guard let destroy = unsafe session.functions.pointee.C_DestroyObject else {
            throw .device(.functionNotSupported)
        }
        let point = agreement.wrapsPoint ? [0x04, UInt8(point.count)] + point : point
        let derived = try derive(agreement.form, with: point, otherInfo)
        defer { _ = destroy(session.handle, derived) }
        switch agreement.form {
        case .readKey:
            let key = try SecretBytes(count: 32) { key throws(PrimitivesError) in
                try read(derived, into: &key)
            }
            return try ContentKey.inMemory(key).open(sealed)
        case .keyInDevice:
            return try decryptGCM(sealed, with: derived)
        case .readSecret:
            let key = try ContentKey.derived(otherInfo: otherInfo.span) {
                secret throws(PrimitivesError) in
                try read(derived, into: &secret)
            }
            return try ContentKey.inMemory(key).open(sealed)
        }
    }

    /// Derives a key of 32 bytes: a session object, which the caller destroys.
    private func derive(
        _ form: PKCS11Agreement.Form,
        with point: [UInt8],
        _ otherInfo: [UInt8]
    ) throws(PrimitivesError) -> CK_ULONG {
        guard let deriveKey = unsafe session.functions.pointee.C_DeriveKey else {
            throw .device(.functionNotSupported)
        }
        let staysInDevice = form == .keyInDevice
        var template: [PKCS11Attribute] = [
            .number(Int(CKA_CLASS), Int(CKO_SECRET_KEY)),
            .number(Int(CKA_KEY_TYPE), Int(staysInDevice ? CKK_AES : CKK_GENERIC_SECRET)),
            .boolean(Int(CKA_TOKEN), false), .boolean(Int(CKA_SENSITIVE), staysInDevice),
            .boolean(Int(CKA_EXTRACTABLE), !staysInDevice), .number(Int(CKA_VALUE_LEN), 32),
        ]
        if staysInDevice { template.append(.boolean(Int(CKA_DECRYPT), true)) }
        var point = point
        // CKD_NULL requires a null pointer.
        var sharedData = form == .readSecret ? nil : otherInfo
        var derived: CK_ULONG = 0
        let result = unsafe point.withUnsafeMutableBufferPointer { point in
            func derive(_ sharedData: UnsafeMutableBufferPointer<UInt8>?) -> CK_RV {
                var parameters = unsafe CK_ECDH1_DERIVE_PARAMS(
                    kdf: CK_ULONG(sharedData == nil ? CKD_NULL : CKD_SHA256_KDF_SP800),
                    ulSharedDataLen: CK_ULONG(sharedData?.count ?? 0),
                    pSharedData: sharedData?.baseAddress,
                    ulPublicDataLen: CK_ULONG(point.count), pPublicData: point.baseAddress)
                return unsafe withUnsafeMutablePointer(to: &parameters) { parameters in
                    var mechanism = unsafe CK_MECHANISM(
                        mechanism: CK_ULONG(CKM_ECDH1_DERIVE), pParameter: parameters,
                        ulParameterLen: CK_ULONG(MemoryLayout<CK_ECDH1_DERIVE_PARAMS>.size))
                    return unsafe PKCS11Attribute.withTemplate(template) {
                        unsafe deriveKey(session.handle, &mechanism, key, $0, $1, &derived)
                    }
                }
            }
            return unsafe sharedData?.withUnsafeMutableBufferPointer { unsafe derive($0) }
                ?? derive(nil)
        }
        try PKCS11Result.check(result)
        return derived
    }

    /// Reads the 32 bytes of a derived key.
    private func read(
        _ derived: CK_ULONG,
        into value: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        guard let get = unsafe session.functions.pointee.C_GetAttributeValue else {
            throw .device(.functionNotSupported)
        }
        let result = unsafe value.withUnsafeMutableBufferPointer { value in
            var attribute = unsafe CK_ATTRIBUTE(
                type: CK_ULONG(CKA_VALUE), pValue: value.baseAddress,
                ulValueLen: CK_ULONG(value.count))
            let code = unsafe get(session.handle, derived, &attribute, 1)
            // A module that strips leading zeros would return fewer bytes, at the wrong offset.
            guard code == 0 else { return code }
            let isWhole = unsafe attribute.ulValueLen == CK_ULONG(value.count)
            return isWhole ? 0 : PKCS11Result.generalError.code
        }
        try PKCS11Result.check(result)
    }

    /// Decrypts with a key in the device (CKM_AES_GCM) as ``AESGCM`` does with one in memory.
    private func decryptGCM(
        _ sealed: Span<UInt8>,
        with key: CK_ULONG
    ) throws(PrimitivesError) -> SensitiveBytes {
        guard sealed.count >= AESGCM.tagCount else { throw .authenticationFailed }
        var iv = [UInt8](repeating: 0, count: AESGCM.ivCount)
        var count = 0
        // Some modules need room for the tag.
        let block = try SecretBytes(count: sealed.count) { block throws(PrimitivesError) in
            count = try unsafe iv.withUnsafeMutableBufferPointer { iv throws(PrimitivesError) in
                var parameters = unsafe CK_GCM_PARAMS(
                    pIv: iv.baseAddress, ulIvLen: CK_ULONG(iv.count),
                    ulIvBits: CK_ULONG(iv.count * 8), pAAD: nil, ulAADLen: 0,
                    ulTagBits: CK_ULONG(AESGCM.tagCount * 8))
                return try unsafe withUnsafeMutablePointer(to: &parameters) {
                    parameters throws(PrimitivesError) in
                    try unsafe decrypt(
                        sealed, into: &block,
                        CK_MECHANISM(
                            mechanism: CK_ULONG(CKM_AES_GCM), pParameter: parameters,
                            ulParameterLen: CK_ULONG(MemoryLayout<CK_GCM_PARAMS>.size)),
                        with: key, refusal: .authenticationFailed)
                }
            }
        }
        guard count == sealed.count - AESGCM.tagCount,
            let plaintext = SensitiveBytes(block).slice(0..<count)
        else { throw .device(.generalError) }
        return plaintext
    }

    /// Decrypts RSAES-OAEP with SHA-256 and MGF1-SHA-256 (CKM_RSA_PKCS_OAEP).
    ///
    /// - Returns: The length of the plaintext, which is written to the start of `block`.
    func decryptOAEP(
        _ wrapped: Span<UInt8>,
        into block: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) -> Int {
        var parameters = unsafe CK_RSA_PKCS_OAEP_PARAMS(
            hashAlg: CK_ULONG(CKM_SHA256), mgf: CK_ULONG(CKG_MGF1_SHA256),
            source: CK_ULONG(CKZ_DATA_SPECIFIED), pSourceData: nil, ulSourceDataLen: 0)
        return try unsafe withUnsafeMutablePointer(to: &parameters) {
            parameters throws(PrimitivesError) in
            try unsafe decrypt(
                wrapped, into: &block,
                CK_MECHANISM(
                    mechanism: CK_ULONG(CKM_RSA_PKCS_OAEP), pParameter: parameters,
                    ulParameterLen: CK_ULONG(MemoryLayout<CK_RSA_PKCS_OAEP_PARAMS>.size)),
                with: key, refusal: .unwrappingFailed)
        }
    }

    /// Performs the raw RSA operation (CKM_RSA_X_509), which leaves the padding in the result.
    func decryptRaw(
        _ wrapped: Span<UInt8>,
        into block: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) -> Int {
        try unsafe decrypt(
            wrapped, into: &block,
            CK_MECHANISM(
                mechanism: CK_ULONG(CKM_RSA_X_509), pParameter: nil, ulParameterLen: 0),
            with: key, refusal: .unwrappingFailed)
    }

    /// Decrypts with a key of the session; throws `refusal` if the data may be wrong, and else the module's result.
    private func decrypt(
        _ ciphertext: Span<UInt8>,
        into block: inout MutableSpan<UInt8>,
        _ mechanism: CK_MECHANISM,
        with key: CK_ULONG,
        refusal: PrimitivesError
    ) throws(PrimitivesError) -> Int {
        guard let begin = unsafe session.functions.pointee.C_DecryptInit,
            let decrypt = unsafe session.functions.pointee.C_Decrypt
        else { throw .device(.functionNotSupported) }
        var mechanism = unsafe mechanism
        try PKCS11Result.check(unsafe begin(session.handle, &mechanism, key))
        var count = CK_ULONG(block.count)
        let code = unsafe block.withUnsafeMutableBufferPointer { block in
            unsafe ciphertext.withUnsafeBufferPointer { ciphertext in
                unsafe decrypt(
                    session.handle, ciphertext.baseAddress, CK_ULONG(ciphertext.count),
                    block.baseAddress, &count)
            }
        }
        // Only this call judges the data: an unavailable device is not a verdict.
        guard !PKCS11Result(code: code).isAboutData else { throw refusal }
        try PKCS11Result.check(code)
        guard count <= CK_ULONG(block.count) else { throw .device(.generalError) }
        return Int(count)
    }
}
