import ApplePayTokenTestingPrimitives
import Foundation

/// The recipes of the vectors and of the faults: each is written down once.
///
/// A book makes all vectors of TestVectors/synthetic, or one of them for another PKI, recipient and time.
final class VectorBook {
    /// One vector that is made for somebody else.
    struct Excerpt {
        /// The vector.
        let id: String

        /// The name of the token, from which its random parts come.
        let name: String

        /// To whom it is encrypted.
        let recipient: Recipient

        /// When it is received, or, where the vector's subject is not the time, when it is signed.
        let time: Date

        /// What is set before the vector's own changes.
        let prepare: (inout TokenRecipe) throws -> Void
    }

    /// The PKI of every token.
    let pki: TestPKI

    /// The cases so far.
    private(set) var vectors: [Vector] = []

    private let excerpt: Excerpt?
    private var excerptToken: TestToken?

    /// The book of TestVectors/synthetic.
    init() {
        pki = TestPKI(seed: "ApplePayToken synthetic vectors, first edition")
        excerpt = nil
    }

    private init(_ excerpt: Excerpt, _ pki: TestPKI) {
        self.pki = pki
        self.excerpt = excerpt
    }

    /// Makes one vector.
    ///
    /// - Parameters:
    ///   - excerpt: Which vector, and what is special.
    ///   - pki: The PKI; the vector's other merchants are its as well.
    /// - Returns: The token.
    /// - Throws: ``TestingError``, also if the book has no such vector.
    static func token(_ excerpt: Excerpt, in pki: TestPKI) throws -> TestToken {
        let book = VectorBook(excerpt, pki)
        let group = excerpt.id.prefix { $0 != "/" }
        for chapter in chapters + [extraChapter] where chapter.groups.contains(String(group)) {
            try chapter.add(book)()
        }
        guard let token = book.excerptToken else {
            throw TestingError.impossible("there is no vector \(excerpt.id)")
        }
        return token
    }

    /// A part of the book, and the groups to which its vectors belong.
    typealias Chapter = (groups: Set<String>, add: (VectorBook) -> () throws -> Void)

    /// The parts of TestVectors/synthetic, in order.
    static var chapters: [Chapter] {
        [
            (["valid"], addValid), (["payload"], addPayloads), (["json"], addJSON),
            (["wrapper"], addWrappers), (["field"], addFields), (["cms"], addCMS),
            (["cms"], addAlgorithms), (["chain"], addChains), (["chain"], addIssuers),
            (["chain", "valid"], addIntermediates), (["chain", "valid"], addConstraints),
            (["chain", "valid"], addPolicies), (["signature"], addSignatures),
            (["signing-time"], addSigningTimes), (["key-selection", "key-agreement"], addKeys),
            (["decrypt"], addDecryption), (["payment-data"], addPaymentData),
        ]
    }

    /// Faults that are not among the vectors.
    private static var extraChapter: Chapter { (["fault"], addFaults) }

    /// Adds all vectors of TestVectors/synthetic.
    func addAll() throws {
        for chapter in Self.chapters { try chapter.add(self)() }
    }

    /// A token that is to be accepted.
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

    /// A token that is to be rejected, at the first of the stages it can be noticed at.
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

    /// A token that may be accepted, or rejected at one of the stages.
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
        if let excerpt {
            guard excerpt.id == id else { return }
            let age = now == TestPKI.useTime ? 0 : now.timeIntervalSince(TestPKI.signingTime)
            excerptToken = try pki.token(to: excerpt.recipient, named: excerpt.name) {
                $0.signingTime = excerpt.time - age
                try excerpt.prepare(&$0)
                try edit(&$0)
            }
            return
        }
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
