internal import ApplePayPrimitives
internal import ApplePayToken
internal import Glibc

/// What the command's exit says.
enum ExitStatus: Int32 {
    /// Done.
    case done = 0

    /// A token was refused.
    case refused = 1

    /// The words of the command line are not understood.
    case usage = 2

    /// Keys, files or other means failed.
    case means = 3

    /// A payment is not decided yet, or the customer has to act.
    case pending = 4

    /// Whether a payment was made is unknown.
    case unknown = 5

    /// SIGINT or SIGTERM ended the command; the status that shells give to SIGINT.
    case interrupted = 130
}

/// Ends the process.
func exit(_ status: ExitStatus) -> Never {
    Glibc.exit(status.rawValue)
}

/// Why the command did not do its work: a sentence that says what to do, or the check that a token did not pass.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    /// Lines to print below the message.
    var help: String?

    /// The refusal of a token or its payment, which is answered on standard output.
    private(set) var refusal: PaymentTokenError?

    /// The command line is at fault.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    /// A key, a file or the system is at fault.
    static func means(_ message: String) -> CommandFailure {
        CommandFailure(status: .means, message: message)
    }

    /// A token or its payment is refused.
    static func refused(_ error: PaymentTokenError) -> CommandFailure {
        CommandFailure(status: .refused, message: error.description, refusal: error)
    }
}

/// Runs work that needs a file, a key or a device; its error ends the command with exit status 3.
///
/// - Parameters:
///   - subject: What the error is about, where its description does not name it.
///   - work: The work.
/// - Returns: What the work returns.
/// - Throws: The error's description as a sentence.
func failing<Value, Failure: Error & CustomStringConvertible>(
    _ subject: String? = nil,
    _ work: () throws(Failure) -> Value
) throws(CommandFailure) -> Value {
    do throws(Failure) {
        return try work()
    } catch {
        let text = subject.map { "\($0): \(error.description)" } ?? error.description
        throw .means(text.hasSuffix(".") ? text : "\(text).")
    }
}

/// Runs a check of a token or a payment; its refusal ends the command with exit status 1.
func refusing<Value>(
    _ check: @autoclosure () throws(PaymentTokenError) -> Value
) throws(CommandFailure) -> Value {
    do throws(PaymentTokenError) {
        return try check()
    } catch {
        throw .refused(error)
    }
}

extension FileContents {
    /// Reads a file of at most `limit` bytes; `-` is standard input.
    static func bytes(of path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        try failing { () throws(FileError) in try read(path, limit: limit).array() }
    }
}
