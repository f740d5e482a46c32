import ApplePayServiceHTTP
import Foundation
import FuzzTargets
import TestVectors
import Testing

@Suite("The head that an HTTP client sends")
struct GoldenHeadTests {
    /// A file of TestVectors/http-heads.
    struct Head: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        var testDescription: String { name }
        var isPOST: Bool { name.hasSuffix("-post") }
        var isChunked: Bool { name == "node-chunked-post" || name == "curl-file-post" }
        var isHTTP10: Bool { name.hasPrefix("nginx-") }
        var expectsContinue: Bool { name == "curl-expect-post" }

        /// A body of the length that the clients sent; that with `Expect` is longer than the limit of the design.
        var body: [UInt8] {
            guard isPOST, !isChunked else { return [] }
            return Array(repeating: 0x41, count: expectsContinue ? 1_100_012 : 4412)
        }

        /// The head with a length of 2, and such a body.
        var shortRequest: [UInt8] {
            let text = String(decoding: bytes, as: UTF8.self)
                .replacing("-Length: 4412", with: "-Length: 2")
                .replacing("-length: 4412", with: "-length: 2")
            return Array((isPOST ? text + "{}" : text).utf8)
        }

        static let all: [Head] = {
            let files = try? FileManager.default.contentsOfDirectory(
                at: TestVectors.httpHeads, includingPropertiesForKeys: nil)
            return (files ?? []).filter { $0.pathExtension == "head" }
                .sorted { $0.path < $1.path }
                .compactMap { file in
                    guard let data = try? Data(contentsOf: file) else { return nil }
                    return Head(
                        name: file.deletingPathExtension().lastPathComponent, bytes: Array(data))
                }
        }()

        static var accepted: [Head] { all.filter { !$0.isChunked } }
        static var short: [Head] { accepted.filter { !$0.expectsContinue } }
    }

    private static let limit = 1_100_012

    @Test("was recorded from eleven clients: curl, Go, Java, nginx, Node, Perl, PHP, Python, Ruby")
    func names() {
        let clients = Set(Head.all.map { $0.name.split(separator: "-").dropLast().joined() })
        #expect(
            clients == [
                "curl", "curlexpect", "curlfile", "go", "java", "nginx", "node", "nodechunked",
                "nodefetch", "perl", "php", "python", "ruby",
            ])
        #expect(Head.all.count == 23)
    }

    @Test("is accepted, with its method, path, fields and body", arguments: Head.accepted)
    func accepted(_ head: Head) throws {
        let read = ReadRequests([(head.bytes + head.body)[...]], bodyLimit: Self.limit)
        let request = try #require(read.requests.first)
        let expected: [ReadRequests.Step] =
            (head.isPOST ? [.event(.head(request.head))] : []) + [.event(.request(request))]
        #expect(read.steps == expected)
        #expect(read.isBetweenRequests)
        #expect(request.method == (head.isPOST ? .post : .get))
        #expect(request.path == (head.isPOST ? "/v1/decrypt" : "/v1/payments/order-1001"))
        #expect(
            request.segments
                == (head.isPOST ? ["v1", "decrypt"] : ["v1", "payments", "order-1001"])
        )
        #expect(request.field("paytoken-request") == "true")
        #expect(request.field("host")?.isEmpty == false)
        #expect(request.field("Host") == nil)
        #expect(request.closes == (head.name.hasPrefix("java-") || head.isHTTP10))
        #expect(request.head.expectsContinue == head.expectsContinue)
        #expect(request.body == head.body)
        let lines = String(decoding: head.bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(request.head.fields.count == lines.count - 1)
    }

    @Test("with chunks is refused before a chunk could be read as a request")
    func chunked() {
        let heads = Head.all.filter(\.isChunked)
        #expect(heads.count == 2)
        let chunks =
            "2\r\n{}\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nPaytoken-Request: true\r\n\r\n"
        for head in heads {
            let read = ReadRequests([(head.bytes + chunks.utf8)[...]], bodyLimit: Self.limit)
            guard case .fault(let fault) = read.steps.first else {
                Issue.record("\(head.name) was not refused")
                continue
            }
            #expect(fault.status == 411)
            #expect(fault.reason.contains("Transfer-Encoding"))
            #expect(fault.closes)
            #expect(read.steps.count == 1)
        }
    }

    @Test(
        "causes the same events byte by byte, and in two parts at every position",
        arguments: Head.short)
    func parts(_ head: Head) {
        let bytes = head.shortRequest + head.bytes.prefix(9)
        let whole = ReadRequests([bytes[...]], bodyLimit: Self.limit)
        #expect(whole.requests.count == 1)
        #expect(!whole.isBetweenRequests)
        #expect(ReadRequests(bytes.indices.map { bytes[$0...$0] }, bodyLimit: Self.limit) == whole)
        for index in 0...bytes.count {
            let parts = [bytes[..<index], bytes[index...]]
            #expect(ReadRequests(parts, bodyLimit: Self.limit) == whole, "\(index)")
        }
    }

    @Test("waits for the body only after 100 Continue was requested")
    func expectation() throws {
        let head = try #require(Head.all.first { $0.expectsContinue })
        var reader = RequestReader { _ in Self.limit }
        reader.append(Array(head.bytes.dropLast()))
        #expect(try reader.next() == nil)
        reader.append(Array(head.bytes.suffix(1)))
        guard case .head(let read) = try reader.next() else {
            Issue.record("no head")
            return
        }
        #expect(read.expectsContinue)
        #expect(try reader.next() == nil)
        reader.append(Array(head.body.dropLast()))
        #expect(try reader.next() == nil)
        #expect(!reader.isBetweenRequests)
        reader.append(Array(head.body.suffix(1)))
        guard case .request(let request) = try reader.next() else {
            Issue.record("no request")
            return
        }
        #expect(request.body == head.body)
        #expect(reader.isBetweenRequests)
    }

    @Test(
        "with one byte changed is read as at most one request, the same in all parts",
        arguments: Head.short)
    func mutations(_ head: Head) {
        let bytes = head.shortRequest
        for index in bytes.indices {
            // Each byte becomes three of eight others, in turn.
            let others = [0, 0x0A, 0x0D, 0x20, 0x3A, 0x80, bytes[index] ^ 1, bytes[index] ^ 0x20]
            for byte in (0..<3).map({ others[(3 * index + $0) % others.count] }) {
                var changed = bytes
                changed[index] = byte
                let whole = ReadRequests([changed[...]], bodyLimit: 64)
                #expect(whole.requests.count <= 1, "\(index) \(byte)")
                let parts = [changed[..<index], changed[index...]]
                #expect(ReadRequests(parts, bodyLimit: 64) == whole, "\(index) \(byte)")
                // Byte by byte takes longest, so only a part of the changes is read so.
                guard index.isMultiple(of: 8) else { continue }
                let bytewise = changed.indices.map { changed[$0...$0] }
                #expect(ReadRequests(bytewise, bodyLimit: 64) == whole, "\(index) \(byte)")
            }
        }
    }
}
