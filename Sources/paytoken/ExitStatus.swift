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

    /// SIGINT or SIGTERM ended the command; the status that shells give to SIGINT.
    case interrupted = 130
}

/// Ends the process.
func exit(_ status: ExitStatus) -> Never {
    Glibc.exit(status.rawValue)
}
