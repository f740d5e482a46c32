internal import ApplePayGateways

extension CyberSource {
    static let declaration = DeclaredGateway(
        gatewayName, "CyberSource",
        CyberSource(
            credentials: Credentials(merchantID: "", keyID: "", sharedSecret: .unset),
            environment: .test),
        forms: [.decrypted],
        environment: {
            $0.origin = ($1 == .live ? Environment.live : .test).rawValue
            $0.isTest = $1 == .test
        },
        origins: [\.origin],
        gateway: { $0 },
        members: [
            .account(
                .mandatory(
                    "merchantId", .text(.name), \.credentials.merchantID,
                    "the merchant's identifier",
                    key: "v-c-merchant-id", example: "shop")),
            .credentials(
                "the key that signs requests",
                .mandatory(
                    "keyId", .text(.name), \.credentials.keyID, "the key's identifier",
                    key: "Signature",
                    example: "08c94330-f618-42a3-b09d-e1e43be5efda"),
                .mandatory(
                    "sharedSecret", .secret, \.credentials.sharedSecret,
                    "the shared secret, base64 as CyberSource shows it", key: "Signature",
                    example: "CYBERSOURCE_SECRET")),
            .payment(
                .optional(
                    "capture", .boolean, \.options.capture,
                    "whether the amount is captured immediately",
                    key: "processingInformation.capture"),
                .defaulted(
                    "commerceIndicator", .choiceOrNone(), \.options.commerceIndicator,
                    "how the member is chosen, or none to leave it out; default: eci",
                    key: "processingInformation.commerceIndicator")),
        ] as [FileMember<CyberSource>])
}
