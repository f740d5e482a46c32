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

    /// Computes ECDH without a key derivation function (CKM_ECDH1_DERIVE, CKD_NULL).
    ///
    /// - Parameters:
    ///   - point: The other party's public key, in the form that the module expects.
    ///   - secret: Receives Z, 32 bytes.
    /// - Throws: The module's result.
    func derive(
        with point: [UInt8],
        into secret: inout MutableSpan<UInt8>
    ) throws(PrimitivesError) {
        guard let deriveKey = unsafe session.functions.pointee.C_DeriveKey,
            let destroy = unsafe session.functions.pointee.C_DestroyObject,
            let get = unsafe session.functions.pointee.C_GetAttributeValue
        else { throw .device(.functionNotSupported) }
        var point = point
        var derived: CK_ULONG = 0
        // A session object that is read once and destroyed immediately, because Z is needed in this process.
        let template: [PKCS11Attribute] = [
            .number(Int(CKA_CLASS), Int(CKO_SECRET_KEY)),
            .number(Int(CKA_KEY_TYPE), Int(CKK_GENERIC_SECRET)),
            .boolean(Int(CKA_TOKEN), false), .boolean(Int(CKA_SENSITIVE), false),
            .boolean(Int(CKA_EXTRACTABLE), true), .number(Int(CKA_VALUE_LEN), 32),
        ]
        let result = unsafe point.withUnsafeMutableBufferPointer { point in
            var parameters = unsafe CK_ECDH1_DERIVE_PARAMS(
                kdf: CK_ULONG(CKD_NULL), ulSharedDataLen: 0, pSharedData: nil,
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
        try PKCS11Result.check(result)
        defer { _ = destroy(session.handle, derived) }
        let read = unsafe secret.withUnsafeMutableBufferPointer { secret in
            var attribute = unsafe CK_ATTRIBUTE(
                type: CK_ULONG(CKA_VALUE), pValue: secret.baseAddress,
                ulValueLen: CK_ULONG(secret.count))
            let code = unsafe get(session.handle, derived, &attribute, 1)
            // A module that strips leading zeros would return fewer bytes, at the wrong offset.
            guard code == 0 else { return code }
            let isWhole = unsafe attribute.ulValueLen == CK_ULONG(secret.count)
            return isWhole ? 0 : PKCS11Result.generalError.code
        }
        try PKCS11Result.check(read)
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
                    ulParameterLen: CK_ULONG(MemoryLayout<CK_RSA_PKCS_OAEP_PARAMS>.size)))
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
                mechanism: CK_ULONG(CKM_RSA_X_509), pParameter: nil, ulParameterLen: 0))
    }

    private func decrypt(
        _ wrapped: Span<UInt8>,
        into block: inout MutableSpan<UInt8>,
        _ mechanism: CK_MECHANISM
    ) throws(PrimitivesError) -> Int {
        guard let begin = unsafe session.functions.pointee.C_DecryptInit,
            let decrypt = unsafe session.functions.pointee.C_Decrypt
        else { throw .device(.functionNotSupported) }
        var mechanism = unsafe mechanism
        try PKCS11Result.check(unsafe begin(session.handle, &mechanism, key))
        var count = CK_ULONG(block.count)
        let code = unsafe block.withUnsafeMutableBufferPointer { block in
            unsafe wrapped.withUnsafeBufferPointer { wrapped in
                unsafe decrypt(
                    session.handle, wrapped.baseAddress, CK_ULONG(wrapped.count),
                    block.baseAddress, &count)
            }
        }
        try PKCS11Result.check(code)
        guard count <= CK_ULONG(block.count) else { throw .device(.generalError) }
        return Int(count)
    }
}
