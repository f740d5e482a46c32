public import ApplePayAcceptance
internal import ApplePayPrimitives
internal import ApplePayWire
public import FoundationEssentials

extension Dintero {
    /// The permitted seconds between the signature's time and the time of receipt, as Dintero recommends.
    private static let window: Double = 300

    /// Verifies a callback of a session and reads its event.
    ///
    /// `Dintero-Signature` is `t=SECONDS,v0-hmac-sha256=HEX` over the time, the account, the method, the host, the path
    /// and the sorted query. The body is neither signed nor read. The callback names the transaction, but contains
    /// neither its amount nor its state: ask for them. Dintero reports failures and operations only if the callback
    /// address has `report_error=true` and `report_event=CAPTURE`, `VOID` or `REFUND`.
    ///
    /// Source: Dintero, *Create signature secret*, *Validating callbacks* (2026-11-22).
    public func read(
        _ message: GatewayMessage, receivedAt time: Date
    ) throws(PaymentError) -> GatewayMessageContents {
        guard let callbackSecret, callbackSecret.count > 0 else {
            throw .gateway(.unsupportedMessages)
        }
        let field = "Dintero-Signature"
        let (seconds, code) = try Self.signature(try message.header(ExactText(field)), field)
        let host = try message.header("Host").lowercasedASCII.utf8
            .prefix { $0 != UInt8(ascii: ":") }
        let query = try URLQuery(ofTarget: message.target)
        let path = message.target.utf8.prefix {
            $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        let text = [
            "\(seconds)", accountID, message.method, String(ExactText(utf8: host)),
            String(ExactText(utf8: path)), query.sorted,
        ].joined(separator: "\n")
        try MessageCode.verify(code, text.utf8.span, callbackSecret, field)
        guard abs(time.timeIntervalSince1970 - Double(seconds)) <= Self.window else {
            throw .gateway(.outsideWindow, field)
        }
        return .event(try Self.event(query, Date(timeIntervalSince1970: Double(seconds))))
    }

    /// Reads the parameters of a callback.
    private static func event(
        _ query: URLQuery, _ time: Date
    ) throws(PaymentError) -> GatewayEvent {
        func value(_ name: ExactText) throws(PaymentError) -> ExactText? {
            let isGiven = query.parameters.contains { $0.name == name && !$0.value.isEmpty }
            return isGiven ? try query.value(name) : nil
        }
        let (event, eventID, error) = (
            try value("event"), try value("event_id"), try value("error")
        )
        let (sessionID, sid) = (try value("session_id"), try value("sid"))
        let subjects: [ExactText: PaymentReport.Subject] = [
            "CAPTURE": .capture, "VOID": .cancellation, "REFUND": .refund,
        ]
        var report = report(
            about: event.map { subjects[$0] ?? PaymentReport.Subject(rawValue: $0) } ?? .payment)
        report.meaning = .undecided
        report.canBeAsked = true
        report.paymentID = try value("transaction_id")
        report.sessionID = sessionID ?? sid
        report.isTest = isTest(report.paymentID ?? report.sessionID)
        report.reference = try value("merchant_reference")
        report.status = error
        report.refusal = error.map { PaymentReport.Refusal(code: $0, origin: origin($0)) }
        // The callback of a failed session may lack a transaction.
        guard report.paymentID != nil || report.sessionID != nil && error != nil else {
            throw .gateway(.missingMember, "transaction_id")
        }
        let type = event ?? "callback"
        let names = [report.sessionID, report.paymentID, error, type, eventID]
        return GatewayEvent(
            identifier: ExactText(names.compactMap(\.self).joined(separator: ":")), type: type,
            time: time,
            report: report)
    }

    /// Returns the time and the code of `t=SECONDS,v0-hmac-sha256=HEX`, which must have this order.
    private static func signature(
        _ text: ExactText, _ field: String
    ) throws(PaymentError) -> (seconds: Int64, code: Octets32) {
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { ExactText(utf8: $0.drop { $0 == UInt8(ascii: " ") }) }
        let name: ExactText = "v0-hmac-sha256="
        guard parts.count == 2, let seconds = Int64(String(parts[0]).dropFirst(2)),
            parts[0] == "t=\(seconds)", (0..<253_402_300_800).contains(seconds),
            parts[1].hasPrefix(name),
            let bytes = MessageCode.bytes(
                hexadecimal: ExactText(utf8: parts[1].utf8.dropFirst(name.utf8.count))),
            let code = Octets32(bytes.span)
        else { throw .gateway(.malformed, field) }
        return (seconds, code)
    }
}
