extension Intergiro {
    static let declaration = DeclaredGateway(
        "intergiro", "Intergiro", Intergiro(apiKey: .unset, environment: .staging), forms: [],
        environment: { $0.origin = ($1 == .live ? Environment.live : .staging).rawValue },
        origins: [\.origin],
        gateway: { _ in nil }, cards: { $0 },
        members: [
            .credentials(
                "what a login needs",
                .mandatory(
                    "apiKey", .secret, \.apiKey, "the API key", key: "api_key",
                    example: "INTERGIRO_API_KEY"))
        ] as [FileMember<Intergiro>])
}
