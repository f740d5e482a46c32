internal import ApplePayPrograms
internal import CPaytoken
internal import Glibc

/// Another process of this program.
struct ChildProcess: Sendable {
    let number: Int32

    /// How a process ended.
    enum End: Equatable {
        /// By itself, with a status.
        case exited(Int32)
        /// By a signal.
        case killed(Int32)
    }

    /// POSIX_SPAWN_SETSID, which Glibc's module lacks (spawn.h).
    private static let ownSession: Int32 = 0x80

    /// The variable with the number of the parent, in the environment of a child.
    private static let parent = "PAYTOKEN_PARENT"

    /// Starts this program with other arguments.
    ///
    /// - Parameters:
    ///   - arguments: The words after the program's name.
    ///   - gets: Whether it gets a variable of this process's environment, by its name.
    /// - Returns: The process; nil if the system cannot start it.
    static func start(_ arguments: [String], gets: (_ name: String) -> Bool) -> ChildProcess? {
        let environment =
            ["\(parent)=\(getpid())"] + inherited.filter { gets(String($0.prefix { $0 != "=" })) }
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe sigemptyset(&none)
        // A session of its own has no terminal, into whose shell a process could type commands (ioctl_tty(2), TIOCSTI).
        let flags = POSIX_SPAWN_SETSIGMASK | Self.ownSession
        guard unsafe posix_spawnattr_setflags(&attributes, Int16(flags)) == 0,
            unsafe posix_spawnattr_setsigmask(&attributes, &none) == 0
        else { return nil }
        var process = pid_t()
        let result = unsafe withCStrings(["paytokend"] + arguments) { words in
            unsafe withCStrings(environment) { variables in
                unsafe posix_spawn(
                    &process, "/proc/self/exe", nil, &attributes, words, variables)
            }
        }
        return result == 0 ? ChildProcess(number: process) : nil
    }

    /// Whether another process of this program started this one.
    static var hasParent: Bool { ProcessEnvironment.text(parent) != nil }

    /// Ends this process when its parent ends; returns false if the parent has ended already.
    static func endWithParent() -> Bool {
        guard let number = ProcessEnvironment.number(parent) else { return true }
        return CPaytoken_end_with_parent() == 0 && getppid() == Int32(number)
    }

    /// Asks it to load its files anew; returns false if it does not run, or is another user's.
    @discardableResult
    func reload() -> Bool { kill(number, SIGHUP) == 0 }

    /// Asks it to finish what it has begun, and to end.
    func end() { kill(number, SIGTERM) }

    /// Returns how a child ended, and which; nil if none has.
    static func ended() -> (process: Int32, end: End)? {
        var status: Int32 = 0
        let process = unsafe waitpid(-1, &status, WNOHANG)
        guard process > 0 else { return nil }
        let signal = status & 0x7F
        return (process, signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal))
    }

    private static var inherited: [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe variables.append(String(cString: variable))
            unsafe next += 1
        }
        return variables
    }

    /// Lends texts as an array of C strings that ends with a null pointer.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer {
            for index in unsafe copies.indices { unsafe free(copies[index]) }
        }
        return unsafe body(copies + [nil])
    }
}
