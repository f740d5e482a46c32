import ApplePayHTTPS
import ApplePayOrders
import ApplePaySQLite
import Foundation

// Pays orders at Worldline Direct or bePaid, each once, in at most 25 lines, without those of the imports and comments.
//
//     integrator GATEWAY ORIGIN pay REFERENCE AMOUNT < TOKEN     prints the state of the order
//     integrator GATEWAY ORIGIN recover                          asks about what is open, as the other calls do at first
//     integrator GATEWAY ORIGIN receive [NAME VALUE]… < BODY     takes a message with these headers, and prints the status
//
// ORIGIN is the address of gateway-sandbox. The working directory contains the ledgers, the keys and bePaid's key.
let words = CommandLine.arguments
let secret = SensitiveBytes(copying: "sandbox-secret".utf8.span)
let key = Worldline.Credentials(apiKeyId: "key-1", secretAPIKey: secret)
var direct = WorldlineDirect(merchantId: "shop", credentials: key, environment: .preproduction)
var bePaid = BePaid(shopId: "361", secretKey: secret)
(direct.options.authorizationMode, bePaid.isTest) = (.sale, true)
bePaid.notificationKey = try .init(String(contentsOfFile: "shop.pem", encoding: .utf8))
(direct.webhookKeys, direct.origin, bePaid.origin) = (["key-1": secret], words[2], words[2])

let root = try Data(contentsOf: URL(filePath: "pki/root.pem"))
let keyring = try MerchantKeyring(contentsOf: ["pki/merchants"])
let payments = try await OrderPayments(
    decryptor: .init(keyring: keyring, anchor: .init(testRootCertificate: Array(root))),
    ledger: SQLiteLedger("integrator-\(words[1])"),
    gateway: words[1] == "bepaid" ? bePaid : direct, transport: HTTPSClient())
try await payments.recover()  // a server also calls it every minute

let body = Array(FileHandle.standardInput.readDataToEndOfFile())
if words[3] == "pay", let euro = Currency(alphabetic: "EUR"), let amount = Int64(words[5]) {
    var order = Order(reference: ExactText(words[4]), amount: amount, currency: euro)
    order.description = "Order"
    print(try await payments.pay(body, for: order).state.rawValue)
} else if words[3] == "receive" {
    let headers = stride(from: 4, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }
    let message = GatewayMessage(method: "POST", target: "/", headers: headers, body: body)
    print(await payments.receive(message).status)
}
