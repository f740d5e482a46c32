/// A currency of ISO 4217.
///
/// The sandbox does not use the library's table, so that it finds errors in it.
struct SandboxCurrency: Sendable {
    /// Three capital letters, such as `EUR`.
    let alphabetic: String

    /// The number of decimals of the minor unit.
    let decimals: Int

    /// Finds a currency by its letters, or by its number if RBS's banks use it.
    init?(_ code: String?) {
        guard let code = code.map({ Self.letters[$0] ?? $0 }), code.utf8.count == 3,
            code.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else { return nil }
        alphabetic = code
        decimals = Self.units.first { $0.codes.contains(code) }?.decimals ?? 2
    }

    /// The number, such as `978`; nil if RBS's banks do not use the currency.
    var numeric: String? {
        Self.letters.first { $0.value == alphabetic && !["810", "974"].contains($0.key) }?.key
    }

    /// Returns an amount in minor units as a decimal, such as `30.00`.
    func decimal(_ amount: Int64) -> JSON {
        let digits = String(amount)
        guard decimals > 0 else { return .string(digits) }
        let padded = String(repeating: "0", count: max(decimals + 1 - digits.count, 0)) + digits
        return .string("\(padded.dropLast(decimals)).\(padded.suffix(decimals))")
    }

    /// The currencies whose minor unit does not have two decimals.
    private static let units = [
        (decimals: 0, codes: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"),
        (decimals: 3, codes: "BHD IQD JOD KWD LYD OMR TND"),
    ]

    /// The currencies of RBS's banks; 810 and 974 are former numbers that some of them still use.
    private static let letters = [
        "012": "DZD", "036": "AUD", "051": "AMD", "124": "CAD", "156": "CNY", "203": "CZK",
        "208": "DKK", "392": "JPY", "398": "KZT", "414": "KWD", "417": "KGS", "498": "MDL",
        "578": "NOK", "643": "RUB", "752": "SEK", "756": "CHF", "810": "RUB", "826": "GBP",
        "840": "USD", "860": "UZS", "933": "BYN", "944": "AZN", "946": "RON", "949": "TRY",
        "972": "TJS", "974": "BYN", "975": "BGN", "978": "EUR", "980": "UAH", "981": "GEL",
        "985": "PLN",
    ]
}
