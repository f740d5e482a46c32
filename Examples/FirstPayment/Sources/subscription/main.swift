import ApplePayHTTPS
import ApplePayOrders
import ApplePaySQLite
import Foundation

// usage: subscription ORIGIN start REFERENCE < token     the first order, with which the gateway stores the card
//        subscription ORIGIN renew REFERENCE MONTH       the order of a month, which the card pays; again does nothing
let words = CommandLine.arguments
let root = try Data(contentsOf: URL(filePath: "demo/pki/root.pem"))
let decryptor = try PaymentTokenDecryptor(
    keyring: MerchantKeyring(contentsOf: ["demo/pki/merchants"]),
    anchor: TrustAnchor(testRootCertificate: Array(root)))  // in production, leave it out
var gateway = BePaid(
    shopId: "361", secretKey: SensitiveBytes(copying: "sandbox-secret".utf8.span))
gateway.origin = words[1]  // in production, leave it out
gateway.options.contract = [.recurring]
let payments = try await OrderPayments(
    decryptor: decryptor, ledger: SQLiteLedger("demo/ledger"), gateway: gateway,
    transport: HTTPSClient())

let (isFirst, first) = (words[2] == "start", ExactText(words[3]))
guard let euro = Currency(alphabetic: "EUR") else { exit(1) }
var order = Order(  // from your database
    reference: isFirst ? first : "\(first)-\(words[4])", amount: 1099, currency: euro)
order.description = "Membership"
let outcome: OrderOutcome
if isFirst {
    let token = FileHandle.standardInput.readDataToEndOfFile()  // what the customer's page sent
    outcome = try await payments.pay(token, for: order)
} else {
    // The record of the first order has the card, so the shop stores none.
    guard let card = try await payments.state(of: first)?.payment?.card else { exit(1) }
    outcome = try await payments.pay(card, for: order, initiator: .recurring)
}
print(outcome.state.rawValue)
// After `refused`, ask the customer to pay this order with a token.
exit(outcome.state == .paid ? 0 : 1)
