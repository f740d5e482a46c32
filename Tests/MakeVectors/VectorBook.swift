import ApplePayTokenTesting
import Foundation

/// Collects the cases.
final class VectorBook {
    /// The seed of everything in TestVectors/synthetic.
    let pki = TestPKI(seed: "ApplePayToken synthetic vectors, first edition")

    /// The cases so far.
    private(set) var vectors: [Vector] = []

    /// Adds a token that must be accepted.
    func accept(
        _ id: String,
        _ comment: String,
        _ version: TokenVersion = .ec,
        to merchant: Merchant? = nil,
        now: Date = TestPKI.useTime,
        _ edit: (inout TokenRecipe) throws -> Void = { _ in }
    ) throws {
        try add(id, comment, version, merchant, now, .accept, [], .security, edit)
    }

    /// Adds a token that must be rejected, at the first of the stages that can detect the fault.
    func reject(
        _ id: String,
        _ comment: String,
        at stages: Stage...,
        version: TokenVersion = .ec,
        to merchant: Merchant? = nil,
        now: Date = TestPKI.useTime,
        severity: Severity = .security,
        _ edit: (inout TokenRecipe) throws -> Void = { _ in }
    ) throws {
        try add(id, comment, version, merchant, now, .reject, stages, severity, edit)
    }

    /// Adds a token that may be accepted, or rejected at one of the stages.
    func either(
        _ id: String,
        _ comment: String,
        at stages: Stage...,
        version: TokenVersion = .ec,
        now: Date = TestPKI.useTime,
        _ edit: (inout TokenRecipe) throws -> Void = { _ in }
    ) throws {
        try add(id, comment, version, nil, now, .either, stages, .form, edit)
    }

    private func add(
        _ id: String,
        _ comment: String,
        _ version: TokenVersion,
        _ merchant: Merchant?,
        _ now: Date,
        _ expectation: Expectation,
        _ stages: [Stage],
        _ severity: Severity,
        _ edit: (inout TokenRecipe) throws -> Void
    ) throws {
        let token =
            if let merchant {
                try pki.token(to: merchant, named: id, edit)
            } else {
                try pki.token(version, named: id, edit)
            }
        vectors.append(
            Vector(
                id: id,
                comment: comment,
                token: token,
                now: now,
                expectation: expectation,
                stages: stages,
                severity: severity
            )
        )
    }
}
