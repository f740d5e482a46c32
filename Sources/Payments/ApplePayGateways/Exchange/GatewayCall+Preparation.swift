internal import ApplePayToken

extension GatewayCall {
    /// Creates a call that prepares another one, such as a login.
    ///
    /// If it fails, nothing that can move money was sent, so the payment is not sent.
    ///
    /// `name` says in a word what the request asks for, `read` reads what the next request needs.
    static func preparation<Value>(
        _ name: String,
        _ attempt: PaymentAttempt,
        at gateway: any PaymentGateway,
        _ request: GatewayRequest,
        leadsToMoney: Bool,
        read: @escaping @Sendable (GatewayResponse) throws(UnreadableJSONError) -> Value,
        _ next: @escaping @Sendable (Value) throws(PaymentTokenError) -> GatewayCall
    ) -> GatewayCall {
        GatewayCall(
            attempt, at: gateway, canMoveMoney: false, leadsToMoney: leadsToMoney,
            request: { _ in request },
            read: { response in
                let value: Value
                do throws(UnreadableJSONError) {
                    value = try read(response)
                } catch {
                    return .notSent(response.failure(of: name, error))
                }
                do throws(PaymentTokenError) {
                    return .next(try next(value))
                } catch {
                    return .notSent("\(error)")
                }
            })
    }
}

extension GatewayResponse {
    /// Returns why an answer to a request that prepares a payment cannot be used, in a sentence: its HTTP status and the
    /// gateway's code, or what cannot be read.
    package func failure(of name: String, _ error: UnreadableJSONError) -> String {
        guard !isAccepted else { return "The answer to the \(name) cannot be read: \(error)" }
        let stated = (try? object())?["error"]
        let code = stated?["code"]?.string ?? stated?["message"]?.string ?? stated?.string
        return
            "The answer to the \(name) has HTTP status \(status)\(code.map { " (\($0))" } ?? "")."
    }
}
