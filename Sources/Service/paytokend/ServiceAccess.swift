internal import ApplePayGateways
internal import ApplePayPrograms
internal import ApplePayWire

/// What a client of the service may do.
enum ServiceRole: String, CaseIterable, Sendable {
    /// Pays, and asks for the state of orders; never sees an account number.
    case pay
    /// Captures, cancels, refunds and decides, and asks for the state of orders.
    case operate
    /// Decrypts tokens in clear.
    case reveal
}

extension CommandOption {
    static let allow = CommandOption(
        "--allow", "USER=ROLE",
        "let a user, or with @NAME a group, pay, operate or reveal; members of the socket's group may pay"
    ).repeatable
}

/// The roles of users and groups of the system.
struct ServiceAccess: Sendable {
    private var users: [UInt32: Set<ServiceRole>] = [:]
    private var groups: [UInt32: Set<ServiceRole>] = [:]

    /// Creates the roles of `--allow`, and that of the socket's group, which may pay.
    ///
    /// - Throws: A usage failure for an unknown user, group or role.
    init(_ arguments: Arguments, socketGroup: UInt32?) throws(CommandFailure) {
        if let socketGroup { groups[socketGroup] = [.pay] }
        for rule in arguments.all(.allow) {
            let parts = ExactText(rule).utf8.split(
                separator: UInt8(ascii: "="), omittingEmptySubsequences: false
            ).map { ExactText(utf8: $0) }
            guard parts.count == 2, let role = ServiceRole(parts[1]) else {
                throw .usage(
                    "\(CommandOption.allow) takes USER=ROLE or @GROUP=ROLE with the role "
                        + "\(ServiceRole.allCases.map(\.rawValue).alternatives), not \(rule).")
            }
            if parts[0].hasPrefix("@") {
                let name = String(ExactText(utf8: parts[0].utf8.dropFirst()))
                guard let group = ProcessUser.number(ofGroup: name) else {
                    throw .usage("\(CommandOption.allow) \(rule): this system has no such group.")
                }
                groups[group, default: []].insert(role)
            } else {
                guard let user = ProcessUser.number(ofUser: String(parts[0])) else {
                    throw .usage("\(CommandOption.allow) \(rule): this system has no such user.")
                }
                users[user, default: []].insert(role)
            }
        }
    }

    /// Returns whether the service's last places are for a client: for operators, and for root, whose programs watch services.
    func isOperator(_ peer: UnixSocket.Peer) -> Bool {
        peer.user == 0 || roles(of: peer).contains(.operate)
    }

    /// Returns the roles of a client.
    func roles(of peer: UnixSocket.Peer) -> Set<ServiceRole> {
        peer.groups.reduce(users[peer.user] ?? []) { $0.union(groups[$1] ?? []) }
    }
}
