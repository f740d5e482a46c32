internal import ApplePayToken

/// The result of trying keys on a token, for the owner of the keys.
struct KeyInspection {
    private let diagnosis: Result<KeyDiagnosis, PaymentTokenError>

    /// Tries the keys on a token; requires a valid signature but ignores the token's age.
    init(
        _ token: PaymentToken,
        verifier: PaymentTokenVerifier,
        keyring: MerchantKeyring,
        merchantIdentifiers: [String]
    ) {
        diagnosis = Result { () throws(PaymentTokenError) in
            KeyDiagnosis(
                of: try verifier.verify(token, agePolicy: .anyAge), keyring: keyring,
                merchantIdentifiers: merchantIdentifiers)
        }
    }

    /// The group `keys`: each loaded key, the merchants tried and the conclusion.
    var node: InspectionNode {
        let facts: [InspectionNode]
        switch diagnosis {
        case .failure(let error):
            facts = [
                .fact(
                    "conclusion",
                    "The signature does not hold (\(error.code.rawValue)), so the keys were "
                        + "not tried: what was altered on its way no key opens.")
            ]
        case .success(let diagnosis):
            facts =
                [.fact("wanted", diagnosis.publicKeyHash)]
                + diagnosis.keys.enumerated().map { number, key in
                    .group("key \(number + 1)", Self.facts(of: key, diagnosis.publicKeyHash))
                } + [
                    .fact(
                        "merchants tried",
                        diagnosis.merchantsTried.isEmpty
                            ? "none"
                            : diagnosis.merchantsTried.joined(separator: ", ")),
                    .fact("conclusion", diagnosis.conclusion),
                ]
        }
        return .group("keys", facts)
    }

    private static func facts(
        of key: KeyDiagnosis.Key,
        _ wanted: String
    ) -> [InspectionNode] {
        let description = key.description
        return [
            .fact("file", description.source),
            .fact("hash", description.publicKeyHash),
            .fact("named by the token", description.publicKeyHash == wanted ? "yes" : "no"),
            .fact("kind", description.kind.rawValue),
            .fact(
                "merchant",
                description.merchantIdentifier ?? description.merchantIdentifierHash ?? "unknown"),
            .fact("generation", key.generation.rawValue),
        ]
    }
}
