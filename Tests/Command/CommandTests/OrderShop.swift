import ApplePayPrimitives
import ApplePayTokenTesting
import Foundation
import Testing

/// A shop that pays orders at a running `gateway-sandbox` with `paytoken pay`.
final class OrderShop {
    /// The folder with the shop's keys, its ledger and its gateway files.
    let folder: String
    /// The sandbox's origin.
    let origin: String

    /// The cryptogram of the last token.
    private(set) var cryptogram = ""

    private let sandbox: Process
    private let pki = TestPKI(seed: "orders")

    private init(_ folder: String) throws {
        self.folder = folder
        let sandbox = Process()
        sandbox.executableURL = URL(filePath: Command.path(of: "gateway-sandbox"))
        sandbox.arguments = ["--port", "0", "--silence", "1", "--files", "\(folder)/gateways"]
        let output = Pipe()
        sandbox.standardOutput = output
        try sandbox.run()
        self.sandbox = sandbox
        // The sandbox writes the line at once.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        origin = line.trimmingCharacters(in: .newlines)
    }

    deinit {
        sandbox.terminate()
        sandbox.waitUntilExit()
    }

    /// Opens a shop with an empty ledger for the length of a call.
    static func with<Result>(_ body: (OrderShop) throws -> Result) throws -> Result {
        let pki = TestPKI(seed: "orders")
        let merchant = try pki.merchant("one")
        let files = [
            "one.pem": merchant.keyPEM + merchant.certificatePEM,
            "root.pem": try pki.root.certificate.pem,
        ]
        return try KeyFolder.with(files) { folder in
            let shop = try OrderShop(folder)
            try #require(!shop.origin.isEmpty)
            let ledger = try Command(["ledger", "init", "--window", "300"] + shop.ledger)
            try #require(ledger.status == 0, "\(ledger.error)")
            return try body(shop)
        }
    }

    /// The words for the ledger.
    var ledger: [String] { ["--ledger", "\(folder)/ledger"] }

    /// The words for the keys.
    var keys: [String] { ["--keys", "\(folder)/one.pem"] }

    /// Returns the words for a gateway and the ledger.
    func account(_ gateway: String) -> [String] {
        ["--gateway", "\(folder)/gateways/\(gateway).json"] + ledger
    }

    /// Writes a file, and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// Writes a gateway file with some text replaced, under another name.
    func change(
        _ gateway: String, to name: String, _ text: String, with other: String
    ) throws {
        let file = try String(contentsOfFile: "\(folder)/gateways/\(gateway).json", encoding: .utf8)
        try #require(file.contains(text))
        try write("gateways/\(name).json", file.replacing(text, with: other))
    }

    /// Writes a new token for an amount in euro to `token.json`.
    func tap(_ amount: Int) throws {
        // The sandbox refuses a second payment with the same cryptogram.
        cryptogram = Data((0..<20).map { _ in UInt8.random(in: .min ... .max) })
            .base64EncodedString()
        let payload = RequestFolder.payload.replacing("3000", with: "\(amount)")
            .replacing("jiSRYgf6G2rjYwAAC0GPAHQAAAA=", with: cryptogram)
        let token = try pki.token(to: pki.merchant("one"), named: UUID().uuidString) {
            $0.payload.text = Array(payload.utf8)
        }
        try write("token.json", token.text)
    }

    /// Writes an order, and returns the words of `paytoken pay` for it and for the token.
    func words(
        _ reference: String, _ amount: Int, at gateway: String, keys: Bool = true
    ) throws -> [String] {
        let order = try write(
            "order.json",
            #"{"reference":"\#(reference)","amount":\#(amount),"currency":"EUR","description":"d","#
                + #""returnURL":"https://shop.example/r"}"#)
        return ["pay", "\(folder)/token.json", "--order", order] + account(gateway)
            + ["--any-age", "--test-trust-anchor", "\(folder)/root.pem"] + (keys ? self.keys : [])
    }

    /// Pays an order with a new token.
    func pay(
        _ reference: String, _ amount: Int, at gateway: String = "worldline-direct",
        keys: Bool = true, more: [String] = []
    ) throws -> Command {
        try tap(amount)
        return try Command(words(reference, amount, at: gateway, keys: keys) + more)
    }

    /// Runs `paytoken payments` for a verb and an order.
    func payments(
        _ words: String, at gateway: String = "worldline-direct", more: [String] = []
    ) throws -> Command {
        try Command(
            ["payments"] + words.split(separator: " ").map(String.init) + account(gateway) + more)
    }
}

extension Command {
    /// The members of the JSON object in the output.
    var members: [String: Any] {
        get throws {
            try #require(
                JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any],
                "\(output)\(error)")
        }
    }

    /// The text of a member; empty if it is missing, and for null.
    func text(_ name: String) throws -> String { try members[name] as? String ?? "" }
}
