package import ApplePayAcceptance
package import ApplePayGateways
package import ApplePayPrimitives
internal import ApplePayWire
package import FoundationEssentials

extension CyberSource {
    /// A shared secret key of the merchant's, from the Business Center's key management.
    package struct Credentials: Sendable {
        /// The merchant's identifier: visible ASCII without quotation marks.
        package var merchantID: String
        /// The identifier (serial number) of the key: visible ASCII without quotation marks.
        package var keyID: String
        /// The shared secret as the Business Center shows it: base64.
        package var sharedSecret: SensitiveBytes

        /// Creates credentials.
        package init(merchantID: String, keyID: String, sharedSecret: SensitiveBytes) {
            self.merchantID = merchantID
            self.keyID = keyID
            self.sharedSecret = sharedSecret
        }
    }

    /// Signs a request: adds `v-c-merchant-id`, `v-c-date`, `Digest` and `Signature`.
    ///
    /// Host, date, method, path, body and merchant are signed, so none of them may be changed afterwards. The client
    /// adds `Host`, as host and port of the address. CyberSource refuses requests that are old.
    ///
    /// Errors: `gateway` with code `unsupported-length` or `unsupported-character` for `v-c-merchant-id` and `keyid`,
    /// `unsupported-value` for a `sharedSecret` that is empty or not base64 and for a `v-c-date` outside of 1970 to
    /// 9999, then `library-failure`.
    ///
    /// Source: CyberSource, *Getting Started with the REST API*, "HTTP Signature"; its REST client,
    /// `SignatureParameterGenerator`. `request-target` is written without parentheses, with which requests fail
    /// since 2024-04-22 (CyberSource, *REST API HTTP signature authentication: critical update*).
    package static func authorize(
        _ request: GatewayRequest, _ credentials: Credentials, date: Date
    ) throws(PaymentError) -> GatewayRequest {
        let (merchant, keyID) = (credentials.merchantID, credentials.keyID)
        for (text, field) in [(merchant, "v-c-merchant-id"), (keyID, "keyid")] {
            try FieldLength.check(text, field, 1...Int.max)
            // Other characters would end the header or the quotation marks.
            try FieldCharacters.check(ExactText(text), field) {
                $0.isVisible && $0 != UInt8(ascii: "\"")
            }
        }
        let key = try key(credentials.sharedSecret)
        guard let time = HTTPDate.text(date) else { throw .gateway(.unsupportedValue, "v-c-date") }
        do throws(PrimitivesError) {
            let body = request.body ?? SensitiveBytes(copying: [UInt8]().span)
            let hash = try body.withRevealedBytes { body throws(PrimitivesError) in
                try SHA256.hash(body)
            }
            let digest = "SHA-256=\(base64(hash))"
            let signed = [
                ("host", String(request.origin.drop { $0 != "/" }.drop { $0 == "/" })),
                ("v-c-date", time),
                ("request-target", "\(request.method.lowercased()) \(request.target)"),
                ("digest", digest), ("v-c-merchant-id", merchant),
            ]
            let text = signed.map { "\($0.0): \($0.1)" }.joined(separator: "\n")
            let code = try key.withRevealedBytes { key throws(PrimitivesError) in
                try HMACSHA256.code(of: text.utf8.span, key: key)
            }
            let signature =
                #"keyid="\#(keyID)", algorithm="HmacSHA256", "#
                + #"headers="\#(signed.map(\.0).joined(separator: " "))", "#
                + #"signature="\#(base64(code))""#
            return request.adding(GatewayHeader("v-c-merchant-id", merchant))
                .adding(GatewayHeader("v-c-date", time)).adding(GatewayHeader("Digest", digest))
                .adding(
                    GatewayHeader(
                        secret: "Signature", SensitiveBytes(copying: signature.utf8.span)))
        } catch {
            throw .gateway(.gatewayLibraryFailure, "Signature")
        }
    }

    /// Returns the bytes of a shared secret.
    private static func key(_ secret: SensitiveBytes) throws(PaymentError) -> SensitiveBytes {
        let key: SensitiveBytes? = secret.withRevealedBytes { text in
            guard let count = Base64.decodedCount(of: text), count > 0, Base64.isCanonical(text)
            else { return nil }
            return SensitiveBytes(
                SecretBytes(capacity: count) { _ = Base64.decode(text, into: &$0) })
        }
        guard let key else { throw .gateway(.unsupportedValue, "sharedSecret") }
        return key
    }

    private static func base64(_ octets: Octets32) -> String {
        octets.withSpan { SensitiveBytes(copying: $0).base64().revealText() }
    }
}
