import ApplePayOrderPrograms
import ApplePayPrograms
import Glibc

@testable import paytoken
@testable import paytokend

/// The system cannot create sockets.
struct SocketFailure: Error {
    let number: Int32
}

extension UnixSocket {
    /// Creates two sockets that are connected with each other and do not block.
    static func pair() throws -> (UnixSocket, UnixSocket) {
        var descriptors: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &descriptors) == 0 else {
            throw SocketFailure(number: errno)
        }
        return (UnixSocket(descriptor: descriptors[0]), UnixSocket(descriptor: descriptors[1]))
    }

    /// Whether the other end has ended the connection.
    var hasEnded: Bool {
        var buffer = [UInt8](repeating: 0, count: 1)
        var bytes = buffer.mutableSpan
        do throws(Failure) {
            _ = try receive(into: &bytes, by: .now)
            return false
        } catch {
            return error == .ended
        }
    }
}
