import ApplePayToken
import ApplePayWire

/// Every text of a few bytes, as JSON and as a token.
enum ShortTexts {
    /// Reads every text of a length as JSON, and compares the accepted ones with the grammar.
    static func json(length: Int) -> Tally {
        let expected = JSONGrammar.texts(length)
        var tally = Tally.inParallel("JSON of \(length) bytes", shares: length == 0 ? 1 : 256) {
            share, tally in
            var text = [UInt8](repeating: 0, count: length)
            if length > 0 { text[0] = UInt8(share) }
            var refused = [Int](repeating: 0, count: Self.faults.count)
            var accepted = 0
            repeat {
                do throws(JSONError) {
                    _ = try JSONIndex(text.span)
                    accepted += 1
                    if !expected.contains(text) { tally.fail("\(text) is accepted, but not JSON") }
                } catch {
                    refused[Self.slot(error.fault)] += 1
                }
            } while advance(&text, from: 1)
            if accepted > 0 { tally.add(Self.accepted, accepted) }
            for (fault, count) in zip(Self.faults, refused) where count > 0 {
                tally.add(PaymentTokenError(JSONError(fault, at: 0)).code.rawValue, count)
            }
        }
        if tally.counts[Self.accepted] ?? 0 != expected.count {
            tally.fail("the grammar has \(expected.count) texts")
        }
        return tally
    }

    /// The outcome of a text that is JSON, according to the grammar.
    static let accepted = "accepted: JSON"

    private static let faults: [JSONError.Fault] = [
        .unexpectedEnd, .unexpectedCharacter, .invalidUTF8, .trailingText, .invalidNumber,
        .controlCharacter, .invalidEscape, .loneSurrogate, .duplicateKey, .jsonDepthExceeded,
        .textTooLong,
    ]

    /// The position in ``faults``, without a search: there are four billion texts of four bytes.
    private static func slot(_ fault: JSONError.Fault) -> Int {
        switch fault {
        case .unexpectedEnd: 0
        case .unexpectedCharacter: 1
        case .invalidUTF8: 2
        case .trailingText: 3
        case .invalidNumber: 4
        case .controlCharacter: 5
        case .invalidEscape: 6
        case .loneSurrogate: 7
        case .duplicateKey: 8
        case .jsonDepthExceeded: 9
        case .textTooLong: 10
        }
    }

    /// Reads texts as tokens in all wrappers: every text of a length that consists of some bytes.
    static func tokens(length: Int, of alphabet: [UInt8] = Array(UInt8.min...UInt8.max)) -> Tally {
        let name = alphabet.count == 256 ? "" : " of \(alphabet.count) characters"
        return Tally.inParallel(
            "token of \(length) bytes\(name)", shares: length == 0 ? 1 : alphabet.count
        ) { share, tally in
            var digits = [UInt8](repeating: 0, count: length)
            if length > 0 { digits[0] = UInt8(share) }
            repeat {
                let text = digits.map { alphabet[Int($0)] }
                do throws(PaymentTokenError) {
                    _ = try PaymentToken(parsing: text)
                    tally.add("ACCEPTED")
                    tally.fail("\(text) is a token")
                } catch {
                    tally.add(error.code.rawValue)
                }
            } while advance(&digits, from: 1, limit: alphabet.count)
        }
    }

    /// The characters in which JSON and the wrappers of tokens are written: ASCII's, and white space.
    static let printable: [UInt8] = [0x09, 0x0A, 0x0D] + Array(0x20...0x7E)

    /// Counts on, from a digit to the last; false after the last number.
    private static func advance(_ digits: inout [UInt8], from first: Int, limit: Int = 256) -> Bool
    {
        var index = digits.count - 1
        while index >= first {
            if Int(digits[index]) + 1 < limit {
                digits[index] += 1
                return true
            }
            digits[index] = 0
            index -= 1
        }
        return false
    }
}
