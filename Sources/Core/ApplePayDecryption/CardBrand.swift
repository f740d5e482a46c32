internal import ApplePayPrimitives

/// The network of a card, derived from the range of its account number.
///
/// `paymentMethod.network` names the network as well, but that member is not signed.
///
/// Source: ISO/IEC 7812-1 §4; the networks' published ranges.
public enum CardBrand: String, CaseIterable, Sendable {
    /// 34 and 37.
    case americanExpress = "amex"
    /// 30, 36, 38 and 39.
    case dinersClub = "diners"
    /// 6011, 644 to 649 and 65.
    case discover = "discover"
    /// 3528 to 3589.
    case jcb = "jcb"
    /// 50, 56 to 58, and every other number that begins with 6.
    case maestro = "maestro"
    /// 51 to 55 and 2221 to 2720.
    case mastercard = "mastercard"
    /// 2200 to 2204.
    case mir = "mir"
    /// 62 and 81.
    case unionPay = "unionpay"
    /// All account numbers that begin with 4.
    case visa = "visa"

    /// Derives the brand from an account number; nil if no range matches.
    ///
    /// A network whose cards share another network's ranges, such as Cartes Bancaires with Visa and Mastercard, cannot
    /// be recognized.
    ///
    /// - Parameter accountNumber: The device account number.
    public init?(_ accountNumber: AccountNumber) {
        let prefix = accountNumber.digits.withRevealedBytes { digits in
            (0..<4).reduce(0) { $0 * 10 + Int(digits[$1]) - 0x30 }
        }
        switch prefix {
        case 3400..<3500, 3700..<3800: self = .americanExpress
        case 3000..<3100, 3600..<3700, 3800..<4000: self = .dinersClub
        case 3528..<3590: self = .jcb
        case 4000..<5000: self = .visa
        case 5100..<5600, 2221..<2721: self = .mastercard
        case 2200..<2205: self = .mir
        case 6011, 6440..<6600: self = .discover
        case 6200..<6300, 8100..<8200: self = .unionPay
        case 5000..<5100, 5600..<5900, 6000..<7000: self = .maestro
        default: return nil
        }
    }
}
