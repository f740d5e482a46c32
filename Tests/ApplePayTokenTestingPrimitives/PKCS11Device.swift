internal import CApplePaySystem

/// A PKCS#11 module as somebody else in the process might treat it.
package enum PKCS11Device {
    /// Closes every session that the process has, so that all handles are lost.
    package static func closeAllSessions(module: String) {
        guard let functions = unsafe functions(module) else { return }
        var slots = [CK_ULONG](repeating: 0, count: 16)
        var count = CK_ULONG(slots.count)
        guard unsafe functions.pointee.C_GetSlotList?(1, &slots, &count) == 0 else { return }
        for slot in slots.prefix(Int(count)) {
            _ = unsafe functions.pointee.C_CloseAllSessions?(slot)
        }
    }

    /// Shuts the module down for the length of the call, as if the device were gone.
    package static func withoutDevice(module: String, _ body: () throws -> Void) rethrows {
        guard let functions = unsafe functions(module) else { return }
        _ = unsafe functions.pointee.C_Finalize?(nil)
        defer {
            var arguments = unsafe CK_C_INITIALIZE_ARGS()
            unsafe arguments.flags = CK_ULONG(CKF_OS_LOCKING_OK)
            _ = unsafe functions.pointee.C_Initialize?(&arguments)
        }
        try body()
    }

    private static func functions(_ path: String) -> UnsafePointer<CK_FUNCTION_LIST>? {
        var reason: UnsafePointer<CChar>?
        return unsafe CApplePaySystem_load_pkcs11(path, &reason)
    }
}
