import ApplePayTokenTestingPrimitives
import Foundation
import Testing

@testable import ApplePayWire

@Suite("Mutated texts")
struct MutationTests {
    private static let seed = Array(
        #"""
        {"version":"EC_v1","data":"q0Vx\/7c+Zm8=","signature":"MIAGCSqGSIb3DQEHAqCAMIACAQEx",
        "header":{"ephemeralPublicKey":"MFkwEwYHKoZIzj0CAQ==","publicKeyHash":"Zm9vYmFy",
        "transactionId":"14887c29\u0041é"},"amounts":[100,-1.50,2e+10,true,false,null,{},[],"😀\ud83d\ude00"]}
        """#.utf8
    )

    /// Bytes with a meaning in JSON, which the test uses more often than others.
    private static let favourites =
        Array("{}[]\",:\\u09dD8-+.eEtfn \n\u{0}\u{1F}é😀/=".utf8) + [0xFF]

    private static func mutated(using generator: inout SeededGenerator) -> [UInt8] {
        var text = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !text.isEmpty {
            let place = Int.random(in: 0..<text.count, using: &generator)
            let byte =
                Bool.random(using: &generator)
                ? favourites[Int.random(in: 0..<favourites.count, using: &generator)]
                : UInt8.random(in: 0...255, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: text[place] = byte
            case 1: text.insert(byte, at: place)
            case 2: text.remove(at: place)
            case 3: text.removeSubrange(place...)
            case 4: text.removeSubrange(..<place)
            default: text.insert(contentsOf: text[place...].prefix(12), at: place)
            }
        }
        return text
    }

    /// Reads everything that an index offers, so that a wrong position would trap.
    private static func readAll(_ index: JSONIndex, _ text: Span<UInt8>) {
        var open = [index.root]
        while let value = open.popLast() {
            _ = index.integer(value, in: text)
            _ = index.string(value, in: text)
            _ = index.equals(value, "version", in: text)
            _ = index.member("header", of: value, in: text)
            let content = text.extracting(value.contentRange)
            if let count = Base64.decodedCount(of: content) {
                _ = [UInt8](capacity: count) { _ = Base64.decode(content, into: &$0) }
            }
            if let count = Hexadecimal.decodedCount(of: content) {
                _ = [UInt8](capacity: count) { _ = Hexadecimal.decode(content, into: &$0) }
            }
            open += index.members(of: value).map(\.value)
            open += index.elements(of: value)
        }
    }

    @Test("are refused, or accepted by Foundation as well", arguments: 1...4)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var acceptedCount = 0
        for _ in 0..<LongTest.rounds(50_000) {
            let text = Self.mutated(using: &generator)
            let byteEscapes = Bool.random(using: &generator)
            let limits = JSONIndex.Limits(byteEscapes: byteEscapes)
            do {
                let index = try JSONIndex(text.span, limits: limits)
                acceptedCount += 1
                guard acceptedCount.isMultiple(of: 10) else { continue }
                Self.readAll(index, text.span)
                guard !byteEscapes else { continue }
                var writer = JSONWriter()
                var sink = ByteArraySink()
                writer.compact(index.root, in: text.span, into: &sink)
                _ = try JSONIndex(sink.bytes.span)
                let data = Data(text)
                _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            } catch let error as JSONError {
                #expect((0...text.count).contains(error.offset))
            }
        }
        #expect(acceptedCount > 1000 / LongTest.step)
    }

    @Test("are accepted unchanged")
    func seedItself() throws {
        let index = try JSONIndex(Self.seed.span)
        Self.readAll(index, Self.seed.span)
        #expect(index.member("version", of: index.root, in: Self.seed.span) != nil)
    }
}
