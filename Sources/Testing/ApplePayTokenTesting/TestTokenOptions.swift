public import ApplePayDecryption
internal import ApplePayTokenTestingPrimitives
internal import ApplePayWire
public import FoundationEssentials

/// The contents of a test token: by default, a 3-D Secure payment of 1.00 euro that is signed now.
public struct TestTokenOptions: Sendable {
    /// The amount in the currency's minor unit; 0 or more.
    public var amount = 100

    /// The numeric currency code (ISO 4217), three digits.
    public var currencyCode = "978"

    /// The account number of 12 to 19 digits; nil for a random one of 16 digits from Visa's test range 400000.
    public var accountNumber: String?

    /// The expiration date as `YYMMDD`.
    public var expirationDate = "491231"

    /// The signing time; nil for the current time.
    public var signingTime: Date?

    /// The merchant's application data, whose SHA-256 the token contains; nil for none.
    public var applicationData: [UInt8]?

    /// The EMV data (BER-TLV) of an EMV payment; nil for a 3-D Secure payment.
    public var emvData: [UInt8]?

    /// The identifier of a merchant token, to which metadata are added; nil for none.
    public var merchantTokenIdentifier: String?

    /// The environment in the signer's name, `PROD` or `SANDBOX`; nil for another name.
    public var environment: Environment?

    /// The wrapper around the token; nil for none.
    public var wrapper: TokenWrapper?

    /// Apple's names of the two environments in the names of signers.
    public enum Environment: String, Sendable, CaseIterable {
        /// Live payments.
        case production
        /// Apple's sandbox.
        case sandbox
    }

    /// EMV data of a contactless payment with invented values.
    public static let sampleEMVData: [UInt8] = [
        0x9F, 0x26, 0x08, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x9F, 0x36, 0x02,
        0x00, 0x07, 0x9F, 0x27, 0x01, 0x80, 0x82, 0x02, 0x19, 0x80,
    ]

    /// The metadata of every merchant token.
    private static var metadata: JSONValue {
        .object([
            "cardMetadata": .object([
                "cardCountry": "US", "expirationDate": "20491231", "fpanSuffix": "4321",
                "shortDescription": "Test Card", "longDescription": "Test Bank Test Card",
            ]),
            "cardArt": .array([
                .object([
                    "name": "cardArt", "type": "image/png",
                    "url": "https://art.test.example/card.png",
                ])
            ]),
        ])
    }

    /// Creates options with these values, and with the defaults for the others.
    public init(amount: Int = 100, currency: Currency? = nil) {
        self.amount = amount
        if let currency { currencyCode = String(currency.numeric) }
    }

    /// Applies the options to a recipe.
    func apply(to recipe: inout TokenRecipe) throws {
        recipe.payload.amount = amount
        recipe.payload.currencyCode = currencyCode
        recipe.payload.expirationDate = expirationDate
        if let accountNumber { recipe.payload.accountNumber = accountNumber }
        if let emvData { recipe.payload.useEMV(emvData) }
        if let merchantTokenIdentifier {
            recipe.payload["merchantTokenIdentifier"] = .string(merchantTokenIdentifier)
            recipe.payload["merchantTokenMetadata"] = Self.metadata
        }
        if let applicationData {
            recipe.applicationData = try Digest.sha256.hash(applicationData)
        }
        if let environment {
            let name = environment == .production ? "UC4-PROD" : "UC4-SANDBOX"
            let prefix = recipe.chain.leaf.subject.commonName.split(separator: "_")[0]
            recipe.chain.leaf.subject.commonName = "\(prefix)_\(name)"
        }
        if let wrapper { recipe.editText { $0 = wrapper.text(around: $0) } }
    }
}
