import Glibc
import Testing

@testable import ApplePayHTTPS

@Suite("Addresses of servers and proxies")
struct ServerAddressTests {
    @Test(
        "have the port of their scheme unless they state one",
        arguments: [
            ("https://gateway.example", "gateway.example", 443, "gateway.example"),
            ("https://gateway.example:8443", "gateway.example", 8443, "gateway.example:8443"),
            ("http://127.0.0.1", "127.0.0.1", 80, "127.0.0.1"),
            ("http://[::1]", "::1", 80, "[::1]"),
            ("https://[::1]:65535", "::1", 65535, "[::1]:65535"),
        ] as [(String, String, UInt16, String)])
    func origins(_ origin: String, _ host: String, _ port: UInt16, _ authority: String) throws {
        let address = try #require(ServerAddress(origin: origin))
        #expect(address.host == host && address.port == port && address.authority == authority)
        #expect(address.isSecure == origin.hasPrefix("https:"))
    }

    @Test(
        "of proxies are a host and a port",
        arguments: [
            ("proxy.example:3128", "proxy.example"), ("10.0.0.1:1", "10.0.0.1"),
            ("[::1]:80", "::1"),
            ("proxy.example", nil), ("proxy.example:", nil), ("proxy.example:0", nil),
            ("proxy.example:65536", nil), (":80", nil), ("[]:80", nil), ("[::1:80", nil),
            ("::1]:80", nil), ("a b:80", nil), ("a/b:80", nil), ("", nil),
        ] as [(String, String?)])
    func proxies(_ authority: String, _ host: String?) {
        #expect(HTTPProxy(authority)?.host == host)
    }

    @Test("of one name are tried with the two families in turn")
    func families() {
        func addresses(_ hosts: [String]) -> [SocketAddress] {
            hosts.flatMap { SocketAddress.addresses(of: $0, port: 443, isNumeric: true) }
        }
        let found = addresses(["::1", "::2", "::3", "127.0.0.1", "127.0.0.2"])
        let expected = [AF_INET6, AF_INET, AF_INET6, AF_INET, AF_INET6]
        #expect(SocketAddress.alternating(found).map(\.family) == expected)
        let later = addresses(["127.0.0.1", "127.0.0.2", "::1"])
        #expect(SocketAddress.alternating(later).map(\.family) == [AF_INET, AF_INET6, AF_INET])
    }
}
