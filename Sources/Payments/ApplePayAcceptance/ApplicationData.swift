internal import ApplePayPrimitives
internal import ApplePayWire

/// The applicationData of a payment request; the token contains its SHA-256.
public struct ApplicationData: Hashable, Sendable {
    private enum Form: Hashable {
        case bytes([UInt8])
        case hash([UInt8])
    }

    private let form: Form

    /// Creates application data from the bytes in an app's payment request.
    ///
    /// - Parameter bytes: The bytes of `PKPaymentRequest.applicationData`.
    public init(_ bytes: [UInt8]) {
        form = .bytes(bytes)
    }

    /// Creates application data from the base64 in a web page's payment request, decoded as browsers do.
    ///
    /// - Parameter base64: The text of `ApplePayPaymentRequest.applicationData`. The initializer returns nil when it is
    ///   not base64 with padding (RFC 4648 §4): browsers ignore such a text, so no token contains its hash.
    public init?(base64: String) {
        guard let bytes = Base64.decoded(base64.utf8.span) else { return nil }
        form = .bytes(bytes)
    }

    /// Creates application data from its hash, for callers that have stored only the hash.
    ///
    /// - Parameter sha256: 32 bytes; the initializer returns nil for any other length.
    public init?(sha256: [UInt8]) {
        guard sha256.count == 32 else { return nil }
        form = .hash(sha256)
    }

    /// Returns the SHA-256 of the request's bytes: 32 bytes.
    func hash() throws(PrimitivesError) -> [UInt8] {
        switch form {
        case .bytes(let bytes): try SHA256.hash(bytes.span).bytes
        case .hash(let hash): hash
        }
    }
}

extension ApplicationData: CustomStringConvertible, CustomReflectable {
    /// The type's name, because the merchant's data must not appear in logs.
    public var description: String { "ApplicationData" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
