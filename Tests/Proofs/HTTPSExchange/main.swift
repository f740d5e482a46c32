// Sends requests with ApplePayHTTPS for Tests/Integration/https.py: reads one request per line from standard input, and
// writes one result per line.
//
//   https-exchange [--authorities FILE] [--proxy HOST:PORT] [--beginning SECONDS] [--whole SECONDS]
//       [--identity KEY [--certificate FILE] [--passphrase-env NAME]] [--concurrent yes]
//
// A request is `METHOD ORIGIN TARGET BYTES [CANCEL-AFTER-MS]`, BYTES the length of the body. A result is `answer STATUS
// DESCRIPTION`, `not-sent CODE DETAIL` or `unknown CODE DETAIL`, with the milliseconds at its end. With `--concurrent`, a
// request does not wait for those before it, and results are in the order of their arrival. If the options do not work, the
// only line is `failed REASON`.

import ApplePayHTTPS
import ApplePayMerchantKeys
import ApplePayPrimitives
import ApplePayTransport
import Foundation

func result(_ request: GatewayRequest, with client: HTTPSClient, cancelAfter: Int?) async -> String
{
    let task = Task {
        do throws(GatewayTransportError) {
            let answer = try await client.send(request)
            return "answer \(answer.status) \(answer)"
        } catch {
            let kind = error.requestMayHaveReachedGateway ? "unknown" : "not-sent"
            return "\(kind) \(error.code.rawValue) \(error.detail ?? "")"
        }
    }
    guard let cancelAfter else { return await task.value }
    try? await Task.sleep(for: .milliseconds(cancelAfter))
    let start = ContinuousClock.now
    task.cancel()
    return await task.value + " after \((ContinuousClock.now - start) / .milliseconds(1)) ms"
}

func answerLines() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    var options: [String: String] = [:]
    while let name = arguments.popFirst(), let value = arguments.popFirst() {
        options[name] = value
    }
    let passphrases = try options["--passphrase-env"].map {
        [try Passphrase(environmentVariable: $0)]
    }
    let identity = try options["--identity"].map {
        try ClientIdentity(
            key: $0, certificate: options["--certificate"], passphrases: passphrases ?? [])
    }
    var client =
        try options["--authorities"].map { try HTTPSClient(authorities: $0, identity: identity) }
        ?? HTTPSClient(identity: identity)
    if let proxy = options["--proxy"] {
        let credentials = options["--credentials"].map { SensitiveBytes(copying: $0.utf8.span) }
        client.proxy = HTTPProxy(proxy, credentials: credentials)
    }
    if let seconds = options["--beginning"].flatMap(Double.init) {
        client.connectionLimit = .seconds(seconds)
    }
    if let seconds = options["--whole"].flatMap(Double.init) {
        client.timeLimit = .seconds(seconds)
    }
    let (isConcurrent, sender) = (options["--concurrent"] != nil, client)
    await withTaskGroup(of: Void.self) { group in
        while let line = readLine() {
            group.addTask { await answer(line, with: sender) }
            if !isConcurrent { await group.waitForAll() }
        }
    }
}

func answer(_ line: String, with client: HTTPSClient) async {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 4, let count = Int(words[3]) else { return }
    let letters = [UInt8](repeating: 0x61, count: count)
    let request = GatewayRequest(
        method: words[0], words[1], words[2], headers: [.contentType("text/plain")],
        body: count == 0 ? nil : SensitiveBytes(copying: letters.span))
    let line = await result(
        request, with: client, cancelAfter: words.count > 4 ? Int(words[4]) : nil)
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

do {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.count == 6, ["event", "unlink"].contains(words[0]) {
        print(try await askAboutMerchantTokens(words))
    } else {
        try await answerLines()
    }
} catch {
    print("failed \(error)")
    exit(1)
}
