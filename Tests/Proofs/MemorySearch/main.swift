// Decrypts tokens, releases everything, and searches its own memory for their secrets. The tests
// run this in a separate process, which did not create the tokens, and pass the secrets inverted.
//
// Arguments: a folder with keys, the root's certificate, the time of receipt, then for each token
// a file, the expected result ("ok" or stage/code), and a file of inverted needles in hexadecimal.

import ApplePayAcceptance
import ApplePayGateways
import ApplePayGatewaysTesting
import ApplePayTokenTestingPrimitives
import Foundation

/// Returns the result of decrypting a token; releases everything else on return.
func outcome(of path: String, _ decryptor: PaymentTokenDecryptor, at time: Date) throws -> String {
    let token = Array(try Data(contentsOf: URL(filePath: path)))
    do {
        let payment = try decryptor.decrypt(token, agePolicy: .received(at: time))
        guard let currency = payment.currency else { return "currency" }
        if path.hasSuffix("wrong-order.json") {
            try Order(reference: "order-1", amount: payment.amount + 1, currency: currency).check(
                payment)
        }
        let order = Order(reference: "order-1", amount: payment.amount, currency: currency)
        try order.check(payment)
        // Read, compare and describe the payment, as a program would.
        let merchant = ExampleMerchant(secret: "not-a-real-secret")
        let requests = try ExampleGateway.opened.map {
            try $0.make(.example(payment, order), merchant)
        }
        let others = try ExampleGateway.all.flatMap {
            try $0.others(.example(payment, order), merchant)
        }
        let described = "\(payment) \(requests + others) \(payment.accountNumber.masked)"
        return requests.allSatisfy { $0.body != nil } && !described.isEmpty ? "ok" : "empty"
    } catch let error as PaymentTokenError {
        return error.code.rawValue
    } catch let error as PaymentError {
        return error.name
    }
}

/// Loads the keys, decrypts the tokens, and releases both.
func open(
    _ words: ArraySlice<String>,
    _ keyring: MerchantKeyring,
    root: String,
    time: String
) throws -> Bool {
    let date = try Date(time, strategy: .iso8601)
    let decryptor = try PaymentTokenDecryptor(
        keyring: keyring,
        anchor: TrustAnchor(testRootCertificate: Array(Data(contentsOf: URL(filePath: root)))))
    var isExpected = true
    var rest = words
    while let path = rest.popFirst(), let expected = rest.popFirst(), rest.popFirst() != nil {
        let found = try outcome(of: path, decryptor, at: date)
        if found != expected {
            print("\(path): \(found), not \(expected)")
            isExpected = false
        }
    }
    return isExpected
}

let words = CommandLine.arguments
guard words.count > 4, (words.count - 4).isMultiple(of: 3) else {
    print("memory-search KEYS ROOT TIME (TOKEN EXPECTED NEEDLES)...")
    exit(2)
}
// If the environment asks for it, keep the keyring until the search ends, to look for the private
// keys themselves.
var keyring: MerchantKeyring? = try MerchantKeyring(contentsOf: [words[1]])
if let loaded = keyring {
    guard try open(words[4...], loaded, root: words[2], time: words[3]) else { exit(2) }
}
if ProcessInfo.processInfo.environment["MEMORY_SEARCH_KEEPS_KEYS"] == nil { keyring = nil }

var names: [String] = []
var needles: [[UInt8]] = []
for index in stride(from: 6, to: words.count, by: 3) {
    for line in try String(contentsOfFile: words[index], encoding: .utf8).split(separator: "\n") {
        let columns = line.split(separator: "\t")
        let digits = Array(columns[1])
        names.append("\(words[index - 2]): \(columns[0])")
        needles.append(
            stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            })
    }
}
guard let counts = ProcessMemory.occurrences(ofInverted: needles) else {
    print("the memory cannot be read")
    exit(2)
}
for (name, count) in zip(names, counts) { print("\(count)\t\(name)") }
withExtendedLifetime(keyring) {}
