internal import CApplePaySystem

/// A PKCS#11 module, loaded once in a process and shared; any call to it may hang (``PKCS11Library``).
@safe
final class PKCS11Module: @unchecked Sendable {
    /// The greatest number of slots that are searched.
    private static let slotLimit = 256

    let functions: UnsafePointer<CK_FUNCTION_LIST>

    /// Loads and initializes the module in a file.
    ///
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)``.
    init(_ path: String) throws(PrimitivesError) {
        var reason: UnsafePointer<CChar>?
        guard let functions = unsafe CApplePaySystem_load_pkcs11(path, &reason) else {
            guard let reason = unsafe reason else {
                throw .keyUnavailable("\(path) is not a PKCS#11 module")
            }
            throw .keyUnavailable("the module cannot be loaded: \(unsafe String(cString: reason))")
        }
        unsafe self.functions = functions
        var arguments = unsafe CK_C_INITIALIZE_ARGS()
        unsafe arguments.flags = CK_ULONG(CKF_OS_LOCKING_OK)
        let result = unsafe functions.pointee.C_Initialize.map { unsafe $0(&arguments) }
        guard let result, result == 0 || result == PKCS11Result.alreadyInitialized.code else {
            throw .keyUnavailable(
                "the module failed to initialize "
                    + "(\(PKCS11Result(code: result ?? PKCS11Result.functionNotSupported.code).name))"
            )
        }
    }

    /// Returns the slot of the one token that matches.
    ///
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)`` if no token or several tokens match.
    func slot(of selector: PKCS11Selector) throws(PrimitivesError) -> CK_ULONG {
        var slots = [CK_ULONG](repeating: 0, count: Self.slotLimit)
        var count = CK_ULONG(slots.count)
        guard let getSlotList = unsafe functions.pointee.C_GetSlotList,
            let getTokenInfo = unsafe functions.pointee.C_GetTokenInfo,
            unsafe getSlotList(1, &slots, &count) == 0, count <= CK_ULONG(slots.count)
        else { throw .keyUnavailable("the module does not list its tokens") }
        let fitting = slots.prefix(Int(count)).filter { slot in
            var info = CK_TOKEN_INFO()
            guard unsafe getTokenInfo(slot, &info) == 0 else { return false }
            // Some modules always offer an empty slot for the next new token.
            guard info.flags & CK_ULONG(CKF_TOKEN_INITIALIZED) != 0 else { return false }
            return Self.fits(selector, slot, info)
        }
        guard let slot = fitting.first else { throw .keyUnavailable("no token matches the URI") }
        guard fitting.count == 1 else {
            throw .keyUnavailable("\(fitting.count) tokens match the URI; add serial= or slot-id=")
        }
        return slot
    }

    private static func fits(
        _ selector: PKCS11Selector,
        _ slot: CK_ULONG,
        _ info: CK_TOKEN_INFO
    ) -> Bool {
        let pairs = [
            (selector.tokenLabel, text(of: info.label)),
            (selector.manufacturer, text(of: info.manufacturerID)),
            (selector.model, text(of: info.model)),
            (selector.serialNumber, text(of: info.serialNumber)),
        ]
        return pairs.allSatisfy { $0.0 == nil || $0.0 == $0.1 }
            && (selector.slot == nil || selector.slot == UInt(slot))
    }

    /// Returns the text in a field that is padded with spaces (§3.2).
    private static func text<Field>(of field: Field) -> [UInt8] {
        var bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0) }
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return bytes
    }
}
