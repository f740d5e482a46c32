package import ApplePayPrograms

extension CommandOption {
    package static let socket = CommandOption(
        "--socket", "PATH", "the Unix socket to create; not needed if systemd passes one",
        kind: .file
    ).insteadOf("--port", "--listen", "--host", "--bind", "--address")
    package static let sender = CommandOption(
        "--sender", "PATH",
        "the socket of a running paytokend send; without it, paytokend starts one and stops it",
        kind: .file)
}

/// Reasons why the service is not ready, for which `doctor` knows what to do.
package enum ServiceFault {
    package static let sender = "the process that sends requests does not run"
    package static let audit = "decisions cannot be logged"
    package static let clock = "the clock is wrong by years"
}
