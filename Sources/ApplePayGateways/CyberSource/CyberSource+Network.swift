extension CyberSource {
    /// What CyberSource calls a network, and how its authentication is stated.
    struct Network {
        /// `tokenizedCard.type`: three digits.
        let type: String?

        /// The commerce indicator of an authenticated payment; nil where the guide has none.
        let indicator: String?

        /// The ECI that says authenticated.
        let authenticatedECI: Int

        /// Whether the cryptogram goes into the UCAF fields instead of `cavv`.
        let usesUCAF: Bool

        /// The network of a brand; an unknown brand has no type.
        init(_ brand: CardBrand?) {
            switch brand {
            case .visa: self.init("001", "vbv")
            case .mastercard: self.init("002", "spa", 2, ucaf: true)
            case .americanExpress: self.init("003", "aesk")
            case .discover: self.init("004", "dipb")
            case .dinersClub: self.init("005", nil)
            case .jcb: self.init("007", "js")
            case .maestro: self.init("042", "spa", 2, ucaf: true)
            case .unionPay: self.init("062", nil)
            case .mir, nil: self.init(nil, nil)
            }
        }

        private init(_ type: String?, _ indicator: String?, _ eci: Int = 5, ucaf: Bool = false) {
            self.type = type
            self.indicator = indicator
            authenticatedECI = eci
            usesUCAF = ucaf
        }

        /// `commerceIndicator` for a payment with this ECI.
        func commerceIndicator(_ choice: CommerceIndicator?, eci: Int?) -> String? {
            switch choice {
            case .eci: eci == authenticatedECI ? indicator ?? "internet" : "internet"
            case .network: indicator ?? "internet"
            case .internet: "internet"
            case nil: nil
            }
        }
    }
}
