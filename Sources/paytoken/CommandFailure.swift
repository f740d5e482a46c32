/// Why the command could not begin its work: a sentence that says what to do.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    /// Lines to print below the message.
    var help: String?

    /// The command line is at fault.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: .usage, message: message)
    }

    /// A key, a file or the system is at fault.
    static func means(_ message: String) -> CommandFailure {
        CommandFailure(status: .means, message: message)
    }
}
