import ApplePayTokenTestingPrimitives
import FoundationEssentials

/// The recipes of the vectors and of the faults, each defined in one place.
///
/// A book creates all vectors of TestVectors/synthetic, or one of them for another PKI, recipient and time.
final class VectorBook {
    /// A single vector to create for another PKI, recipient and time.
    struct Excerpt {
        /// The identifier of the vector.
        let id: String

        /// The name of the token, which determines its random parts.
        let name: String

        /// The recipient to which the token is encrypted.
        let recipient: Recipient

        /// The time of receipt; if the vector does not test the signing time, the time of signing.
        let time: Date

        /// Changes to the recipe that precede those of the vector.
        let prepare: (inout TokenRecipe) throws -> Void
    }

    /// The PKI of every token.
    let pki: TestPKI

    /// The vectors added so far.
    private(set) var vectors: [Vector] = []

    private let excerpt: Excerpt?
    private var excerptToken: TestToken?

    /// Creates the book of TestVectors/synthetic.
    init() {
        pki = TestPKI(seed: "ApplePayToken synthetic vectors, first edition")
        excerpt = nil
    }

    private init(_ excerpt: Excerpt, _ pki: TestPKI) {
        self.pki = pki
        self.excerpt = excerpt
    }

    /// Creates the token of one vector.
    ///
    /// - Parameters:
    ///   - excerpt: The vector, and its recipient and time.
    ///   - pki: The PKI, which also contains the vector's other merchants.
    /// - Returns: The token.
    /// - Throws: ``TestingError``, also if the book does not contain the vector.
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

    /// Faults without a vector in TestVectors/synthetic.
    private static var extraChapter: Chapter { (["fault"], addFaults) }

    /// Adds all vectors of TestVectors/synthetic.
    func addAll() throws {
        for chapter in Self.chapters { try chapter.add(self)() }
    }

    /// Adds a token that a verifier must accept.
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

    /// Adds a token that a verifier must reject, at the first of the stages that can detect the fault.
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

    /// Adds a token that a verifier may accept, or reject at one of the stages.
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
