import Testing

@testable import ApplePayWire

@Suite("A JSON writer")
struct JSONWriterTests {
    /// Writes a body with every kind of value.
    private func write(into sink: inout some ByteSink & ~Copyable & ~Escapable) {
        let raw = Array("[1,2]".utf8)
        var writer = JSONWriter()
        writer.beginObject(into: &sink)
        writer.name("empty", into: &sink)
        writer.beginObject(into: &sink)
        writer.endObject(into: &sink)
        writer.name("list", into: &sink)
        writer.beginArray(into: &sink)
        writer.beginArray(into: &sink)
        writer.endArray(into: &sink)
        writer.integer(.min, into: &sink)
        writer.integer(0, into: &sink)
        writer.boolean(true, into: &sink)
        writer.boolean(false, into: &sink)
        writer.null(into: &sink)
        writer.beginObject(into: &sink)
        writer.name("a/b", into: &sink)
        writer.string("\"", into: &sink)
        writer.endObject(into: &sink)
        writer.endArray(into: &sink)
        writer.name("raw", into: &sink)
        writer.raw(raw.span, into: &sink)
        writer.endObject(into: &sink)
    }

    @Test("writes the commas, and the same bytes into every sink")
    func everyKind() {
        let expected =
            #"{"empty":{},"list":[[],-9223372036854775808,0,true,false,null,{"a/b":"\""}],"#
            + #""raw":[1,2]}"#
        var array = ByteArraySink()
        write(into: &array)
        #expect(String(decoding: array.bytes, as: UTF8.self) == expected)
        var counter = ByteCounter()
        write(into: &counter)
        #expect(counter.count == expected.utf8.count)
        let bytes = [UInt8](capacity: counter.count) { output in write(into: &output) }
        #expect(bytes == array.bytes)
    }

    @Test(
        "escapes only what JSON requires",
        arguments: [
            ("", ""), ("\"\\", #"\"\\"#), ("\u{08}\u{0C}\n\r\t", #"\b\f\n\r\t"#),
            ("\0\u{1F}", #"\u0000\u001f"#), ("a/b\u{7F}é😀", "a/b\u{7F}é😀"),
            (
                "seventeen letters\nand a long rest é of more",
                #"seventeen letters\nand a long rest é of more"#
            ),
        ]
    )
    func escapes(string: String, expected: String) throws {
        var writer = JSONWriter()
        var sink = ByteArraySink()
        writer.string(string, into: &sink)
        #expect(String(decoding: sink.bytes, as: UTF8.self) == "\"\(expected)\"")
        let index = try JSONIndex(sink.bytes.span)
        #expect(index.string(index.root, in: sink.bytes.span) == string)
    }

    @Test("writes bytes that are not UTF-8 so that they can be read back")
    func rawBytes() throws {
        let bytes: [UInt8] = [0x61, 0x80, 0xC3, 0xA9, 0xC3, 0xED, 0xA0, 0x80, 0xFF]
        var writer = JSONWriter()
        var sink = ByteArraySink()
        writer.string(bytes.span, into: &sink)
        let text = sink.bytes
        #expect(
            String(decoding: text, as: UTF8.self) == #""a\udc80é\udcc3\udced\udca0\udc80\udcff""#
        )
        let index = try JSONIndex(text.span, limits: .init(byteEscapes: true))
        let count = JSONIndex.unescapedCount(of: index.root, in: text.span)
        let read = [UInt8](capacity: count) {
            JSONIndex.unescape(index.root, in: text.span, into: &$0)
        }
        #expect(read == bytes)
    }

    @Test(
        "copies a value without its white space",
        arguments: [
            (
                " { \"a b\" : [ 1.50 ,\r\n\t-2e+5 ] , \"c\" : { } } ",
                #"{"a b":[1.50,-2e+5],"c":{}}"#
            ),
            (#"[ "a \" b" , "\\" , " \/ \u0020 " ]"#, #"["a \" b","\\"," \/ \u0020 "]"#),
            (" \"é \" ", "\"é \""), (" null ", "null"), ("12", "12"),
        ]
    )
    func compact(source: String, expected: String) throws {
        let text = Array(source.utf8)
        let index = try JSONIndex(text.span)
        var writer = JSONWriter()
        var sink = ByteArraySink()
        writer.beginArray(into: &sink)
        writer.compact(index.root, in: text.span, into: &sink)
        writer.compact(index.root, in: text.span, into: &sink)
        writer.endArray(into: &sink)
        #expect(String(decoding: sink.bytes, as: UTF8.self) == "[\(expected),\(expected)]")
    }
}
