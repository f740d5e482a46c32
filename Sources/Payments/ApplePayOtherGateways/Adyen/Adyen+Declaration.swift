internal import ApplePayAcceptance
internal import ApplePayGateways
internal import ApplePayPrimitives

extension Adyen {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = Adyen(testing: .unset, merchantAccount: "")
        var livePrefix: String?
    }

    static let declaration = DeclaredGateway(
        gatewayName, "Adyen Checkout", Account(), forms: [.decrypted],
        environment: { account, environment throws(FileError) in
            guard environment == .live else { return }
            do throws(PaymentError) {
                try account.gateway.useLiveServers(account.livePrefix ?? "")
            } catch {
                throw FileError(
                    path: "account.livePrefix",
                    reason:
                        "must be the prefix of the account's live server: letters, digits and hyphens"
                )
            }
        },
        origins: [\.gateway.origin],
        gateway: { $0.gateway },
        members: [
            .account(
                .mandatory(
                    "merchantAccount", .text(.name), \.gateway.merchantAccount,
                    "the merchant account",
                    key: "merchantAccount", example: "ShopECOM"),
                .optional(
                    "livePrefix", .text(1...63), \.livePrefix,
                    "the prefix of the account's live server; mandatory for live", key: "the host")),
            .credentials(
                "what authenticates requests",
                .mandatory(
                    "apiKey", .secret, \.gateway.apiKey, "the API key", key: "X-API-Key",
                    example: "ADYEN_API_KEY")),
            .payment(
                .defaulted(
                    "brand", .choiceOrNone(), \.gateway.options.brand,
                    "the member brand; default: applePay", key: "paymentMethod.brand"),
                .defaulted(
                    "cryptogramField", .choice, \.gateway.options.cryptogramField,
                    "the member with the cryptogram; default: cavv", key: "mpiData")),
        ] as [FileMember<Account>])
}
