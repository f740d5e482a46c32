internal import CApplePaySystem

/// A session with a token and a logged-in user, for one thread at a time.
@safe
final class PKCS11Session {
    let functions: UnsafePointer<CK_FUNCTION_LIST>
    let handle: CK_ULONG

    /// Opens a session and logs in; the login applies to all sessions of the process.
    ///
    /// - Throws: The module's result.
    init(_ module: PKCS11Module, slot: CK_ULONG, pin: SensitiveBytes?) throws(PrimitivesError) {
        unsafe functions = module.functions
        var handle: CK_ULONG = 0
        guard let openSession = unsafe functions.pointee.C_OpenSession else {
            throw .device(.functionNotSupported)
        }
        try unsafe PKCS11Result.check(
            openSession(slot, CK_ULONG(CKF_SERIAL_SESSION), nil, nil, &handle))
        self.handle = handle
        guard let pin else { return }
        do {
            try logIn(pin)
        } catch {
            // All properties are set at this point, so deinit closes the session.
            throw error
        }
    }

    private func logIn(_ pin: SensitiveBytes) throws(PrimitivesError) {
        guard let login = unsafe functions.pointee.C_Login else {
            throw .device(.functionNotSupported)
        }
        let result = pin.withRevealedBytes { pin in
            unsafe pin.withUnsafeBufferPointer { pin in
                unsafe login(handle, CK_ULONG(CKU_USER), pin.baseAddress, CK_ULONG(pin.count))
            }
        }
        guard result != PKCS11Result.alreadyLoggedIn.code else { return }
        try PKCS11Result.check(result)
    }

    /// Returns the handles of the objects that have these attributes, at most three.
    func objects(_ attributes: [PKCS11Attribute]) throws(PrimitivesError) -> [CK_ULONG] {
        guard let begin = unsafe functions.pointee.C_FindObjectsInit,
            let next = unsafe functions.pointee.C_FindObjects,
            let end = unsafe functions.pointee.C_FindObjectsFinal
        else { throw .device(.functionNotSupported) }
        try PKCS11Result.check(
            unsafe PKCS11Attribute.withTemplate(attributes) { unsafe begin(handle, $0, $1) })
        defer { _ = end(handle) }
        var found = [CK_ULONG](repeating: 0, count: 3)
        var count: CK_ULONG = 0
        try unsafe PKCS11Result.check(next(handle, &found, CK_ULONG(found.count), &count))
        return Array(found.prefix(Int(min(count, CK_ULONG(found.count)))))
    }

    /// Returns an attribute's value; nil if the object lacks it or hides it, or if it is larger than 64 KiB.
    func value(of object: CK_ULONG, _ type: Int) throws(PrimitivesError) -> [UInt8]? {
        guard let get = unsafe functions.pointee.C_GetAttributeValue else {
            throw .device(.functionNotSupported)
        }
        var attribute = unsafe CK_ATTRIBUTE(type: CK_ULONG(type), pValue: nil, ulValueLen: 0)
        let result = unsafe PKCS11Result(code: get(handle, object, &attribute, 1))
        guard !result.isDeviceFault else { throw .device(result) }
        guard result.code == 0, unsafe attribute.ulValueLen <= 1 << 16 else { return nil }
        var value = unsafe [UInt8](repeating: 0, count: Int(attribute.ulValueLen))
        let code = unsafe value.withUnsafeMutableBytes { value in
            unsafe attribute.pValue = value.baseAddress
            return unsafe get(handle, object, &attribute, 1)
        }
        return code == 0 ? value : nil
    }

    deinit {
        if let close = unsafe functions.pointee.C_CloseSession { _ = close(handle) }
    }
}
