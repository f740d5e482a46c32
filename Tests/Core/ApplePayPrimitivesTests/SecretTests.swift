import Foundation
import Testing

@testable import ApplePayPrimitives

@Suite("Secrets")
struct SecretTests {
    /// Returns the address of the bytes, to read it again after they are freed.
    ///
    /// Reading freed memory is not valid in general. The test reads only bytes after those that
    /// the allocator overwrites, and allocates nothing in between.
    private func address(of bytes: Span<UInt8>) -> UnsafePointer<UInt8>? {
        unsafe bytes.withUnsafeBufferPointer { $0.baseAddress }
    }

    @Test(
        "are wiped when they are dropped",
        .disabled(if: isUnderSanitizer, "reading freed memory is what the sanitizer forbids"))
    func wiped() {
        var place: UnsafePointer<UInt8>?
        var before: UInt8 = 0
        do {
            let secret = SecretBytes(count: 256) { span in
                for index in span.indices { span[index] = 0xA5 }
            }
            secret.withSpan { bytes in
                unsafe place = address(of: bytes)
                before = bytes[128]
            }
        }
        let after = unsafe place.map { unsafe ($0[64], $0[128], $0[255]) }
        #expect(before == 0xA5)
        #expect(after?.0 == 0 && after?.1 == 0 && after?.2 == 0)
    }

    @Test(
        "are wiped when filling them fails",
        .disabled(if: isUnderSanitizer, "reading freed memory is what the sanitizer forbids"))
    func wipedOnFailure() {
        var place: UnsafePointer<UInt8>?
        do {
            _ = try SecretBytes(count: 256) { span throws(PrimitivesError) in
                for index in span.indices { span[index] = 0xA5 }
                unsafe place = span.withUnsafeMutableBufferPointer { buffer in
                    unsafe buffer.baseAddress.map { unsafe UnsafePointer($0) }
                }
                throw .authenticationFailed
            }
        } catch {
            #expect(error == .authenticationFailed)
        }
        let after = unsafe place.map { unsafe ($0[64], $0[128], $0[255]) }
        #expect(after?.0 == 0 && after?.1 == 0 && after?.2 == 0)
    }

    /// Whether the process contains a sanitizer's runtime.
    static let isUnderSanitizer = (["__asan_init", "__tsan_init"] as [String]).contains {
        name in
        unsafe dlsym(nil, name) != nil
    }

    @Test("show only their length")
    func masked() {
        let text = Array("4761120010000492".utf8)
        let sensitive = SensitiveBytes(SecretBytes(copying: text.span))
        var dumped = ""
        dump(sensitive, to: &dumped)
        for shown in ["\(sensitive)", String(reflecting: sensitive), dumped] {
            #expect(shown.contains("16 bytes, masked"))
            #expect(!shown.contains("4761"))
        }
        #expect(sensitive.revealText() == "4761120010000492")
    }

    @Test("share one buffer with their slices, which stay within its bounds")
    func parts() throws {
        let text = Array("0123456789".utf8)
        let sensitive = SensitiveBytes(SecretBytes(copying: text.span))
        let part = try #require(sensitive.slice(2..<8))
        #expect(part.revealText() == "234567")
        #expect(part.slice(1..<3)?.revealText() == "34")
        #expect(part.slice(0..<7) == nil)
        #expect(sensitive.slice(9..<11) == nil)
        #expect(sensitive.slice(-1..<2) == nil)
    }

    @Test("are kept completely when their buffer grows")
    func buffer() {
        var buffer = SecretBuffer()
        let text = Array(repeating: UInt8(ascii: "x"), count: 1000)
        for _ in 0..<10 {
            buffer.append(UInt8(ascii: "-"))
            buffer.append(text.span)
        }
        #expect(buffer.count == 10_010)
        let expected = String(repeating: "-" + String(repeating: "x", count: 1000), count: 10)
        #expect(buffer.sensitiveBytes().revealText() == expected)
    }

    @Test("stay the same when a copy of their buffer changes")
    func copies() {
        var buffer = SecretBuffer()
        buffer.append("a".utf8.span)
        var copy = buffer
        copy.append("b".utf8.span)
        buffer.append("c".utf8.span)
        copy.append(UInt8(ascii: "d"))
        #expect(buffer.sensitiveBytes().revealText() == "ac")
        #expect(copy.sensitiveBytes().revealText() == "abd")
    }
}
