extension UInt64 {
    /// Eight octets as one number, the first lowest.
    ///
    /// Inlined, the compiler makes one load of eight bytes of it, with one check of the bounds.
    @inlinable @inline(__always)
    package init(octets: Span<UInt8>) {
        self = 0
        for index in 0..<8 { self |= UInt64(octets[index]) << UInt64(8 * index) }
    }
}

extension InlineArray where Element == UInt8 {
    /// Returns whether these octets, such as an object identifier, equal others.
    ///
    /// Eight octets are compared as one number, since every algorithm and attribute has its name compared.
    @inlinable
    package func equals(_ other: Span<UInt8>) -> Bool {
        guard other.count == count else { return false }
        let octets = span
        var offset = 0
        while count - offset >= 8 {
            let part = offset..<offset + 8
            let isEqual =
                UInt64(octets: other.extracting(part)) == UInt64(octets: octets.extracting(part))
            guard isEqual else { return false }
            offset += 8
        }
        for index in offset..<count where other[index] != octets[index] { return false }
        return true
    }
}
