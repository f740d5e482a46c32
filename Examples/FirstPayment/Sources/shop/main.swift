import ApplePayHTTPS
import ApplePayOrders
import ApplePaySQLite
import Foundation

let root = try Data(contentsOf: URL(filePath: "demo/pki/root.pem"))
let decryptor = try PaymentTokenDecryptor(
    keyring: MerchantKeyring(contentsOf: ["demo/pki/merchants"]),
    anchor: TrustAnchor(testRootCertificate: Array(root)))  // in production, leave it out
let secret = SensitiveBytes(copying: "sandbox-secret".utf8.span)
var gateway = BePaid(shopId: "361", secretKey: secret)
gateway.origin = CommandLine.arguments[1]  // in production, leave it out
let payments = try await OrderPayments(
    decryptor: decryptor, ledger: SQLiteLedger("demo/ledger"), gateway: gateway,
    transport: HTTPSClient())
try await payments.recover()  // at start-up and every minute

guard let euro = Currency(alphabetic: "EUR") else { exit(1) }
var order = Order(reference: "order-1002", amount: 1099, currency: euro)  // from your database
order.description = "A book"
let token = FileHandle.standardInput.readDataToEndOfFile()  // what the customer's page sent
let outcome = try await payments.pay(token, for: order)  // charges the order once
print(outcome.state == .paid ? "ship" : "do not ship: \(outcome.state)")
