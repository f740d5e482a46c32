internal import ApplePayGateways
internal import ApplePayToken

extension CyberSource {
    static let declaration = GatewayDeclaration<CyberSource>(
        gatewayName, "CyberSource",
        CyberSource(
            credentials: Credentials(merchantID: "", keyID: "", sharedSecret: .unset),
            environment: .test), forms: [.decrypted],
        environment: { gateway, environment in
            gateway.origin =
                (environment == .live ? Environment.live : Environment.test).rawValue
        },
        origin: { $0.origin = $1 },
        gateway: { $0 },
        members: [
            .group(
                "account", "the merchant's account",
                [
                    .text(
                        "merchantId", \.credentials.merchantID, "the merchant's identifier",
                        key: "v-c-merchant-id", example: "shop")
                ]),
            .group(
                "credentials", "the key that signs requests",
                [
                    .text(
                        "keyId", \.credentials.keyID, "the key's identifier", key: "Signature",
                        example: "08c94330-f618-42a3-b09d-e1e43be5efda"),
                    .secret(
                        "sharedSecret", \.credentials.sharedSecret,
                        "the shared secret, base64 as CyberSource shows it", key: "Signature",
                        variable: "CYBERSOURCE_SECRET"),
                ]),
            .group(
                "payment", "the members of a payment that are the same for every order",
                [
                    .boolean(
                        "capture", \.options.capture, "whether the amount is captured immediately",
                        key: "processingInformation.capture"),
                    FileMember(
                        "commerceIndicator", .choice(indicators),
                        "how the member is chosen, or none to leave it out; default: eci",
                        key: "processingInformation.commerceIndicator"
                    ) { file, gateway throws(MemberFault) in
                        gateway.options.commerceIndicator = CommerceIndicator(
                            rawValue: indicators[try file.choice(indicators)])
                    },
                ]),
        ],
        steps: [
            .payment(
                "Charges or reserves the order's amount.", gateway: { gateway, _ in gateway },
                takes: []
            ) { gateway, response in
                CyberSource.paymentReport(
                    response, isSale: gateway.options.capture ?? false)
            },
            GatewayStep(
                "reversal", "Releases or voids a payment whose answer was lost.", needs: [.order],
                reader: .operation(
                    .cancellation, { response, _ in CyberSource.reversalReport(response) },
                    needsName: false)
            ) { gateway, input throws(PaymentTokenError) in
                try gateway.reverseTimedOut(input.attempted()).request(at: input.date)
            },
        ])

    /// The values of `commerceIndicator`.
    private static let indicators = CommerceIndicator.allCases.map(\.rawValue) + ["none"]
}
