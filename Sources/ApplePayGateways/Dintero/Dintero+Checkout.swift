public import ApplePayPrimitives
public import ApplePayToken
internal import ApplePayWire

extension Dintero {
    /// Creates the request for a session (step 1): `POST /v1/sessions` or `/v1/sessions-profile`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - order: The total.
    ///   - accessToken: The merchant's access token, sent after `Bearer`.
    ///   - origin: Scheme and host without a slash at the end.
    /// - Returns: The request; its body is compact UTF-8 JSON, amounts in minor units.
    /// - Throws: ``PaymentTokenError``: `gateway` with code `unsupported-length` or
    ///   `unsupported-character` (`access_token` if it is empty or not visible ASCII), then
    ///   `unsupported-amount` (`amount`, then `vat`).
    ///
    /// Source: Dintero, *Apple Pay native app*, *Create session*.
    public static func createSession(
        _ session: Session,
        order: Order,
        accessToken: SensitiveBytes,
        origin: String = defaultOrigin
    ) throws(PaymentTokenError) -> GatewayRequest {
        let authorization = try GatewayHeader.checked(
            secret: "Authorization", prefix: "Bearer ", accessToken, "access_token")
        guard order.amount >= 0 else {
            throw PaymentTokenError(.unsupportedAmount, member: "amount")
        }
        let rates = session.items.compactMap(\.vatBasisPoints)
        guard rates.allSatisfy({ (0...10_000).contains($0) }) else {
            throw PaymentTokenError(.unsupportedAmount, member: "vat")
        }
        let body = JSONBody.object { body in
            body.object("url") { body in
                body.string("return_url", session.returnURL)
                body.string("callback_url", session.callbackURL)
            }
            body.object("order") { body in
                body.integer("amount", order.amount)
                body.string("currency", order.currency.alphabetic)
                body.string("merchant_reference", session.merchantReference)
                if !session.items.isEmpty { body.objects("items", session.items, write) }
            }
            switch session.settings {
            case .inApp(let generatesPaymentToken):
                body.object("configuration") { body in
                    body.string("channel", "in_app")
                    body.object("dintero_psp") { body in
                        body.object("applepay") { body in
                            body.boolean("enabled", true)
                            body.boolean(
                                "generate_payment_token", generatesPaymentToken ? true : nil)
                        }
                    }
                }
            case .profile(let identifier):
                body.string("profile_id", identifier)
            }
            body.string("expires_at", session.expiresAt)
        }
        let path =
            if case .profile = session.settings { "/v1/sessions-profile" } else { "/v1/sessions" }
        return GatewayRequest(
            origin, path,
            headers: [authorization, .contentType()], body: body)
    }

    private static func write(_ body: inout JSONBody, _ item: Item) {
        body.string("id", item.id)
        body.string("line_id", item.lineId)
        body.string("description", item.description)
        body.integer("amount", item.amount)
        body.integer("quantity", item.quantity)
        body.integer("vat_amount", item.vatAmount)
        if let vat = item.vatBasisPoints {
            let text = percentage(vat)
            body.raw("vat", SensitiveBytes(copying: text.utf8.span))
        }
    }

    /// Returns a JSON number without trailing zeros, such as `25`, `25.5` or `0.05`.
    private static func percentage(_ basisPoints: Int64) -> String {
        let (whole, part) = basisPoints.quotientAndRemainder(dividingBy: 100)
        if part == 0 { return "\(whole)" }
        let (tenths, hundredths) = part.quotientAndRemainder(dividingBy: 10)
        return hundredths == 0 ? "\(whole).\(tenths)" : "\(whole).\(tenths)\(hundredths)"
    }
}
