internal import ApplePayGateways
internal import ApplePayLedger
internal import ApplePayOrderPrograms
internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import ApplePayWire

extension CommandOption {
    static let requests = number(
        "--requests", "N",
        "how many requests are handled at a time; default: \(ServeCommand.defaultRequests)")
    static let auditRequired = flag(
        "--audit-required", "answer no request whose decision cannot be written to the output")
    static let describe = flag(
        "--describe", "print the description of the service for clients (OpenAPI 3.1), and end")
}

/// `paytokend`: pays orders for other processes, over HTTP on a Unix socket.
struct ServeCommand: PreparedCommand {
    static let options: [CommandOption] =
        [
            .socket.mandatory(unless: .describe, .sender),
            .ledger.mandatory(unless: .describe)
                .described("the ledger of orders and transactions, as for paytoken pay"),
            .gateway.described("a gateway file; one for each account").repeatable,
        ] + KeyOptions.options
        + [.allow, .requests, .auditRequired, .sender, .describe] + senderOptions
        + TokenOptions.trust + [
            .maximumAge.described("how many seconds ago a token may have been signed; default: 300")
        ]

    /// The options of the process that sends, which is started with them; passphrases are those of the keys that decrypt
    /// tokens, so an encrypted merchant identity needs a `paytokend send` of its own.
    private static let senderOptions: [CommandOption] =
        Arguments.httpsOptions + [SendCommand.identity, .certificate, .region, .sandbox]

    static let defaultRequests: Int64 = 64

    /// How long requests may go on after SIGTERM.
    private static let endLimit = Duration.seconds(70)

    private let arguments: Arguments
    private let requests: Int

    init(_ arguments: Arguments) throws(CommandFailure) {
        try arguments.requireNoOperand(of: "paytokend")
        try arguments.requireSocketPath()
        if arguments.has(.sender), let option = arguments.first(of: Self.senderOptions) {
            throw .usage("with \(CommandOption.sender), give \(option) to paytokend send.")
        }
        self.arguments = arguments
        let count = try arguments.number(.requests) ?? Self.defaultRequests
        guard (1...Int64(ServicePlaces.mostRequests)).contains(count) else {
            throw .usage(
                "\(CommandOption.requests) takes 1 to \(ServicePlaces.mostRequests), not \(count).")
        }
        requests = Int(count)
    }

    func run() throws(CommandFailure) -> ExitStatus {
        if arguments.has(.describe) {
            return StandardStream.output.write(ServiceDescription.text) ? .done : .means
        }
        let location = try LedgerLocation(try arguments.required(.ledger))
        // Root's service reads and creates everything as that user.
        if let file = location.file { try LedgerOwner.become(of: file) }
        guard let sender = arguments.text(.sender) else { return try runParent() }
        ServiceSignals.block()
        guard ChildProcess.endWithParent() else { return .done }
        let listener = try UnixListener.inheritedOrNew(arguments.text(.socket), mode: 0o660)
        let access = try ServiceAccess(arguments, socketGroup: listener.group)
        let confinement = try Confinement(permissions(location))
        let metrics = ServiceMetrics()
        let ledger = try location.open { metrics.measure(.claim, $0) }
        guard let audit = AuditLog() else { throw .noThread }
        let service = try Service(
            arguments, ledger: ledger, metrics: metrics, audit: audit, access: access,
            confinement: confinement, sender: sender)
        return try serve(service, listener)
    }

    /// Starts the process with the keys and the one that sends.
    private func runParent() throws(CommandFailure) -> ExitStatus {
        let socket = try arguments.required(.socket)
        let sender = socket + ".send"
        let own = Self.senderOptions
        let secrets =
            arguments.all(.proxyLogin)
            + arguments.all(.identity).filter { $0.utf8.starts(with: "env:".utf8) }.map {
                String($0.dropFirst(4))
            }
        return try ServiceParent(
            serving: arguments.words(Self.options.filter { !own.contains($0) })
                + [CommandOption.sender.name, sender],
            sending: ["send", CommandOption.socket.name, sender]
                + arguments.words(own),
            sendingSecrets: secrets, socket: sender
        ).run()
    }

