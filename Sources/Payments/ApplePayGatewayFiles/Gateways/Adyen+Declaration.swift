internal import ApplePayGateways
internal import ApplePayToken

extension Adyen {
    /// The account of a gateway file.
    struct Account: Sendable {
        var gateway = Adyen(testing: .unset, merchantAccount: "")
        var livePrefix: String?
    }

    static let declaration = GatewayDeclaration<Account>(
        gatewayName, "Adyen Checkout", Account(), forms: [.decrypted],
        environment: { account, environment throws(MemberFault) in
            guard environment == .live else { return }
            do throws(PaymentTokenError) {
                try account.gateway.useLiveServers(account.livePrefix ?? "")
            } catch {
                throw MemberFault(
                    "account.livePrefix",
                    "must be the prefix of the account's live server: letters, digits and hyphens")
            }
        },
        origin: { $0.gateway.origin = $1 },
        gateway: { $0.gateway },
        members: [
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "merchantAccount", \.gateway.merchantAccount, "the merchant account",
                        key: "merchantAccount", example: "ShopECOM"),
                    .text(
                        "livePrefix", \.livePrefix,
                        "the prefix of the account's live server; mandatory for live",
                        key: "the host", 1...63),
                ]),
            .group(
                "credentials", "what authenticates requests",
                [
                    .secret(
                        "apiKey", \.gateway.apiKey, "the API key", key: "X-API-Key",
                        variable: "ADYEN_API_KEY")
                ]),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    FileMember(
                        "brand", .choice(brands), "the member brand; default: applePay",
                        key: "paymentMethod.brand"
                    ) { file, account throws(MemberFault) in
                        account.gateway.options.brand = Brand(
                            rawValue: brands[try file.choice(brands)])
                    },
                    .choice(
                        "cryptogramField", \.gateway.options.cryptogramField,
                        "the member with the cryptogram; default: cavv", key: "mpiData",
                        name: \.rawValue),
                ]),
        ],
        steps: [
            .payment(
                "Charges or reserves the order's amount.",
                gateway: { account, _ in account.gateway }
            ) {
                _, response in Adyen.paymentReport(response)
            }
        ])

    /// The values of `brand`; `none` leaves the member out.
    private static let brands = Brand.allCases.map(\.rawValue) + ["none"]
}
