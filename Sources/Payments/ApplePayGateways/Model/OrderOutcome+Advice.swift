extension OrderOutcome {
    /// One sentence of advice for the merchant's engineer or operator; nil if nothing is wrong.
    public var advice: String? {
        if payment?.secondPaymentID != nil {
            return
                "Give the second payment back in the gateway's back office, then record that with resolve."
        }
        return switch state {
        case .unknown: Self.uncertain
        case .pending where unanswered != nil: Self.uncertain
        case .refused where report?.refusal?.origin == .operator:
            "Correct the account, its secrets or the request, as code and text say, then let the customer pay the order again, "
                + "with a new token."
        case .returned where returnCause == .chargeback:
            "Close the order: after a chargeback, it is not paid again."
        case .returned:
            payment.map {
                "Close the order; to let the customer pay it again, pay with the serial of its last attempt, \($0.serial): "
                    + "--again in the shell, again over HTTP and in Swift."
            }
        default:
            unanswered.map { _ in
                "Check the network, the gateway's address and certificate, and the account, its environment and its secrets, then "
                    + "ask again before you rely on this state."
            }
        }
    }

    private static let uncertain =
        "The payment may have been made: do not ship, and do not let the customer pay in another way; ask for the order's state "
        + "until it is decided."
}

extension OperationOutcome {
    /// One sentence of advice for the merchant's engineer or operator; nil unless the operation was done before.
    public var advice: String? {
        isRepeated && state == .done
            ? "This was done before, and nothing was sent now; another operation of the same kind and amount needs a name of its own."
            : nil
    }
}
