import ApplePayGateways
import ApplePayHTTPS
import ApplePayLedger
import ApplePayPostgreSQL
import ApplePaySQLite
import ApplePayToken
import Foundation

/// Prints each report about a token.
struct PrintedReports: PaymentTokenObserver {
    func record(_ report: PaymentTokenReport) {
        print("report", report.refusal?.rawValue ?? "accepted", report.durations.count)
    }
}

/// Accepts a token of 10.99 euro, pays it at a gateway, and uses each library of the package.
///
///     shop TOKEN DECLINED KEYS ROOT GATEWAY DATABASE
///
/// DECLINED is a token of 402.00 euro, which GATEWAY, the address of gateway-sandbox, declines. DATABASE is a location
/// where no server answers.
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
        let acceptor = try PaymentAcceptor(decryptor: decryptor, ledger: InMemoryLedger())
        let secret = SensitiveBytes(copying: "sandbox-secret".utf8.span)
        let gateway = ShopGateway(secretKey: secret, origin: words[5])
        let transport = HTTPSClient()

        /// Prints the code with which a token is refused.
        func printRefusal(_ name: String, _ token: Data, _ order: Order) async {
            do {
                _ = try await acceptor.accept(token, order: order, for: gateway)
                print(name, "accepted")
            } catch {
                print(name, error.code.rawValue)
            }
        }

        let order = Order(reference: "order-1", amount: 1099, currency: euro)
        let accepted = try await acceptor.accept(token, order: order, for: gateway)
        if let payment = accepted.payment {
            print("accepted", payment.amount, payment.accountNumber.masked)
        }
        await printRefusal("again", token, order)

        let charge = try await accepted.charge(at: gateway, with: transport)
        print("charged", charge.state.rawValue, charge.isRecorded)
        var attempt = accepted.attempt
        let found = try await transport.outcome(of: gateway.status(of: attempt))
        attempt.paymentID = charge.report?.paymentID
        let outcome = try await transport.outcome(of: gateway.status(of: attempt))
        print("found", found.state.rawValue, found.report?.paymentID == attempt.paymentID)
        print("paid", outcome.state == .paid)
        await printRefusal("again", token, order)

        // A gateway of the library reads the same of the same account.
        var checkout = try Checkout(secretKey: secret, environment: .sandbox)
        checkout.origin = words[5]
        let stated = try await transport.outcome(of: checkout.status(of: attempt))
        print("checkout", stated.state.rawValue, stated.report?.captured ?? 0)

        let other = Order(reference: "order-2", amount: 40200, currency: euro)
        let refusal = try await acceptor.accept(declined, order: other, for: gateway)
            .charge(at: gateway, with: transport)
        print("declined", refusal.state.rawValue, refusal.report?.refusal?.code ?? "")
        await printRefusal("again", declined, other)
        let free = Order(reference: "order-3", amount: 0, currency: euro)
        await printRefusal("free", token, free)

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
