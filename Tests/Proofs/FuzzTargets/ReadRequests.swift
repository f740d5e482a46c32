package import ApplePayServiceHTTP
import Foundation

/// Everything that a reader of requests returns for bytes that arrive in parts.
package struct ReadRequests: Equatable {
    /// An event that the reader returned, or a fault that it threw.
    package enum Step: Equatable {
        case event(RequestEvent)
        case fault(RequestFault)
    }

    /// The events and faults up to the one that closes the connection.
    package private(set) var steps: [Step] = []

    /// Whether no byte of another request has arrived.
    package private(set) var isBetweenRequests: Bool

    /// The requests that were accepted.
    package var requests: [ServiceRequest] {
        steps.compactMap {
            if case .event(.request(let request)) = $0 { request } else { nil }
        }
    }

    /// Lets a reader read the parts.
    ///
    /// - Parameters:
    ///   - parts: The bytes, each part as it arrives.
    ///   - bodyLimit: The maximum length of a body in bytes.
    package init(_ parts: some Sequence<ArraySlice<UInt8>>, bodyLimit: Int) {
        var reader = RequestReader { _ in bodyLimit }
        for part in parts {
            reader.append(Array(part))
            while let step = Self.next(&reader) {
                steps.append(step)
                if case .fault(let fault) = step, fault.closes {
                    isBetweenRequests = reader.isBetweenRequests
                    return
                }
            }
        }
        isBetweenRequests = reader.isBetweenRequests
    }

    private static func next(_ reader: inout RequestReader) -> Step? {
        do throws(RequestFault) {
            return try reader.next().map(Step.event)
        } catch {
            return .fault(error)
        }
    }

    /// Returns nil, or the condition that the reader violates.
    static func fault(of input: [UInt8]) -> String? {
        let limit = 256
        // A request at the end shows that readers in the same state have the same bytes left.
        let bytes = input + "GET / HTTP/1.1\r\nHost: a\r\nPaytoken-Request: true\r\n\r\n".utf8
        let whole = ReadRequests([bytes[...]], bodyLimit: limit)
        let half = input.count / 2
        for parts in [
            [bytes[..<half], bytes[half...]], [bytes[..<input.count], bytes[input.count...]],
            bytes.indices.map { bytes[$0...$0] },
        ] where ReadRequests(parts, bodyLimit: limit) != whole {
            return "the parts change the requests"
        }
        let shortest = "GET / HTTP/1.1\r\nHost:\r\n\r\n".utf8.count
        guard whole.requests.reduce(0, { $0 + shortest + $1.body.count }) <= bytes.count else {
            return "more bytes than arrived"
        }
        for request in whole.requests {
            guard request.body.count == request.head.contentLength, request.body.count <= limit,
                request.head.fields.count <= 32
            else { return "a request over the limits" }
            // A request that is written in another way means the same.
            let again = ReadRequests([text(of: request)[...]], bodyLimit: limit)
            guard again.isBetweenRequests, again.requests.count == 1,
                let copy = again.requests.first, copy.method == request.method,
                copy.segments == request.segments, copy.query == request.query,
                copy.closes == request.closes,
                copy.head.fields == request.head.fields, copy.body == request.body
            else { return "a request that is read differently when written again" }
        }
        return nil
    }

    /// Returns a request with every character of its path encoded that can be, and its fields sorted.
    private static func text(of request: ServiceRequest) -> [UInt8] {
        let path = request.segments.map { segment in
            let bytes = segment.utf8.map { byte in
                let character = Character(UnicodeScalar(byte))
                let isUnreserved =
                    byte < 0x80
                    && (character.isLetter || character.isNumber || "-._~".contains(character))
                let digits = String(byte, radix: 16, uppercase: true)
                return isUnreserved ? String(character) : byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
            return "/" + bytes.joined()
        }
        let query = request.query.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let connection = (request.field("connection") ?? "").lowercased().split(separator: ",")
        let isHTTP10 =
            request.closes
            && !connection.contains { $0.trimmingCharacters(in: .whitespaces) == "close" }
        var text = "\(request.method?.rawValue ?? "PUT") \(path.isEmpty ? "/" : path.joined())"
        text += query.isEmpty ? " " : "?\(query) "
        text += isHTTP10 ? "HTTP/1.0\r\n" : "HTTP/1.1\r\n"
        for field in request.head.fields.sorted(by: { $0.key < $1.key }) {
            text += "\(field.key):\t \(field.value) \r\n"
        }
        return Array((text + "\r\n").utf8) + request.body
    }
}
