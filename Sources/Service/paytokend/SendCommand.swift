internal import ApplePayHTTPS
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePaySession

/// `paytokend send`: sends the requests of `paytokend`, in a process without keys that decrypt tokens.
struct SendCommand: PreparedCommand {
    static let options: [CommandOption] =
        [.socket] + Arguments.httpsOptions + [identity] + AppleServerOptions.others

    /// The key of the merchant identity, with which Apple is asked for merchant sessions.
    static let identity = CommandOption.identity.described(
        "\(CommandOption.identity.summary); to ask Apple for merchant sessions")

    /// How long requests may go on after SIGTERM: longer than an exchange.
    private static let endLimit = HTTPSClient.defaultTimeLimit + .seconds(5)

    private let socket: String?
    private let proxy: HTTPProxy?
    private let server: ApplePayServer?

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.requireNoOperand(of: "send")
        try arguments.requireSocketPath()
        socket = arguments.text(.socket)
        proxy = try arguments.proxy()
        server = arguments.has(.identity) ? try AppleServerOptions.server(arguments) : nil
        if server == nil, let option = arguments.first(of: AppleServerOptions.others) {
            throw .usage("\(option) needs \(CommandOption.identity).")
        }
    }

    func run() throws(CommandFailure) -> ExitStatus {
        ServiceSignals.block()
        guard ChildProcess.endWithParent() else { return .done }
        // The clients of a service that started this process may share the socket's group.
        let listener = try UnixListener.inheritedOrNew(
            socket, mode: ChildProcess.hasParent ? 0o600 : 0o660)
        // The client reads the system's authorities now, so that no rule need permit them.
        var client = HTTPSClient()
        client.proxy = proxy
        let settings = ResolverSettings()
        let manager = ServiceManager()
        // Without local sockets, this process cannot be a client of the service, even if both have the same user.
        let confinement = try Confinement(
            .init(
                readable: settings.paths + Confinement.resolver, hasLocalSockets: false,
                hasNetwork: true))
        if ChildProcess.hasParent, !confinement.filtersSystemCalls {
            Notice.write(
                "this kernel cannot filter system calls: if the process that sends is taken over, it can connect to the service with "
                    + "the roles of its user; start paytokend send as another user, and name its socket with \(CommandOption.sender)."
            )
        }
        let sender = Sender(client, server)
        let isOpen = Lock(true)
        let acceptor = SystemThread {
            while isOpen.withLock({ $0 }) {
                if let socket = listener.accept(within: .seconds(1)) { sender.handle(socket) }
            }
        }
        guard let acceptor else { throw .noThread }
        manager.notify("READY=1")
        while ServiceSignals.next(within: .seconds(1)) != .end {
            guard !confinement.restrictsFiles || settings == ResolverSettings() else {
                // This process cannot get rights that it has given up.
                Notice.write(
                    "the settings of the resolver were replaced; this process ends, to be started again with the new ones."
                )
                break
            }
        }
        manager.notify("STOPPING=1")
        isOpen.withLock { $0 = false }
        acceptor.join()
        // Their requests were passed on already.
        for socket in listener.end() { sender.handle(socket) }
        sender.finish(within: Self.endLimit)
        return .done
    }
}

extension Arguments {
    /// Refuses an address where the path of the service's socket belongs.
    func requireSocketPath() throws(CommandFailure) {
        guard let path = text(.socket), !path.utf8.contains(UInt8(ascii: "/")),
            let colon = path.utf8.lastIndex(of: UInt8(ascii: ":")),
            UInt16(path[colon...].dropFirst()) != nil
        else { return }
        throw .usage(
            "\(CommandOption.socket) takes the path of a Unix socket, not an address: the service has no port, and a web "
                + "server in front of it can have one. Write ./\(path) for a socket of this name.")
    }
}

extension UnixListener {
    /// Returns the socket that systemd passes, or creates the one at a path.
    static func inheritedOrNew(
        _ path: String?, mode: UInt32
    ) throws(CommandFailure) -> UnixListener {
        if let inherited = UnixListener(inherited: ()) { return inherited }
        guard let path else {
            throw .usage(
                "systemd passes no socket, so name the one to create with \(CommandOption.socket.usage)."
            )
        }
        return try failing { () throws(FileError) in try UnixListener(at: path, mode: mode) }
    }
}
