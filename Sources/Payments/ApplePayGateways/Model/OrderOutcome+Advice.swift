internal import ApplePayAcceptance
internal import ApplePayPrimitives
package import ApplePayWire

extension OrderOutcome {
    /// Advice for the merchant's engineer or operator, in a sentence or two; nil if nothing is wrong.
    public var advice: String? {
        let unused =
            isRepeated
            ? "Nothing was sent now: the order has an earlier payment or attempt."
            : nil
        let isCardOfDevice = payment?.card != nil && hasDeviceNumber == true
        let device = isCardOfDevice ? Self.deviceNumber : nil
        let sentences = [unused, next, device].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// What to do next.
    private var next: String? {
        if reason == Self.secondPayment, let payment { return payment.adviceAboutSecond(report) }
        if unanswered?.hasSuffix(Self.elsewhere) == true {
            return
                "Ask with the gateway file of the account at which the attempt was made, and do not rely on this state until then."
        }
        return switch state {
        case .unknown: Self.uncertain
        case .pending where unanswered != nil: Self.uncertain
        case .pending where payment == nil && reason?.hasPrefix(Self.restored) == true:
            "Nothing was sent: let the customer pay the order after that time, with a new token, and not in another way."
        case .refused: afterRefusal
        case .returned where returnCause == .chargeback:
            "Close the order: after a chargeback, it is not paid again."
        case .returned:
            payment.map {
                "Close the order; to let the customer pay it again, pay with the serial of its last attempt, \($0.serial): "
                    + "--again in the shell, again over HTTP and in Swift."
            }
        case _ where unanswered != nil:
            "Repair what unanswered names, such as the network, the gateway's address or certificate, or use the account of the "
                + "attempt, its environment and its secrets; then ask again before you rely on this state."
        case _ where isRepeated: afterRepetition
        default: nil
        }
    }

    /// The end of `unanswered` if the attempt was made at another account than the one that was asked.
    package static let elsewhere: ExactText = "no gateway was asked"

    private static let deviceNumber =
        "The gateway stored the card by the number of a device and not by a merchant token, so networks may decline what you "
        + "begin with it: ask for a merchant token in the page's payment request, with recurringPaymentRequest, "
        + "automaticReloadPaymentRequest or deferredPaymentRequest."

    private static let uncertain =
        "The payment may have been made: do not ship, and do not let the customer pay in another way; ask for the order's state "
        + "until it is decided."

    /// What to do if the gateway or a person refused the payment.
    private var afterRefusal: String {
        switch report?.refusal?.origin {
        case .operator:
            "Correct the account, its secrets or the request, as code and text say, then let the customer pay the order again, "
                + "with a new token."
        case .issuer:
            "The card was declined: let the customer choose another card, and pay the order again with the new token."
        case .customer:
            "The customer canceled the payment or did not prove who pays: let the customer pay the order again, with a new token."
        // Only a person's decision has a reason.
        case nil where reason != nil:
            payment?.requestEnd.flatMap(InternetTime.text).map {
                "A person, not the gateway, ended this payment, and its request may still be carried out until \($0): take money "
                    + "for the order only by letting the customer pay it here again, not in another way, until its state after "
                    + "that time still shows no payment."
            }
                ?? "A person decided that no payment was made: the customer can pay the order again, with a new token."
        case nil:
            "The gateway refused the payment: the customer can pay the order again, with a new token."
        }
    }

    /// What to do if the order had a payment before.
    private var afterRepetition: String {
        switch state {
        case .paid: "The order is paid: ship it once."
        case .authorized where isSettled: "The card of the order is verified."
        case .authorized: "The order's amount is reserved: ship when it is captured."
        case .partlyAuthorized:
            "A part of the amount is reserved: cancel it, or ask the customer for the rest."
        case .partlyPaid: "A part of the amount is paid: ship that part, or capture the rest."
        case .partlyReturned:
            "The order was paid, and a part was given back: follow your records of refunds."
        case .returning:
            "The amount is being given back or is disputed: do not ship, and ask for the order's state until it is decided."
        case .actionRequired: "The customer must open the payment's address to confirm it."
        case .pending, .unknown, .refused, .returned:
            "Do not ship yet, and ask for the order's state until it is decided."
        }
    }
}

extension RecordedPayment {
    /// Returns what to do about the payment that does not pay the order; `report` is the last one about the attempt's own.
    fileprivate func adviceAboutSecond(_ report: PaymentReport?) -> String {
        let order =
            "the order \(attempt.orderReference) (\(attempt.amount) minor units of \(attempt.currency))"
        let isOwn = secondPaymentID != nil && secondPaymentID == attempt.paymentID
        let second =
            secondPaymentID.map { "the payment \($0)" }
            ?? "a payment whose identifier the gateway's back office shows"
        let id = secondPaymentID.map { String($0).shellWord } ?? "ID"
        let resolve =
            "payments resolve \(String(attempt.orderReference).shellWord) --serial \(serial)"
        let giveBack =
            "give it back in the gateway's back office, then record that: \(resolve) --returned --payment-id \(id) in the "
            + "shell, resolve with returned and paymentId over HTTP, .returned(paymentID:) in Swift."
        let adopt = "adopt it with its identifier and the order"
        guard let otherPaymentIDs else {
            return "Ask for the state of \(order), which says what to do about \(second)."
        }
        guard let other = otherPaymentIDs.first else {
            let amount = (isOwn ? report : nil).flatMap { $0.captured ?? $0.authorized }
            let money = amount.map { "\($0) minor units" } ?? "money"
            let pays =
                isOwn
                ? "\(resolve) --paid \(id) in the shell, resolve with paid over HTTP, .paid(paymentID:) in Swift"
                : "\(adopt), --payment-id \(id) in the shell"
            return
                "The only payment that holds money for \(order) is \(second), with \(money). Let it pay the order: \(pays). Or "
                + giveBack
        }
        guard let other else {
            return
                "An attempt to pay \(order) is not decided, and \(second) holds money for it. Decide about that attempt first; if "
                + "it made no payment, \(adopt). Otherwise \(giveBack)"
        }
        return
            "Money for \(order) is in the payment \(other) and also in \(second). Keep the first one; as for the second, \(giveBack)"
    }
}

extension OperationOutcome {
    /// One sentence of advice for the merchant's engineer or operator; nil unless the operation was done before, or the gateway
    /// refused the merchant's account or request.
    public var advice: String? {
        if state == .refused, report?.refusal?.origin == .operator {
            return
                "Correct the account, its secrets or the request, as code and text say, then repeat the operation under another "
                + "name, because this one keeps its outcome."
        }
        return isRepeated && state == .done
            ? "This was done before, and nothing was sent now; another operation of the same kind and amount needs a name of its own."
            : nil
    }
}
