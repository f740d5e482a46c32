internal import ApplePayMerchantKeys
internal import ApplePayToken

extension PaymentTokenError.Code {
    /// The advice of the library, with the command that helps to follow it.
    var commandAdvice: String {
        let help =
            switch self {
            case .noKeyWithHash: "paytoken keys list shows the hashes of your keys."
            case .decryptionFailed: "paytoken inspect with \(CommandOption.keys) shows what fits."
            case .notClaimed: "paytoken ledger show lists the claims."
            default: nil as String?
            }
        return help.map { "\(advice) \($0)" } ?? advice
    }
}

extension KeyringError {
    /// A sentence without its subject, which is the path, with the options that help.
    var commandReason: String {
        switch remedy {
        case .passphrase:
            "\(reason) (\(CommandOption.passphraseFile) or \(CommandOption.passphraseVariable))"
        case .merchantIdentifier: "\(reason) (\(CommandOption.merchantIdentifier))"
        case nil: reason
        }
    }

    /// The path and the reason, with the options that help.
    var commandDescription: String { "\(path) \(commandReason)." }
}
