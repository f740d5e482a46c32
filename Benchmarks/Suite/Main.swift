import ApplePayToken
import BenchmarkFloor
import Foundation

@main
enum Main {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        let corpus = try Corpus()
        if words.first == "profile" {
            let decryptor = try corpus.decryptor()
            let start = Floor_now()
            for _ in 0..<2000 {
                for token in corpus.ec {
                    _ = try decryptor.decrypt(token.text, agePolicy: Corpus.receipt)
                }
            }
            print(Double(Floor_now() - start) / 1000 / 128000)
            return
        }
        let road = try RoadBenchmark(corpus, rounds: words.contains("--quick") ? 20 : 100)
        for name in [
            "EC_v1 libcrypto", "EC_v1 road", "RSA_v1 libcrypto", "RSA_v1 road", "chain libcrypto",
            "EC_v1 road, chain not remembered", "ECDSA P-256 verify", "ECDH P-256", "AES-256-GCM",
            "three SHA-256", "read certificates", "step parse token", "step parse CMS",
            "step verify", "step open", "straightforward",
        ] {
            print(name, road.turns.times(name).median)
        }
        print("warm-ec", road.turns.ratio("EC_v1 road", over: "EC_v1 libcrypto").median)
        print("warm-rsa", road.turns.ratio("RSA_v1 road", over: "RSA_v1 libcrypto").median)
        print(
            "cold-ec",
            road.turns.ratio(
                "EC_v1 road, chain not remembered", over: "EC_v1 libcrypto", "chain libcrypto"
            ).median)
        print("allocs", road.allocations)
        let t = try ThreadBenchmark(corpus, threadCounts: [1, 2], rounds: 10)
        print("threads", t.growth(2).median, t.floorGrowth(2).median)
    }
}
