import Foundation
import Testing

@testable import ApplePayWire

@Suite("Base64")
struct Base64Tests {
    private func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard let count = Base64.decodedCount(of: text.span) else { return nil }
        var isCanonical = false
        let bytes = [UInt8](capacity: count) { isCanonical = Base64.decode(text.span, into: &$0) }
        return isCanonical ? bytes : nil
    }

    private func encoded(_ bytes: [UInt8]) -> String {
        var sink = ByteArraySink()
        Base64.encode(bytes.span, into: &sink)
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    @Test(
        "agrees with the vectors of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(bytes: String, text: String) {
        #expect(encoded(Array(bytes.utf8)) == text)
        #expect(decoded(Array(text.utf8)) == Array(bytes.utf8))
    }

    @Test("agrees with Foundation at every length", arguments: [0...100, 101...200, 201...300])
    func roundTrips(lengths: ClosedRange<Int>) {
        var generator = SeededGenerator(seed: 4648)
        for length in lengths {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = encoded(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(decoded(Array(text.utf8)) == bytes)
        }
    }

    @Test(
        "refuses every form that is not canonical",
        arguments: [
            "Z", "Zg", "Zg=", "Zm8", "Zm9vY", "Zg===", "=", "==", "====", "=Zg=", "Z===", "Zg=a",
            "Zg==Zg==", "Zm8=Zm8=", "Zm9v=", "Zm9v====", "Zm=v", "Z=9v", "=m9v", "Zm9v\n",
            "Zm9\n", " Zm9", "Zm9 ", "Zm\r\n9v==", "Zm9vYm\n=", "Zh==", "Zv==", "Z/==", "Zm9=",
            "Zm/=", "Zm9vYh==", "-_-_", "Zm9-", "Zm9_", "Zm9\0", "\0\0\0\0", "Zmé", "Zm9.",
            "Zm9vYmF!", "!m9vYmFy", "Zm9v,m9v",
        ]
    )
    func refused(text: String) {
        #expect(decoded(Array(text.utf8)) == nil)
    }

    @Test("accepts the 64 characters and no other byte, in every position", arguments: 0..<4)
    func alphabet(place: Int) {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for byte in UInt8.min...UInt8.max {
            var text = Array("AAAAAAAA".utf8)
            text[place] = byte
            #expect((decoded(text) != nil) == alphabet.utf8.contains(byte))
        }
    }

    @Test("accepts a padded group only with its unused bits zero")
    func unusedBits() {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for (value, character) in alphabet.enumerated() {
            let one = Array("A".utf8) + [character] + Array("==".utf8)
            #expect((decoded(one) != nil) == value.isMultiple(of: 16))
            let two = Array("AA".utf8) + [character] + Array("=".utf8)
            #expect((decoded(two) != nil) == value.isMultiple(of: 4))
        }
    }

    @Test(
        "refuses an output without enough capacity",
        arguments: ["Zm9v", "Zm8=", "Zg==", "Zm9vYmFy"])
    func noRoom(text: String) throws {
        let text = Array(text.utf8)
        let decodedCount = Base64.decodedCount(of: text.span)
        let count = try #require(decodedCount)
        let bytes = [UInt8](capacity: count - 1) { output in
            // The capacity may be larger than requested.
            while output.freeCapacity >= count { output.append(0) }
            let before = output.count
            let isDecoded = Base64.decode(text.span, into: &output)
            #expect(!isDecoded)
            #expect(output.count == before)
        }
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    @Test("appends after the bytes that the output contains")
    func appends() {
        let bytes = [UInt8](capacity: 8) { output in
            output.append(0xFF)
            for text in [Array("Zm9v".utf8), Array("Zg==".utf8)] {
                let isDecoded = Base64.decode(text.span, into: &output)
                #expect(isDecoded)
            }
        }
        #expect(bytes == [0xFF] + Array("foof".utf8))
    }
}
