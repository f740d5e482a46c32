import ApplePayAcceptance
import ApplePayGateways
import ApplePayOrders
import Foundation

/// The calls and names whose form the courses do not depend on: adapt this file when the library's API changes.
enum Courses {
    /// The reason of an order with money that does not pay it.
    static let secondPayment = OrderOutcome.secondPayment

    /// Returns whether the gateway answered just now, or what is recorded is repeated.
    static func isAnswered(_ outcome: OrderOutcome) -> Bool { outcome.isAnswered }

    /// Returns the decision that a payment that does not pay the order was given back.
    static func returned(_ paymentID: String) -> OrderPayments.Decision {
        .returned(paymentID: ExactText(paymentID))
    }

    /// Returns the code with which a call fails, and the reason after a colon if it has one; nil if the call succeeds.
    static func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as PaymentError {
            return error.name + (error.reason.map { ": \($0)" } ?? "")
        } catch {
            return "\(error)"
        }
    }

    /// Returns all payments that are not settled, page by page.
    static func open(_ payments: OrderPayments) async throws -> [OrderOutcome] {
        var all: [OrderOutcome] = []
        while true {
            let page = try await payments.openPayments(after: all.last)
            all += page
            if page.count < 1_000 { return all }
        }
    }

    /// Pays an order of which the shop states when it created it.
    static func pay(
        _ payments: OrderPayments, _ token: Data, for order: Order, created: Date?
    ) async throws -> OrderOutcome {
        var order = order
        order.created = created
        return try await payments.pay(token, for: order, agePolicy: .anyAge)
    }

    /// Decides as a person that an operation was not done.
    static func refuse(
        _ operation: String, on reference: String, at payments: OrderPayments
    ) async throws {
        _ = try await payments.resolve(
            ExactText(reference), operation: ExactText(operation), isDone: false, by: "Ada",
            because: "not there")
    }
}
