internal import Glibc

/// An IPv4 or IPv6 address with a port.
@safe
struct SocketAddress: Sendable {
    /// The bytes of a `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// The address family: `AF_INET` or `AF_INET6`.
    let family: Int32

    /// Copies an address that getaddrinfo(3) returned; nil if it is too long for any family.
    init?(_ address: UnsafePointer<sockaddr>, count: Int) {
        family = Int32(unsafe address.pointee.sa_family)
        guard count <= MemoryLayout<sockaddr_storage>.size else { return nil }
        bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: count))
    }

    /// Lends the address to a system call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        return unsafe withUnsafeMutableBytes(of: &storage) { storage in
            unsafe storage.copyBytes(from: bytes)
            let address = unsafe storage.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return unsafe body(address, socklen_t(bytes.count))
        }
    }

    /// Returns the addresses of a host.
    ///
    /// It waits for the system's resolver, whose time limit cannot be set.
    ///
    /// - Parameters:
    ///   - host: A name or a numeric address, without brackets.
    ///   - port: The port.
    ///   - isNumeric: Whether to accept only a numeric address, which needs no resolver.
    /// - Returns: IPv6 and IPv4 in turn, in the order that the system prefers; empty if the host is unknown.
    static func addresses(of host: String, port: UInt16, isNumeric: Bool = false) -> [SocketAddress]
    {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : AI_ADDRCONFIG)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            let count = unsafe Int(entry.pointee.ai_addrlen)
            if let address = unsafe entry.pointee.ai_addr,
                let copy = unsafe SocketAddress(address, count: count)
            {
                found.append(copy)
            }
            unsafe next = entry.pointee.ai_next
        }
        return alternating(found)
    }

    /// Returns the addresses with the two families in turn, beginning with the first one's (RFC 8305 §4).
    static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
        let first = addresses.filter { $0.family == addresses[0].family }
        let second = addresses.filter { $0.family != addresses[0].family }
        return (0..<max(first.count, second.count)).flatMap { index in
            [first, second].compactMap { index < $0.count ? $0[index] : nil }
        }
    }
}
