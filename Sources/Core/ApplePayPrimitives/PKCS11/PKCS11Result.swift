internal import CApplePaySystem

/// The result of a PKCS#11 function that did not succeed.
package struct PKCS11Result: Hashable, Sendable {
    /// The value of a `CK_RV` (PKCS #11 Base Specification v3.0 §5.1).
    let code: CK_RV

    static let pinIncorrect = PKCS11Result(code: 0xA0)
    static let pinLocked = PKCS11Result(code: 0xA4)
    static let alreadyLoggedIn = PKCS11Result(code: 0x100)
    static let alreadyInitialized = PKCS11Result(code: 0x191)
    static let functionCanceled = PKCS11Result(code: 0x50)
    static let functionNotSupported = PKCS11Result(code: 0x54)
    static let generalError = PKCS11Result(code: 0x05)
    static let objectHandleInvalid = PKCS11Result(code: 0x82)
    static let tokenNotPresent = PKCS11Result(code: 0xE0)

    /// Throws the result unless it is success.
    static func check(_ code: CK_RV) throws(PrimitivesError) {
        guard code == 0 else { throw .device(PKCS11Result(code: code)) }
    }

    /// Whether the session was lost, so that a new session may succeed.
    var isLostSession: Bool { Self.lostSessions.contains(code) }

    /// Whether the token refused the PIN, for any reason; each attempt may count against it.
    var isAboutPIN: Bool { (0xA0...0xA4).contains(code) || code == 0x102 }

    /// Whether the module does not support the mechanism or its parameters, so that another mechanism may work.
    var isMissingMechanism: Bool { [0x07, 0x54, 0x70, 0x71].contains(code) }

    /// Whether the device itself failed.
    var isDeviceFault: Bool { isLostSession || [0x02, 0x30, 0x31, 0x190].contains(code) }

    /// Whether the data may be wrong: the results that modules return for a ciphertext that does not decrypt.
    var isAboutData: Bool { [0x05, 0x06, 0x20, 0x21, 0x40, 0x41, 0x42].contains(code) }

    /// The constant's name, or its number.
    var name: String { Self.names[code] ?? "CKR_0x\(String(code, radix: 16))" }

    /// The constant's name and its number, as in `CKR_MECHANISM_INVALID (0x70)`.
    var nameAndNumber: String {
        Self.names[code].map { "\($0) (0x\(String(code, radix: 16)))" } ?? name
    }

    private static let lostSessions: Set<CK_RV> = [
        0x32, 0x60, 0x82, 0xB0, 0xB3, 0xE0, 0x101,
    ]

    private static let names: [CK_RV: String] = [
        0x02: "CKR_HOST_MEMORY", 0x03: "CKR_SLOT_ID_INVALID", 0x05: "CKR_GENERAL_ERROR",
        0x06: "CKR_FUNCTION_FAILED", 0x07: "CKR_ARGUMENTS_BAD", 0x30: "CKR_DEVICE_ERROR",
        0x11: "CKR_ATTRIBUTE_SENSITIVE", 0x12: "CKR_ATTRIBUTE_TYPE_INVALID",
        0x13: "CKR_ATTRIBUTE_VALUE_INVALID", 0x1B: "CKR_ACTION_PROHIBITED",
        0x20: "CKR_DATA_INVALID", 0x21: "CKR_DATA_LEN_RANGE",
        0x31: "CKR_DEVICE_MEMORY", 0x32: "CKR_DEVICE_REMOVED",
        0x40: "CKR_ENCRYPTED_DATA_INVALID", 0x41: "CKR_ENCRYPTED_DATA_LEN_RANGE",
        0x42: "CKR_AEAD_DECRYPT_FAILED", 0x50: "CKR_FUNCTION_CANCELED",
        0x54: "CKR_FUNCTION_NOT_SUPPORTED",
        0x60: "CKR_KEY_HANDLE_INVALID", 0x62: "CKR_KEY_SIZE_RANGE",
        0x63: "CKR_KEY_TYPE_INCONSISTENT", 0x6A: "CKR_KEY_UNEXTRACTABLE",
        0x68: "CKR_KEY_FUNCTION_NOT_PERMITTED",
        0x70: "CKR_MECHANISM_INVALID", 0x71: "CKR_MECHANISM_PARAM_INVALID",
        0x82: "CKR_OBJECT_HANDLE_INVALID", 0xA0: "CKR_PIN_INCORRECT", 0xA1: "CKR_PIN_INVALID",
        0xA2: "CKR_PIN_LEN_RANGE", 0xA3: "CKR_PIN_EXPIRED", 0xA4: "CKR_PIN_LOCKED",
        0xB0: "CKR_SESSION_CLOSED", 0xB1: "CKR_SESSION_COUNT", 0xB3: "CKR_SESSION_HANDLE_INVALID",
        0xD0: "CKR_TEMPLATE_INCOMPLETE", 0xD1: "CKR_TEMPLATE_INCONSISTENT",
        0x130: "CKR_DOMAIN_PARAMS_INVALID", 0x150: "CKR_BUFFER_TOO_SMALL",
        0x200: "CKR_FUNCTION_REJECTED",
        0xE0: "CKR_TOKEN_NOT_PRESENT", 0xE1: "CKR_TOKEN_NOT_RECOGNIZED",
        0x101: "CKR_USER_NOT_LOGGED_IN", 0x102: "CKR_USER_PIN_NOT_INITIALIZED",
        0x190: "CKR_CRYPTOKI_NOT_INITIALIZED",
    ]
}
