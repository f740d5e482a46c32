// Measures `paytokend` with many connections against the library in this process, for Benchmarks/Service/bench.py.
//
//   service-load SOCKET KEYS ROOT TOKENS CONNECTIONS
//
// KEYS is the service's folder of keys, ROOT its test trust anchor, and TOKENS a file with a token on each line. In turn,
// as many threads as there are connections decrypt tokens with the library, and the service decrypts them over all
// connections. Half of the requests that it answers in a second are then sent, and the times of the answers are measured.

import ApplePayToken
import Foundation
import Glibc

/// The number of rounds, and the time of each with the library and with the service.
let (rounds, time) = (15, Duration.milliseconds(500))
let timeAtHalfLoad = Duration.seconds(10)

func measure() throws {
    let words = CommandLine.arguments
    guard words.count == 6, let connectionCount = Int(words[5]) else {
        throw Failure("usage: service-load SOCKET KEYS ROOT TOKENS CONNECTIONS")
    }
    let tokens = try String(contentsOfFile: words[4], encoding: .utf8).split(separator: "\n")
        .map { Array($0.utf8) }
    let decryptor = try PaymentTokenDecryptor(
        keyring: MerchantKeyring(contentsOf: [words[2]]),
        anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: URL(filePath: words[3])))))
    let requests = tokens.map(Connection.request)
    let connections = try (0..<connectionCount).map { _ in try Connection(to: words[1]) }
    let load = Load(connections, requests)
    let threads = Threads(count: connectionCount)

    var rates: [(library: Double, service: Double)] = []
    // Processor time a token: the library's, the service's, and this program's while the service works.
    var costs: [(library: Double, service: Double, load: Double)] = []
    let server = try connections[0].serverClock()
    // The first round warms both up.
    for round in 0...rounds {
        let start = Clock.own.seconds
        let library = try threads.rate(for: time) { thread, number in
            _ = try decryptor.decrypt(tokens[(thread + number) % tokens.count])
        }
        let (middle, serverStart) = (Clock.own.seconds, server.seconds)
        let service = try load.rate(for: time)
        let (end, serverEnd) = (Clock.own.seconds, server.seconds)
        guard round > 0 else { continue }
        rates.append((library.rate, service.rate))
        costs.append(
            (
                (middle - start) / library.count, (serverEnd - serverStart) / service.count,
                (end - middle) / service.count
            ))
    }
    let ratios = rates.map { $0.service / $0.library }
    let rate = median(rates.map(\.service))
    let cost = (
        library: median(costs.map(\.library)) * 1e6, service: median(costs.map(\.service)) * 1e6,
        load: median(costs.map(\.load)) * 1e6
    )
    print(
        format(
            "library %8.0f tokens a second, %6.1f µs of processor time each",
            median(rates.map(\.library)), cost.library))
    print(
        format(
            "service %8.0f tokens a second, %6.1f µs of processor time each, and %.1f µs to ask for it",
            rate, cost.service, cost.load))
    print(format("ratio service-decrypt %.3f", median(ratios)))
    print(
        format(
            "ratio of processor time %.3f",
            median(costs.map { $0.library / ($0.service + $0.load) })))

    let times = try load.times(rate: rate / 2, for: timeAtHalfLoad).sorted()
    let (half, most) = (times[times.count / 2], times[times.count * 99 / 100])
    print(format("p50 at half load %8.3f ms", half * 1000))
    print(format("p99 at half load %8.3f ms", most * 1000))
    print(format("ratio service-p99 %.2f", most / half))
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func format(_ text: String, _ values: Double...) -> String {
    String(format: text, arguments: values)
}

do {
    try measure()
} catch {
    print("failed: \(error)")
    exit(1)
}
