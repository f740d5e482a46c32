import Foundation
import TokenMint

extension VectorBook {
    /// Texts around a token as client libraries send them, and texts that only look like one.
    func addWrappers() throws {
        let wrappers: [(String, String, @Sendable (String) -> String)] = [
            ("token", "the PKPaymentToken", { #"{"paymentData":\#($0)}"# }),
            ("payment", "the payment", { #"{"token":{"paymentData":\#($0)}}"# }),
            (
                "details", "a response's details",
                { #"{"details":{"token":{"paymentData":\#($0)}}}"# }
            ),
            ("string", "the token as JSON in a string", { Self.string($0) }),
            (
                "string-inside", "paymentData as JSON in a string",
                { #"{"paymentData":\#(Self.string($0))}"# }
            ),
            ("base64", "base64 of the token", { Self.base64($0) }),
            (
                "begateway", "bePaid's prefix",
                { "$begateway_apple_pay_1_0_0$" + Self.base64(#"{"paymentData":\#($0)}"#) }
            ),
        ]
        for (name, comment, change) in wrappers {
            try accept("wrapper/\(name)", comment) {
                $0.editText { $0 = Array(change(String(decoding: $0, as: UTF8.self)).utf8) }
            }
        }
        try reject("wrapper/five", "a wrapper more than any library uses", at: .field) {
            $0.editText { text in
                let shape = #"{"payment":{"payment":{"payment":{"token":{"paymentData":TOKEN}}}}}"#
                let token = String(decoding: text, as: UTF8.self)
                text = Array(shape.replacing("TOKEN", with: token).utf8)
            }
        }
        try reject(
            "wrapper/other-identifier", "a transactionIdentifier that is not the signed one",
            at: .field
        ) {
            $0.editJSON { $0 = ["paymentData": .object($0), "transactionIdentifier": "0A"] }
        }
        try reject("wrapper/decrypted", "bePaid's form of decrypted data", at: .field) {
            let plaintext = Self.base64(String(decoding: $0.payload.plaintext, as: UTF8.self))
            $0.editText { $0 = Array("$begateway_apple_pay_decrypted_1_0_0$\(plaintext)".utf8) }
        }
        try reject(
            "wrapper/data-alone", "base64 of no JSON, as of data", at: .json, severity: .form
        ) {
            $0.editText { $0 = Array(Data(repeating: 0xAB, count: 320).base64EncodedData()) }
        }
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    /// The text as a JSON string.
    private static func string(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
