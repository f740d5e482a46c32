/// Receives a report about each token, for metrics and logs.
///
/// `PaymentTokenDecryptor` and `PaymentTokenVerifier` take an observer. Without one, no clock is read and no report is
/// created.
public protocol PaymentTokenObserver: Sendable {
    /// Receives the report about one token.
    ///
    /// Each token that `decrypt`, `verify` or `pay` reads causes one report, when it is decrypted, verified or refused; what
    /// `pay` does with it afterwards is not measured. Reports of several threads can arrive at the same time, and the token
    /// waits until this method returns, so it must not block.
    ///
    /// - Parameter report: The result and the times.
    func record(_ report: PaymentTokenReport)
}

/// Whether one token was accepted, and how long each stage took.
///
/// A report contains no secret, and no byte of the token apart from what ``token`` names.
public struct PaymentTokenReport: Hashable, Sendable {
    /// The code with which the token was refused; nil if it was accepted.
    public let refusal: PaymentTokenError.Code?

    /// Which token it was; nil if it was refused before its signature was verified.
    public let token: TokenIdentity?

    /// The time that each stage took; later stages than the one that refused the token are missing.
    ///
    /// `json` includes `field`. `key-agreement` includes the decryption of an RSA_v1 token's content key, although
    /// its failure is reported as `decrypt/decryption-failed`. With a key in a device, `decrypt` can include the key
    /// agreement, whose failure is reported as `key-agreement/key-unavailable`.
    public let durations: [PaymentTokenError.Stage: Duration]

    /// Whether the verifier remembered the signer's certificate chain from another token.
    ///
    /// It is nil if the token was refused before its chain was accepted.
    public let isChainRemembered: Bool?

    /// The time that all stages took.
    public var duration: Duration { durations.values.reduce(.zero, +) }
}

/// Measures the stages of one token for an observer.
///
/// Without an observer the pipeline passes nil, so each stage costs a comparison.
package final class TokenObservation {
    private let observer: any PaymentTokenObserver
    private var durations: [PaymentTokenError.Stage: Duration] = [:]
    private var stage: PaymentTokenError.Stage
    private var start = ContinuousClock.now

    /// Whether the signer's certificate chain was remembered; nil until the chain is accepted.
    package var isChainRemembered: Bool?

    /// Which token it is; nil until its signature is verified.
    package var token: TokenIdentity?

    /// Begins to measure a token.
    ///
    /// - Parameters:
    ///   - stage: The first stage.
    ///   - observer: Receives the report.
    package init(of stage: PaymentTokenError.Stage, for observer: any PaymentTokenObserver) {
        self.stage = stage
        self.observer = observer
    }

    /// Runs all stages of a token, and reports it when they end.
    ///
    /// - Parameters:
    ///   - observer: Receives the report; nil for none.
    ///   - stage: The first stage.
    ///   - body: Runs the stages; receives nil without an observer.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    package static func run<Result>(
        for observer: (any PaymentTokenObserver)?,
        from stage: PaymentTokenError.Stage,
        _ body: (TokenObservation?) throws(PaymentTokenError) -> Result
    ) throws(PaymentTokenError) -> Result {
        let observation = observer.map { TokenObservation(of: stage, for: $0) }
        do {
            let result = try body(observation)
            observation?.end()
            return result
        } catch {
            observation?.end(refusal: error)
            throw error
        }
    }

    /// Ends the current stage and begins the next one.
    package func begin(_ next: PaymentTokenError.Stage) {
        let now = ContinuousClock.now
        durations[stage] = now - start
        stage = next
        start = now
    }

    /// Ends the current stage and reports the token.
    ///
    /// - Parameter refusal: The error with which the token was refused; nil if it was accepted.
    package func end(refusal: PaymentTokenError? = nil) {
        durations[stage] = ContinuousClock.now - start
        observer.record(
            PaymentTokenReport(
                refusal: refusal?.code, token: token ?? refusal?.token, durations: durations,
                isChainRemembered: isChainRemembered))
    }
}
