extension PaymentError: CustomStringConvertible {
    /// One sentence for people, which names the fault and the member.
    ///
    /// The text may change between releases.
    public var description: String {
        switch self {
        case .token(let error): error.description
        case .refused(let code, let members, let reason, _):
            Self.fault(code, members, reason)
                + (reason.map { ": \($0)" } ?? "")
                + (reason?.utf8.last == UInt8(ascii: "?") ? "" : ".")
        }
    }

    /// The sentence without its full stop and reason.
    private static func fault(_ code: Code, _ members: [String], _ reason: String?) -> String {
        let member = members.first ?? "The text"
        let part = members.first.map { "\($0) of the message" } ?? "The message"
        return switch code {
        case .orderMismatch:
            "The payment is not for this order: \(members.joined(separator: " and ")) "
                + (members.count == 1 ? "differs" : "differ")

        case .invalidReference:
            "The order's reference must have 1 to 255 characters without controls, and no suffix like .r2"
        case .referenceChanged:
            switch (members.first, reason) {
            case (let member?, _):
                "The order's \(member) differs from that of the attempt to pay it"
            case (nil, .some): "The operation is not the one that has its name"
            case (nil, nil):
                "The order's amount, currency or gateway differs from that of the attempt to pay it"
            }
        case .noPayment:
            reason == nil ? "The order has no such payment" : "There is no such payment"
        case .operationOpen:
            "The order's payment, or another capture, cancellation or refund of it, is not decided"
        case .decisionRefused: "The decision about the payment is not possible"
        case .orderLibraryFailure: "libcrypto failed while the application data was compared"

        case .alreadyClaimed: "The transaction was claimed before"
        case .ledgerFull: "The ledger is full, so the transaction was not claimed"
        case .ledgerUnavailable: "The ledger cannot be used, so nothing may be charged"
        case .windowTooWide: "The decryptor accepts older tokens than the ledger's window permits"
        case .tooLate:
            "The transaction is claimed so late that the ledger may have forgotten an earlier claim"

        case .unsupportedEMV: "The payment is EMV, and \(member) needs a 3-D Secure payment"
        case .cryptogramMissing: "The payment has no cryptogram, which \(member) must contain"
        case .unsupportedLength:
            switch reason {
            case .some: "The gateway does not accept this \(member)"
            case nil: "\(member) is missing, or its length is not one that the gateway accepts"
            }
        case .unknownCurrency:
            "The payment's currency is not in ISO 4217, so \(member) cannot be filled"
        case .unsupportedAmount:
            switch reason {
            case .some: "The operation is not possible"
            case nil: "The gateway does not accept this amount as \(member)"
            }
        case .unsupportedCharacter: "\(member) contains a character that cannot be sent there"
        case .unsupportedValue where member == "payment": "The payment cannot be changed"
        case .unsupportedValue: "The gateway does not accept this value as \(member)"
        case .unsupportedTokenVersion:
            "The gateway does not accept a token of this version, which has no \(member)"
        case .tokenNotDecrypted:
            "The token was only verified, and \(member) needs the decrypted payment"
        case .unsupportedOperation: "The gateway does not support this: \(member)"
        case .notJSON: "The text is not JSON"
        case .missingMember: "\(member) is missing"
        case .malformed: "\(member) does not have the documented form"
        case .unknownKey: "\(part) names a key that you did not give"
        case .invalidKey:
            "The key for \(members.first ?? "messages") is not an RSA public key of 2048 bits"
        case .wrongSignature:
            "\(part) is not a valid signature of this message under the given key"
        case .outsideWindow: "\(part) is more than 5 minutes away from now"
        case .otherAccount:
            "\(part) is that of another account or version of the API"
        case .unsupportedMessages:
            "Messages of this gateway cannot be verified: no key for them is configured"
        case .notSent: "Nothing that can move money was sent"
        case .gatewayLibraryFailure: "libcrypto failed while \(member) was computed"
        }
    }

