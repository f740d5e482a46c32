internal import ApplePayPrograms
internal import Glibc

/// systemd, if it started this process and waits for its state (sd_notify(3)).
///
/// The process that sends makes it before it gives up the right to make local sockets.
struct ServiceManager: Sendable {
    /// The socket, which is open until the process ends.
    private let descriptor = socket(
        AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

    /// Reports a state, such as `READY=1`; returns false without systemd.
    @discardableResult
    func notify(_ state: String) -> Bool {
        guard let path = ProcessEnvironment.text("NOTIFY_SOCKET"), path.hasPrefix("/"),
            let address = UnixSocket.address(path), descriptor >= 0
        else { return false }
        let bytes = Array(state.utf8)
        // A state that does not arrive has no effect on the payments.
        _ = unsafe UnixSocket.withPointer(to: address) { address, length in
            unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
        }
        return true
    }

    /// Reports that the process loads its files anew, with the time that systemd compares (CLOCK_MONOTONIC).
    func notifyReloading() {
        var now = timespec()
        guard unsafe clock_gettime(CLOCK_MONOTONIC, &now) == 0 else { return }
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }
}
