import Glibc

/// A connection to the service, with at most one request at a time.
final class Connection {
    let descriptor: Int32
    private var answer = [UInt8](repeating: 0, count: 1 << 14)
    private var received = 0

    init(to path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure("the socket's path is too long")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure("there is no connection: error \(errno)") }
    }

    /// The clock of the process that created the service's socket (SO_PEERCRED, unix(7)).
    func serverClock() throws -> Clock {
        // Its process, user and group.
        var peer: [Int32] = [0, 0, 0]
        var count = socklen_t(12)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &count) == 0,
            let clock = Clock(of: peer[0])
        else { throw Failure("the process of the service is not known: error \(errno)") }
        return clock
    }

    /// Returns the bytes of a request for a token.
    static func request(_ token: [UInt8]) -> [UInt8] {
        let body = Array(#"{"token":"#.utf8) + token + Array("}".utf8)
        let head = [
            "POST /v1/decrypt HTTP/1.1", "Host: localhost", "Paytoken-Request: true",
            "Content-Type: application/json", "Content-Length: \(body.count)", "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }

    /// Sends a request, which the socket's buffer has space for.
    func send(_ request: [UInt8]) throws {
        let sent = unsafe request.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == request.count else { throw Failure("a request cannot be sent") }
    }

    /// Receives what has arrived.
    ///
    /// - Returns: Whether the answer is whole.
    /// - Throws: A failure if its status is not 200.
    func receive() throws -> Bool {
        let count = unsafe answer.withUnsafeMutableBytes { bytes in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[received...])
            return unsafe recv(descriptor, rest.baseAddress, rest.count, 0)
        }
        guard count > 0 else { throw Failure("an answer ends early") }
        received += count
        guard isWhole(received) else { return false }
        guard answer.starts(with: "HTTP/1.1 200 ".utf8) else {
            throw Failure(String(decoding: answer[..<received], as: UTF8.self))
        }
        received = 0
        return true
    }

    private static let lengthName = Array("Content-Length: ".utf8)

    /// Returns whether the first bytes are a head, and a body of the length that it states.
    private func isWhole(_ count: Int) -> Bool {
        let answer = answer
        let bytes = answer.span.extracting(0..<count)
        let name = Self.lengthName.span
        var (length, line) = (0, 0)
        for position in 0..<count where bytes[position] == UInt8(ascii: "\n") {
            // An empty line ends the head.
            if position == line + 1 { return count == position + 1 + length }
            var isLength = position - line > name.count
            if isLength {
                for index in name.indices where bytes[line + index] != name[index] {
                    isLength = false
                }
            }
            if isLength {
                for index in line + name.count..<position - 1 {
                    length = length * 10 + Int(bytes[index] - UInt8(ascii: "0"))
                }
            }
            line = position + 1
        }
        return false
    }

    deinit { close(descriptor) }
}
