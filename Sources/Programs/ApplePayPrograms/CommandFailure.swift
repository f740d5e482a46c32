package import ApplePayAcceptance
package import ApplePayMerchantKeys
package import ApplePayPrimitives
internal import Glibc

/// The command's exit status.
package enum ExitStatus: Int32, CaseIterable {
    /// The command succeeded.
    case done = 0

    /// A token, a payment or an operation was refused, or money was returned.
    case refused = 1

    /// The command line is wrong.
    case usage = 2

    /// A key, a file or the system failed.
    case means = 3

    /// A payment is not decided yet, or the customer has to act.
    case pending = 4

    /// It is unknown whether a payment was made.
    case unknown = 5

    /// A payment is reserved, or only a part of it is reserved, paid or left.
    case partial = 6

    /// SIGINT or SIGTERM ended the command; the status that shells give to SIGINT.
    case interrupted = 130
}

/// Exits the process.
///
/// If a device still does not answer, its library may wait for it again when the process exits in the usual way, or
/// crash, so the process ends without the libraries' cleanup. All output has been written by then.
package func exit(_ status: ExitStatus) -> Never {
    if PKCS11Devices.haveUnreturnedCalls { _exit(status.rawValue) }
    Glibc.exit(status.rawValue)
}

/// Why the command failed: a message that explains what to do, or the check that refused a token.
package struct CommandFailure: Error {
    package let status: ExitStatus
    package private(set) var message: String

    /// Lines to print below the message.
    package var help: String?

    /// The refusal of a token or its payment, which is written to standard output.
    package private(set) var refusal: PaymentError?

    /// What to do about the refusal, in sentences; nil without one.
    package private(set) var advice: String?

    /// The file with the refused token; nil for standard input and for a refusal without a token.
    package private(set) var subject: String?

    /// The sentences on standard error: the file, what is wrong, and what to do.
    package var explanation: String {
        guard let advice else { return message }
        let text = "\(message) \(advice)"
        return subject.map { "\($0): \(text)" } ?? text
    }

    /// Creates a failure caused by the command line.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    /// Creates a failure caused by a key, a file or the system.
    package static func means(_ message: String) -> CommandFailure {
        CommandFailure(status: .means, message: message)
    }

    /// The failure of a process that cannot start another thread.
    package static let noThread = means(
        "the system cannot start another thread; raise the limit on processes.")

    /// Creates a failure for a refused token or payment.
    package static func refused(
        _ error: PaymentError, status: ExitStatus = .refused
    ) -> CommandFailure {
        CommandFailure(
            status: status, message: error.description, refusal: error, advice: error.commandAdvice)
    }

    /// Returns this failure with other sentences.
    ///
    /// - Parameters:
    ///   - subject: The file with the token; nil for standard input.
    ///   - message: The fault; nil leaves the description of the refusal.
    ///   - advice: What to do; nil leaves the advice of the refusal.
    /// - Returns: The failure.
    package func explained(
        subject: String? = nil,
        message: String? = nil,
        advice: String?
    ) -> CommandFailure {
        var failure = self
        failure.subject = subject
        failure.message = message ?? self.message
        failure.advice = advice ?? self.advice
        return failure
    }
}

/// Runs work that needs a file, a key or a device; an error ends the command with exit status 3.
///
/// - Parameters:
///   - subject: The file, key or device, if the error's description does not name it.
///   - work: The work.
/// - Returns: The result of `work`.
/// - Throws: The error's description as a sentence.
package func failing<Value: ~Copyable, Failure: Error & CustomStringConvertible>(
    _ subject: String? = nil,
    _ work: () throws(Failure) -> Value
) throws(CommandFailure) -> Value {
    do {
        return try work()
    } catch {
        let description =
            (error as? KeyringError)?.commandDescription
            ?? (error as? FileError)?.commandDescription ?? error.description
        let text = subject.map { "\($0): \(description)" } ?? description
        throw .means(text.hasSuffix(".") || text.hasSuffix("?") ? text : "\(text).")
    }
}

/// Runs a check of a token or a payment; a refusal ends the command with exit status 1.
package func refusing<Value>(
    _ check: @autoclosure () throws(PaymentError) -> Value
) throws(CommandFailure) -> Value {
    do {
        return try check()
    } catch {
        throw .refused(error)
    }
}

extension FileContents {
    /// Reads a file of at most `limit` bytes; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - limit: The most bytes that it may have.
    ///   - contents: The kind of contents, such as `a token`, for the notice before a terminal is read.
    /// - Returns: The bytes.
    /// - Throws: A failure that names the file.
    package static func bytes(
        of path: String,
        limit: Int,
        _ contents: String = "a file"
    ) throws(CommandFailure) -> [UInt8] {
        Notice.announce(path, contents)
        return try failing { () throws(FileError) in try read(path, limit: limit).array() }
    }
}

extension PaymentError {
    /// The advice of the library, with the command that helps to follow it.
    package var commandAdvice: String {
        let help =
            switch tokenError?.code {
            case .noKeyWithHash: "paytoken keys list shows the hashes of your keys."
            case .decryptionFailed: "paytoken inspect with \(CommandOption.keys) shows what fits."
            default: nil as String?
            }
        return help.map { "\(advice) \($0)" } ?? advice
    }
}

extension FileError {
    /// The path and the reason, with what to do about the path.
    fileprivate var commandDescription: String {
        // A hint would examine the path.
        guard !isLate else { return description }
        guard !reason.hasPrefix("is larger than") else {
            return "\(description); name another file"
        }
        return
            "\(description)\(PathHint.text(for: path, isCreated: reason.hasPrefix("cannot be created")))"
    }
}

extension KeyringError {
    /// A sentence without its subject, which is the path, with the options that help.
    package var commandReason: String {
        switch remedy {
        case .otherPassphrase:
            "\(reason); give another one (\(CommandOption.passphraseFile) or \(CommandOption.passphraseVariable))"
        case .passphrase:
            "\(reason) (\(CommandOption.passphraseFile) or \(CommandOption.passphraseVariable))"
        case .newKey: "\(reason); paytoken keys new creates such a key"
        case .merchantIdentifier: "\(reason) (\(CommandOption.merchantIdentifier))"
        case .identityCertificate: "\(reason) (\(CommandOption.certificate.usage))"
        case nil where reason.hasPrefix("cannot be read"): reason + PathHint.text(for: path)
        default: reason
        }
    }

    /// The path and the reason, with the options that help.
    package var commandDescription: String {
        let text = "\(path) \(commandReason)"
        return text.hasSuffix("?") ? text : "\(text)."
    }
}
