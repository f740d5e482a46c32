import FoundationEssentials

extension VectorBook {
    /// Adds wrappers of a token as client libraries send them, and texts that only resemble one.
    func addWrappers() throws {
        for wrapper in TokenWrapper.allCases {
            try accept("wrapper/\(wrapper.rawValue)", wrapper.comment) {
                $0.editText { $0 = wrapper.text(around: $0) }
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
        try addIdentifiers()
        try reject("wrapper/decrypted", "bePaid's form of decrypted data", at: .field) {
            let plaintext = TokenWrapper.base64(
                String(decoding: $0.payload.plaintext, as: UTF8.self))
            $0.editText { $0 = Array("$begateway_apple_pay_decrypted_1_0_0$\(plaintext)".utf8) }
        }
        try reject(
            "wrapper/data-alone", "base64 of no JSON, as of data", at: .json, severity: .form
        ) {
            $0.editText { $0 = Array(Data(repeating: 0xAB, count: 320).base64EncodedData()) }
        }
    }

    /// Adds transactionIdentifiers in nested wrappers: all correct, or one wrong.
    private func addIdentifiers() throws {
        typealias Shape = @Sendable (_ token: String, _ outer: String, _ inner: String) -> String
        let shapes: [(String, String, Shape)] = [
            (
                "nested", "paymentData inside paymentData",
                { token, outer, inner in Self.passKit(Self.passKit(token, inner), outer) }
            ),
            (
                "nested-once", "paymentData inside paymentData, which has no identifier",
                { token, outer, _ in Self.passKit(#"{"paymentData":\#(token)}"#, outer) }
            ),
            (
                "token", "the token itself as token",
                { token, outer, _ in
                    #"{"transactionIdentifier":"\#(outer)","token":\#(token)}"#
                }
            ),
            (
                "payment", "the payment and its token",
                { token, outer, inner in
                    let inside = Self.passKit(token, inner)
                    return #"{"transactionIdentifier":"\#(outer)","token":\#(inside)}"#
                }
            ),
            (
                "string", "paymentData in a string",
                { token, outer, _ in
                    Self.passKit(TokenWrapper.string(#"{"paymentData":\#(token)}"#), outer)
                }
            ),
            (
                "in-string", "an identifier and paymentData in a string",
                { token, outer, inner in
                    let inside = TokenWrapper.string(Self.passKit(token, inner))
                    return #"{"transactionIdentifier":"\#(outer)","token":\#(inside)}"#
                }
            ),
            (
                "base64", "paymentData in base64 in a string",
                { token, outer, _ in
                    let inside = TokenWrapper.base64(#"{"paymentData":\#(token)}"#)
                    return #"{"transactionIdentifier":"\#(outer)","token":"\#(inside)"}"#
                }
            ),
        ]
        let wrong = String(repeating: "0A", count: 32)
        for (name, comment, shape) in shapes {
            try accept("wrapper/identifier-\(name)", "the right identifier around \(comment)") {
                let right = Hexadecimal.text($0.transactionId)
                $0.editText { text in
                    let token = String(decoding: text, as: UTF8.self)
                    text = Array(shape(token, right.uppercased(), right).utf8)
                }
            }
            try reject(
                "wrapper/other-identifier-\(name)", "another identifier around \(comment)",
                at: .field
            ) {
                let right = Hexadecimal.text($0.transactionId)
                $0.editText { text in
                    let token = String(decoding: text, as: UTF8.self)
                    text = Array(shape(token, wrong, right).utf8)
                }
            }
            // The forms in which the inner wrapper also has an identifier.
            guard ["nested", "payment", "in-string"].contains(name) else { continue }
            try reject(
                "wrapper/other-identifier-inside-\(name)",
                "the right identifier outside and another inside: \(comment)", at: .field
            ) {
                let right = Hexadecimal.text($0.transactionId)
                $0.editText { text in
                    let token = String(decoding: text, as: UTF8.self)
                    text = Array(shape(token, right, wrong).utf8)
                }
            }
        }
    }

    /// Returns a PKPaymentToken whose identifier precedes the token that repeats it.
    private static func passKit(_ paymentData: String, _ identifier: String) -> String {
        #"{"transactionIdentifier":"\#(identifier)","paymentData":\#(paymentData)}"#
    }
}
