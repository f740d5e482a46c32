internal import CApplePaySystem

/// Simulates other code in the process that uses the same PKCS#11 module.
package enum PKCS11Device {
    /// Closes every session of the process, so that all handles become invalid.
    package static func closeAllSessions(module: String) {
        guard let functions = unsafe functions(module) else { return }
        var slots = [CK_ULONG](repeating: 0, count: 16)
        var count = CK_ULONG(slots.count)
        guard unsafe functions.pointee.C_GetSlotList?(1, &slots, &count) == 0 else { return }
        for slot in slots.prefix(Int(count)) {
            _ = unsafe functions.pointee.C_CloseAllSessions?(slot)
        }
    }

    /// Shuts the module down for the duration of the call, as if the device were disconnected.
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
