import ApplePayOrderPrograms
import Testing

@testable import ApplePayPrograms
@testable import paytoken
@testable import paytokend

@Suite("The roles of the service's clients")
struct ServiceAccessTests {
    private func access(_ rules: String..., socketGroup: UInt32? = nil) throws -> ServiceAccess {
        let words = rules.flatMap { ["--allow", $0] }
        return try ServiceAccess(try Arguments(words, [.allow]), socketGroup: socketGroup)
    }

    private func peer(_ user: UInt32, _ groups: Set<UInt32> = []) -> UnixSocket.Peer {
        UnixSocket.Peer(user: user, groups: groups, process: 1)
    }

    @Test("are none without a rule, also for root")
    func none() throws {
        #expect(try access().roles(of: peer(0, [0])) == [])
    }

    @Test("belong to a user by name or number, and to nobody else")
    func users() throws {
        let access = try access("root=pay", "4242=reveal")
        #expect(access.roles(of: peer(0)) == [.pay])
        #expect(access.roles(of: peer(4242)) == [.reveal])
        #expect(access.roles(of: peer(1, [0, 4242])) == [])
    }

    @Test("belong to the members of a group by name or number, and to no user")
    func groups() throws {
        let access = try access("@root=operate", "@4242=reveal")
        #expect(access.roles(of: peer(1, [7, 0])) == [.operate])
        #expect(access.roles(of: peer(1, [4242, 7])) == [.reveal])
        #expect(access.roles(of: peer(0, [7])) == [])
        #expect(access.roles(of: peer(4242, [])) == [])
    }

    @Test("are those of the user and of all groups together")
    func union() throws {
        let access = try access("7=pay", "7=reveal", "@8=operate", "@9=pay", socketGroup: 10)
        #expect(access.roles(of: peer(7)) == [.pay, .reveal])
        #expect(access.roles(of: peer(7, [8, 9])) == [.pay, .reveal, .operate])
        #expect(access.roles(of: peer(6, [8, 9])) == [.pay, .operate])
    }

    @Test("leave the last places to clients with the role operate, and to root")
    func operators() throws {
        #expect(try access("7=operate").isOperator(peer(7)))
        #expect(try access("@8=operate").isOperator(peer(7, [8])))
        #expect(try !access("7=pay", "7=reveal", "8=operate").isOperator(peer(7, [8])))
        #expect(try access().isOperator(peer(0)), "root's programs watch services")
    }

    @Test("include pay for the members of the socket's group, in addition to rules")
    func socketGroup() throws {
        let access = try access("@8=operate", socketGroup: 8)
        #expect(access.roles(of: peer(7, [8])) == [.pay, .operate])
        #expect(access.roles(of: peer(8)) == [])
    }

    @Test(
        "are refused for an unknown user or group",
        arguments: [
            ("no-such-user=pay", "this system has no such user."),
            ("=pay", "this system has no such user."),
            ("-1=pay", "this system has no such user."),
            ("4294967296=pay", "this system has no such user."),
            ("@no-such-group=pay", "this system has no such group."),
            ("@=pay", "this system has no such group."),
            ("@@root=pay", "this system has no such group."),
        ])
    func unknown(_ rule: String, _ reason: String) {
        let failure = #expect(throws: CommandFailure.self) { try access(rule) }
        #expect(failure?.message == "--allow \(rule): \(reason)")
        #expect(failure?.status == .usage)
    }

    @Test(
        "are refused in another form",
        arguments: [
            "root", "root=", "root=admin", "root=Pay", "root=pay=pay", "root=pay,reveal", "",
        ])
    func malformed(_ rule: String) {
        let failure = #expect(throws: CommandFailure.self) { try access(rule) }
        #expect(
            failure?.message
                == "--allow takes USER=ROLE or @GROUP=ROLE with the role pay, operate or reveal, not \(rule)."
        )
        #expect(failure?.status == .usage)
    }
}
