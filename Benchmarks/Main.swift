import ApplePayToken
import TokenMint

/// Measures the road from a token's bytes to a payment against what libcrypto alone must cost.
///
/// All that is compared is measured in one run and in turns, so that a machine that changes its
/// speed favours no side. Figures in microseconds are of the moment; the ratios are what counts.
@main
enum Main {
    static func main() throws {
        let rounds = CommandLine.arguments.contains("--quick") ? 20 : 100
        let bench = try Bench(tokenCount: 64)
        let ec = try bench.warm(.ec, rounds: rounds)
        let rsa = try bench.warm(.rsa, rounds: rounds)
        let cold = try bench.cold(rounds: max(rounds / 10, 5))
        print("median of \(rounds) rounds over 64 different tokens, one thread, µs per token\n")
        print("                          libcrypto    road")
        for (name, result) in [("EC_v1, chain remembered ", ec), ("RSA_v1, chain remembered", rsa)]
        {
            print("\(name)  \(column(result.floor))  \(column(result.road))")
        }
        print("EC_v1, chain to be proven            \(column(cold))\n")
        print("ratio warm-ec \(twoDigits(ec.road / ec.floor))")
        print("ratio warm-rsa \(twoDigits(rsa.road / rsa.floor))")
    }

    private static func column(_ value: Double) -> String {
        let text = twoDigits(value)
        return String(repeating: " ", count: max(9 - text.count, 0)) + text
    }

    private static func twoDigits(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
