import Testing

@testable import ApplePayWire

@Suite("Hexadecimal")
struct HexadecimalTests {
    private func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard let count = Hexadecimal.decodedCount(of: text.span) else { return nil }
        var isHexadecimal = false
        let bytes = [UInt8](capacity: count) {
            isHexadecimal = Hexadecimal.decode(text.span, into: &$0)
        }
        return isHexadecimal ? bytes : nil
    }

    @Test("reads both cases and writes lower case")
    func roundTrip() {
        let bytes = Array(UInt8.min...UInt8.max)
        var sink = ByteArraySink()
        Hexadecimal.encode(bytes.span, into: &sink)
        let text = String(decoding: sink.bytes, as: UTF8.self)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.contains("9f"))
        #expect(decoded(Array(text.utf8)) == bytes)
        #expect(decoded(Array(text.uppercased().utf8)) == bytes)
        #expect(decoded([]) == [])
    }

    @Test("accepts 22 characters and no other byte, in both positions", arguments: 0..<2)
    func alphabet(place: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Array("00".utf8)
            text[place] = byte
            #expect((decoded(text) != nil) == "0123456789abcdefABCDEF".utf8.contains(byte))
        }
    }

    @Test("refuses odd lengths and anything else", arguments: ["0", "000", "0x00", "00 00", "0\n"])
    func refused(text: String) {
        #expect(decoded(Array(text.utf8)) == nil)
    }

    @Test("refuses an output without enough capacity")
    func noRoom() {
        _ = [UInt8](capacity: 1) { output in
            while output.freeCapacity > 1 { output.append(0) }
            let text = Array("0000".utf8)
            let isDecoded = Hexadecimal.decode(text.span, into: &output)
            #expect(!isDecoded)
            #expect(output.freeCapacity == 1)
        }
    }
}