    private func serve(
        _ service: Service, _ listener: UnixListener
    ) throws(CommandFailure) -> ExitStatus {
        let places = ServicePlaces(requests: requests)
        let acceptor = SystemThread {
            while !places.isClosed {
                guard let socket = listener.accept(within: .seconds(1)) else { continue }
                Self.admit(socket, to: places, service)
            }
        }
        let recoverer = SystemThread {
            // The first round closes what an earlier process left open.
            repeat { service.recover() } while !places.isClosed(within: .seconds(60))
        }
        // Files can be slow to read, and a signal that ends the service must not wait for them.
        let reloads = Monitor(0)
        let manager = ServiceManager()
        let reloader = SystemThread {
            // The optimizer of Swift 6.3 does not finish on a loop without an end here.
            repeat {
                _ = reloads.wait { $0 > 0 ? () : nil }
                Self.reload(service, manager)
                reloads.withLock { $0 -= 1 }
            } while !places.isClosed
        }
        guard let acceptor, let recoverer, let reloader else { throw .noThread }
        recoverer.detach()
        reloader.detach()
        // systemd writes a line of its own.
        if !manager.notify("READY=1"), let socket = arguments.text(.socket) {
            Notice.write("serving on \(socket).")
        }
        while true {
            switch ServiceSignals.next(within: .seconds(60)) {
            // After a signal that comes while files are read, they are read again.
            case .reload:
                let isReading = reloads.change { count in
                    defer { count = min(count + 1, 2) }
                    return count > 0
                }
                if isReading {
                    Notice.write(
                        "keys and gateway files are still being read; then they are read again.")
                }
            case .end:
                manager.notify("STOPPING=1")
                places.close()
                acceptor.join()
                // Connections that were accepted are answered, and those that waited.
                for socket in listener.end() { Self.admit(socket, to: places, service) }
                let hasEnded = places.finish(within: Self.endLimit)
                if !service.audit.finish(within: .seconds(1)) {
                    Notice.write(
                        "\(service.audit.waitingCount) lines of the audit log could not be written, and are lost."
                    )
                }
                if !hasEnded { Notice.write("requests were still being handled after 70 s.") }
                return .done
            case .child, nil: continue
            }
        }
    }

    private static func reload(_ service: Service, _ manager: ServiceManager) {
        manager.notifyReloading()
        do throws(CommandFailure) {
            try service.reload()
            Notice.write("keys and gateway files were reloaded.")
        } catch {
            Notice.write("\(error.message) The old keys and gateway files are kept.")
        }
        manager.notify("READY=1")
    }

    /// Serves a connection on a new thread, or refuses it if there is no place.
    private static func admit(_ socket: UnixSocket, to places: ServicePlaces, _ service: Service) {
        guard let peer = socket.peer else { return }
        guard
            let place = places.take(
                socket, of: peer.user, isOperator: service.access.isOperator(peer))
        else {
            // The client reads this without having sent anything; one that does not read loses it.
            return ServiceConnection.refuse(socket, of: service)
        }
        let connection = ServiceConnection(
            socket: socket, peer: peer, place: place, places: places, service: service)
        guard let thread = SystemThread({ connection.run() }) else {
            places.leave(place)
            return ServiceConnection.refuse(socket, of: service)
        }
        thread.detach()
    }

    /// Returns the files that the process needs now, and when it loads keys and gateway files anew.
    private func permissions(
        _ location: LedgerLocation
    ) throws(CommandFailure) -> Confinement.Permissions {
        var permissions = Confinement.Permissions()
        permissions.hasNetwork = location.file == nil
        // A device's module opens what it needs, which is not known here.
        guard !arguments.all(.keys).contains(where: { $0.utf8.starts(with: "pkcs11:".utf8) }) else {
            permissions.readable = nil
            permissions.hasNetwork = true
            return permissions
        }
        var files =
            arguments.all(.passphraseFile) + arguments.all(.revocationList)
            + arguments.all(.gateway) + [arguments.text(.testTrustAnchor)].compactMap(\.self)
        for path in arguments.all(.gateway) { files += try GatewayFile.secretFiles(path) }
        for path in arguments.all(.keys) where !path.utf8.starts(with: "env:".utf8) {
            let status = Result { () throws(FileError) in try FileStatus(answered: path) }
            if case .failure(let error) = status, error.isLate {
                try failing { () throws(FileError) in throw error }
            }
            files.append((try? status.get())?.isFolder == true ? "\(path)/" : path)
        }
        permissions.readable =
            files.map { Folder(containing: $0).path }
            + (location.file == nil ? Confinement.database + location.clientFiles : [])
        permissions.writable = location.file.map { [Folder(containing: $0).path] } ?? []
        return permissions
    }
}
