import ApplePayTokenTestingPrimitives
import FoundationEssentials

/// The payment data before it is encrypted.
///
/// Source: Apple, *Payment token format reference*, detailed keys.
package struct Payload: Equatable, Sendable {
    /// The members, in Apple's order.
    package var members: JSONObject

    /// The text that is encrypted instead of the members, or nil.
    package var text: [UInt8]?

    /// Creates a 3-D Secure payload with invented values.
    init(from bytes: inout SeededBytes) throws(TestingError) {
        let digits = try bytes.next(10).map { String($0 % 10) }.joined()
        let amount = try bytes.next(2).reduce(1) { $0 * 256 + Int($1) }
        members = [
            "applicationPrimaryAccountNumber": .string("400000" + digits),
            "applicationExpirationDate": "301231",
            "currencyCode": "840",
            "transactionAmount": .number(amount),
            "deviceManufacturerIdentifier": "040010030273",
            "paymentDataType": "3DSecure",
            "paymentData": .object([
                "onlinePaymentCryptogram": Self.base64(try bytes.next(20)),
                "eciIndicator": "7",
            ]),
        ]
    }

    /// The bytes that are encrypted.
    package var plaintext: [UInt8] {
        text ?? Array(JSONValue.object(members).text().utf8)
    }

    /// Returns a string in standard base64.
    package static func base64(_ bytes: [UInt8]) -> JSONValue {
        .string(Data(bytes).base64EncodedString())
    }

    /// Accesses any member.
    package subscript(_ name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// The account number; empty if it is not a string.
    package var accountNumber: String {
        get { string("applicationPrimaryAccountNumber") }
        set { members["applicationPrimaryAccountNumber"] = .string(newValue) }
    }

    /// The expiration date as `YYMMDD`.
    package var expirationDate: String {
        get { string("applicationExpirationDate") }
        set { members["applicationExpirationDate"] = .string(newValue) }
    }

    /// The numeric currency code.
    package var currencyCode: String {
        get { string("currencyCode") }
        set { members["currencyCode"] = .string(newValue) }
    }

    /// The amount in minor units; 0 if it is not a whole number.
    package var amount: Int {
        get {
            guard case .raw(let text) = members["transactionAmount"] else { return 0 }
            return Int(text) ?? 0
        }
        set { members["transactionAmount"] = .number(newValue) }
    }

    /// The cryptogram; setting nil removes the member.
    package var cryptogram: [UInt8]? {
        get {
            guard case .string(let text) = members["paymentData", "onlinePaymentCryptogram"],
                let data = Data(base64Encoded: text)
            else { return nil }
            return Array(data)
        }
        set { members["paymentData", "onlinePaymentCryptogram"] = newValue.map(Self.base64) }
    }

    /// The ECI; setting nil removes the member.
    package var eciIndicator: String? {
        get {
            guard case .string(let text) = members["paymentData", "eciIndicator"] else {
                return nil
            }
            return text
        }
        set { members["paymentData", "eciIndicator"] = newValue.map { .string($0) } }
    }

    /// Changes this to an EMV payload with the given BER-TLV.
    package mutating func useEMV(_ emvData: [UInt8], encryptedPINData: String? = nil) {
        members["paymentDataType"] = "EMV"
        var inner: JSONObject = ["emvData": Self.base64(emvData)]
        inner["encryptedPINData"] = encryptedPINData.map { .string($0) }
        members["paymentData"] = .object(inner)
    }

    private func string(_ name: String) -> String {
        guard case .string(let text) = members[name] else { return "" }
        return text
    }
}