    /// Returns the advice where that of the code does not fit, because of the first member at fault; nil elsewhere.
    static func closerAdvice(
        _ code: Code, _ member: String?, _ reason: String?
    ) -> String? {
        switch (code, member) {
        case (.referenceChanged, nil) where reason != nil:
            "Repeat an operation unchanged, and give another one its own name."
        case (.referenceChanged, "gateway"), (.referenceChanged, "mode"),
            (.referenceChanged, "account"):
            "Use the account at which the order was tried, with the same gateway and environment; another one can pay the order only after that gateway refused the payment."
        case (.unsupportedLength, "reason"):
            "Give the reason of the refund in a few words: --reason in the shell, reason over HTTP and in Swift."
        case (.unsupportedAmount, _) where reason != nil:
            "Ask for the order's state, which has what is reserved, captured and refunded, and begin only what it permits."
        case (.unsupportedValue, "payment"):
            "Ask for the order's state, and repeat the operation when the gateway reports the payment."
        case (.unsupportedValue, "session"):
            "Ask for the order's state; if it has no payment, let your page or app create another session, for this order, its amount and this account."
        case (.notSent, "created"):
            "State in the order's created when the shop stored it, in UTC and never the present time, or decide about an earlier payment as the reason says; then the customer can pay the same order again."
        default: nil
        }
    }
}

extension PaymentError.Code {
    /// One sentence of advice for the merchant's engineer or operator.
    public var advice: String {
        switch self {
        case .orderMismatch:
            "Do not charge: show the customer the order again, and ask for another payment."
        case .invalidReference:
            "Give each order a short reference that is unique in your shop, such as its number, and keep it."
        case .referenceChanged:
            "Do not charge, and keep the order's reference: ask for its state; after the gateway refused the payment, this reference takes the changed order."
        case .noPayment:
            "Check the order's reference, that this is the ledger with which it was paid, and the serial or the operation if you named one."
        case .operationOpen:
            "Ask for the order's state until that is decided, then try again."
        case .decisionRefused:
            "Ask for the order's state; if it is still open, look at the payment in the gateway's own books, and decide again."
        case .alreadyClaimed:
            "Do not charge: only if the order certainly has no payment, ask the customer for another one."
        case .ledgerFull:
            "Do not charge: wait until old claims expire; a restart with another ledger would forget the orders of this one."
        case .ledgerUnavailable:
            "Do not charge: keep the ledger's files, repair what the reason names, then try again."
        case .windowTooWide:
            "Lower the decryptor's maximum age to the ledger's window, which cannot be changed."
        case .tooLate:
            "Do not charge: this token came too late to be claimed; only if the order certainly has no payment, ask the customer for another one."
        case .unsupportedEMV:
            "Remove supportsEMV from the merchantCapabilities of your page or app, and keep supports3DS: the same card then makes a 3-D Secure payment, with which the customer can pay the same order."
        case .cryptogramMissing, .unknownCurrency, .unsupportedTokenVersion:
            "Ask the customer for another card, or pay the same order at another gateway: this payment cannot be expressed here."
        case .unsupportedLength, .unsupportedAmount, .unsupportedCharacter, .unsupportedValue:
            "Correct the value that the message names, in the order, the gateway's options or the customer's data, but keep the order's reference."
        case .tokenNotDecrypted:
            "Load the key with which the token can be decrypted, or use a gateway that takes encrypted tokens."
        case .unsupportedOperation:
            "Use what the table of abilities lists for the gateway; capture, cancel or refund an existing payment in its back office."
        case .notJSON, .missingMember, .malformed:
            "Use nothing of the text: ask for the order's state, and look for a proxy that answers in the gateway's place."
        case .unknownKey, .wrongSignature, .outsideWindow, .otherAccount:
            "Refuse the message, and ask for the order's state; if all messages are refused, compare key, account and clock with the gateway's."
        case .invalidKey, .unsupportedMessages:
            "Give the key for messages that the gateway's back office shows; until then ask for the state of orders."
        case .notSent:
            "Do what the reason says, or repair what it names, such as the network, the gateway's address or certificate, or the account's secrets, then repeat the request; if it was a payment, the customer can also pay the same order again."
        case .orderLibraryFailure, .gatewayLibraryFailure:
            "Check the memory and the OpenSSL of this machine, then try again."
        }
    }
}
