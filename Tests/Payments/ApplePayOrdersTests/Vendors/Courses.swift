import ApplePayGateways
import ApplePayOrders
import ApplePayToken
import Foundation

/// The calls and names whose form the courses do not depend on: adapt this file when the library's API changes.
enum Courses {
    /// The reason of an order with money that does not pay it.
    static let secondPayment = OrderOutcome.lateCharge

    /// What the library cannot do yet; a course that needs it fails with this error.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns whether the gateway answered just now, or what is recorded is repeated.
    static func isAnswered(_ outcome: OrderOutcome) -> Bool { true }

    /// Returns the decision that a payment that does not pay the order was given back.
    static func returned(_ paymentID: String) -> OrderPayments.Decision { .returned }

    /// Returns all payments that are not settled, page by page.
    static func open(_ payments: OrderPayments) async throws -> [OrderOutcome] {
        try await payments.openPayments()
    }

    /// Pays an order of which the shop states when it created it.
    static func pay(
        _ payments: OrderPayments, _ token: Data, for order: Order, created: Date?
    ) async throws -> OrderOutcome {
        try await payments.pay(token, for: order, agePolicy: .anyAge)
    }

    /// Decides as a person that an operation was not done.
    static func refuse(
        _ operation: String, on reference: String, at payments: OrderPayments
    ) async throws {
        throw Missing(description: "a person cannot decide about an operation")
    }
}
