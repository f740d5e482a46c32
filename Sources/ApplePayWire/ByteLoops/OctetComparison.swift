extension UInt64 {
    /// Eight octets as one number, the first lowest.
    ///
    /// Inlined, and then one load of eight bytes to the compiler, behind one look at the bounds.
    @inlinable @inline(__always)
    package init(octets: Span<UInt8>) {
        self = 0
        for index in 0..<8 { self |= UInt64(octets[index]) << UInt64(8 * index) }
    }
}
