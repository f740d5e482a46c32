internal import ApplePayPrimitives
internal import ApplePayToken
internal import ApplePayWire

extension Worldline.HostedCheckout {
    /// Returns the body of CreateHostedCheckout.
    ///
    /// - Parameters:
    ///   - order: The member `order`.
    ///   - pageMembers: Writes the other members of `hostedCheckoutSpecificInput`.
    ///   - paymentMembers: Writes the other members of `mobilePaymentMethodSpecificInput`.
    /// - Returns: Compact UTF-8 JSON.
    func body(
        _ order: Worldline.OrderInput,
        pageMembers: (inout JSONBody) -> Void = { _ in },
        paymentMembers: (inout JSONBody) -> Void = { _ in }
    ) -> SensitiveBytes {
        JSONBody.object { body in
            order.write(into: &body)
            body.object("hostedCheckoutSpecificInput") { body in
                write(into: &body)
                pageMembers(&body)
            }
            body.object("mobilePaymentMethodSpecificInput") { body in
                body.string("authorizationMode", authorizationMode?.rawValue)
                body.integer("paymentProductId", Worldline.paymentProductId)
                paymentMembers(&body)
            }
        }
    }

    /// Checks that the return address has a scheme (RFC 3986 §3.1).
    ///
    /// - Throws: `gateway` with code `unsupported-value`.
    func checkReturnURL() throws(PaymentTokenError) {
        let scheme = returnURL.utf8.prefix { $0 != UInt8(ascii: ":") }
        let isScheme = scheme.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard let first = scheme.first, !(0x2B...0x39).contains(first), isScheme,
            scheme.count < returnURL.utf8.count
        else { throw PaymentTokenError(.unsupportedValue, member: "returnUrl") }
    }

    private func write(into body: inout JSONBody) {
        body.string("locale", locale)
        body.string("returnUrl", returnURL)
        body.boolean("showResultPage", showResultPage)
        body.boolean("isRecurring", isRecurring)
        body.string("tokens", tokens.isEmpty ? nil : tokens.joined(separator: ","))
        body.string("variant", variant)
    }
}
