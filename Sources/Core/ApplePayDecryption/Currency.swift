public import ApplePayWire

/// A currency of ISO 4217: its two codes and the number of decimal places of its minor unit.
public struct Currency: Hashable, Sendable, CustomStringConvertible {
    /// Three capital letters, such as `EUR`.
    public let alphabetic: ExactText

    /// Three digits, such as `978`.
    public let numeric: ExactText

    /// The number of decimal places of the minor unit: 2 for EUR, 0 for JPY, 3 for KWD.
    public let exponent: Int

    /// Creates the currency with an alphabetic code; returns nil for a code that is not in use.
    ///
    /// - Parameter alphabetic: Three capital letters.
    public init?(alphabetic: ExactText) {
        guard let currency = Self.byAlphabetic[alphabetic] else { return nil }
        self = currency
    }

    /// Creates the currency with a numeric code; returns nil for a code that is not in use.
    ///
    /// - Parameter numeric: Three digits, including leading zeros.
    public init?(numeric: ExactText) {
        guard let currency = Self.byNumeric[numeric] else { return nil }
        self = currency
    }

    private init(_ alphabetic: Substring, _ numeric: Substring, _ exponent: Int) {
        self.alphabetic = ExactText(alphabetic)
        self.numeric = ExactText(numeric)
        self.exponent = exponent
    }

    /// The alphabetic code.
    public var description: String { String(alphabetic) }

    private static let byAlphabetic = Dictionary(
        uniqueKeysWithValues: all.map { ($0.alphabetic, $0) })

    private static let byNumeric = Dictionary(uniqueKeysWithValues: all.map { ($0.numeric, $0) })

    private static let all: [Currency] = table.flatMap { exponent, codes in
        codes.split(whereSeparator: \.isWhitespace).map { code in
            Currency(code.prefix(3), code.suffix(3), exponent)
        }
    }

    /// ISO 4217 list one (currencies and funds in use), grouped by the number of decimal places.
    ///
    /// BGN975, which was withdrawn at the end of 2025, is kept for older tokens.
    private static let table: [(exponent: Int, codes: String)] = [
        (
            0,
            """
            BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 UYI940
            VND704 VUV548 XAF950 XOF952 XPF953
            """
        ),
        (
            2,
            """
            AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050
            BGN975 BMD060 BND096 BOB068 BOV984 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124
            CDF976 CHE947 CHF756 CHW948 CNY156 COP170 COU970 CRC188 CUP192 CVE132 CZK203 DKK208
            DOP214 DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292
            GMD270 GTQ320 GYD328 HKD344 HNL340 HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388
            KES404 KGS417 KHR116 KPW408 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 MAD504
            MDL498 MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MXV979
            MYR458 MZN943 NAD516 NGN566 NIO558 NOK578 NPR524 NZD554 PAB590 PEN604 PGK598 PHP608
            PKR586 PLN985 QAR634 RON946 RSD941 RUB643 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702
            SHP654 SLE925 SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 THB764 TJS972 TMT934
            TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 USD840 USN997 UYU858 UZS860 VED926 VES928
            WST882 XCD951 XCG532 YER886 ZAR710 ZMW967 ZWG924
            """
        ),
        (3, "BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788"),
        (4, "CLF990 UYW927"),
    ]
}

extension Currency: Codable {
    /// Reads a currency from its alphabetic code.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`, also for a code that is not in use.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let code = try container.decode(String.self)
        guard let currency = Currency(alphabetic: ExactText(code)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a currency code of ISO 4217")
        }
        self = currency
    }

    /// Writes the alphabetic code.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(alphabetic)
    }
}
