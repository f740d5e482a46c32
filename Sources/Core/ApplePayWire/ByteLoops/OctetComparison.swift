extension UInt64 {
    /// Creates one number from eight octets, with the first octet as the lowest byte.
    ///
    /// When this is inlined, the compiler turns it into one load of eight bytes with one bounds check.
    @inlinable @inline(__always)
    package init(octets: Span<UInt8>) {
        self = 0
        for index in 0..<8 { self |= UInt64(octets[index]) << UInt64(8 * index) }
    }
}

extension InlineArray where Element == UInt8 {
    /// Returns whether these octets, such as an object identifier, equal others.
    ///
    /// Eight octets are compared at a time, because every algorithm and attribute is compared by name.
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
