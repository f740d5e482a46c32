/// Bytes as hexadecimal digits.
package enum Hexadecimal {
    /// Returns two lowercase digits for every byte.
    package static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] })
    }
}
