import ApplePayHTTPS
import ApplePayOrders
import ApplePayPostgreSQL
import ApplePaySQLite
import Foundation

/// Prints each report about a token.
struct PrintedReports: PaymentTokenObserver {
    func record(_ report: PaymentTokenReport) {
        print("report", report.refusal?.rawValue ?? "accepted", report.durations.count)
    }
}

/// Pays an order of 10.99 euro at the shop's own gateway, with the shop's own HTTP client, and uses each library of the
/// package.
///
///     shop TOKEN DECLINED KEYS ROOT ACCOUNT DATABASE
///
/// DECLINED is a token of 402.00 euro, which gateway-sandbox declines. ACCOUNT is the file of the account at the shop's
/// gateway. DATABASE is a location where no server answers.
@main
struct Shop {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 6, let euro = Currency(alphabetic: "EUR") else { exit(2) }
        let token = try Data(contentsOf: URL(filePath: words[1]))
        let declined = try Data(contentsOf: URL(filePath: words[2]))
        let root = try Data(contentsOf: URL(filePath: words[4]))
        let decryptor = try PaymentTokenDecryptor(
            keyring: MerchantKeyring(contentsOf: [words[3]]),
            anchor: TrustAnchor(testRootCertificate: Array(root)),
            observer: PrintedReports())
        let ledger = InMemoryLedger()
        let gateway = try ShopGateway(file: URL(filePath: words[5]))
        let payments = try OrderPayments(
            decryptor: decryptor, ledger: ledger, gateway: gateway, transport: ShopTransport())

        /// Prints the state of an order, or why nothing was paid.
        func pay(_ reference: String, _ amount: Int64, _ token: Data) async {
            do {
                let order = Order(reference: ExactText(reference), amount: amount, currency: euro)
                let outcome = try await payments.pay(token, for: order)
                print(
                    reference, outcome.state.rawValue, outcome.isRecorded,
                    outcome.report?.refusal?.code ?? "")
            } catch {
                print(reference, error.name)
            }
        }

        await pay("order-1", 1099, token)
        await pay("order-1", 1099, token)  // the customer taps twice
        await pay("order-2", 1099, token)  // somebody replays the token
        await pay("order-3", 40200, declined)
        await pay("order-4", 0, token)
        print("asked", try await payments.state(of: "order-1")?.state.rawValue ?? "")

        // The gateway's message, and one that somebody else has made up.
        let order = try await payments.state(of: "order-1")
        let body =
            #"{"id":"evt-1","type":"payment_captured","data":{"id":"ID","reference":"order-1"}}"#
            .replacing("ID", with: String(order?.report?.paymentID ?? ""))
        for key in ["webhook-key", "guessed-key"] {
            let reply = await payments.receive(
                GatewayMessage(
                    method: "POST", target: "/webhook", headers: [("Authorization", key)],
                    body: Array(body.utf8)))
            print("message", reply.status, reply.outcome?.state.rawValue ?? "")
        }

        // An order belongs to its gateway, also if another one has the same account; here over the library's client.
        var bePaid = BePaid(shopId: String(gateway.account), secretKey: gateway.secretKey)
        bePaid.origin = gateway.origin
        let others = try OrderPayments(
            decryptor: decryptor, ledger: ledger, gateway: bePaid, transport: HTTPSClient())
        do {
            var order = Order(reference: "order-1", amount: 1099, currency: euro)
            order.description = "A parcel"
            _ = try await others.pay(token, for: order)
        } catch {
            print("bepaid", error.name)
        }

        do {
            _ = try await SQLiteLedger("nowhere/ledger")
        } catch {
            print("file", error.code == .ledgerUnavailable)
        }
        do {
            _ = try await PostgreSQLLedger(words[6], timeout: 1)
        } catch {
            print("database", error.code == .ledgerUnavailable)
        }
    }
}
