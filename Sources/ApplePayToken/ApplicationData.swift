internal import ApplePayPrimitives
internal import ApplePayWire

/// The applicationData of a payment request, which the token answers with a SHA-256.
public struct ApplicationData: Hashable, Sendable {
    private enum Form: Hashable {
        case bytes([UInt8])
        case hash([UInt8])
    }

    private let form: Form

    /// Takes what an app's request carried.
    ///
    /// - Parameter bytes: The bytes of `PKPaymentRequest.applicationData`.
    public init(_ bytes: [UInt8]) {
        form = .bytes(bytes)
    }

    /// Takes what a web page's request carried, and undoes its base64 as the browser does.
    ///
    /// - Parameter base64: The text of `ApplePayPaymentRequest.applicationData`; nil comes back when it
    ///   is not base64 with padding (RFC 4648 §4), which a browser ignores: then no token answers it.
    public init?(base64: String) {
        let text = Array(base64.utf8)
        guard let count = Base64.decodedCount(of: text.span) else { return nil }
        var isCanonical = false
        let bytes = [UInt8](capacity: count) { output in
            isCanonical = Base64.decode(text.span, into: &output)
        }
        guard isCanonical else { return nil }
        form = .bytes(bytes)
    }

    /// Takes the hash alone, for those who kept no more.
    ///
    /// - Parameter sha256: 32 bytes; nil comes back for any other number.
    public init?(sha256: [UInt8]) {
        guard sha256.count == 32 else { return nil }
        form = .hash(sha256)
    }

    /// The SHA-256 of the request's bytes, 32 bytes.
    func hash() throws(PrimitivesError) -> [UInt8] {
        switch form {
        case .bytes(let bytes): try SHA256.hash(bytes.span).bytes
        case .hash(let hash): hash
        }
    }
}

extension ApplicationData: CustomStringConvertible, CustomReflectable {
    /// The type's name: what a merchant puts there is not for logs.
    public var description: String { "ApplicationData" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
