internal import ApplePayTokenTestingPrimitives

/// Why a test PKI, a merchant or a token could not be created: one sentence.
public struct TestTokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence, with the file or value that is at fault.
    public let description: String

    /// Creates an error with a sentence.
    package init(_ description: String) {
        self.description = description
    }

    /// Creates the error for an error that a recipe threw.
    init(_ error: any Error) {
        switch error {
        case let error as TestTokenError: self = error
        case TestingError.cryptography(let function): self.init("\(function) of libcrypto failed.")
        case TestingError.impossible(let reason): self.init("\(reason).")
        default: self.init("\(error)")
        }
    }
}
