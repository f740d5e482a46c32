/// A change of one byte: every one of them for a kind, by number.
enum SingleByteEdit: String, CaseIterable {
    case substitution
    case deletion
    case insertion

    /// How many changes of this kind so many bytes have.
    func count(_ length: Int) -> Int {
        switch self {
        case .substitution: 255 * length
        case .deletion: length
        case .insertion: 256 * (length + 1)
        }
    }

    /// Returns the bytes with the change of a number below ``count(_:)``.
    func applied(_ number: Int, to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        switch self {
        case .substitution: bytes[number / 255] &+= UInt8(number % 255 + 1)
        case .deletion: bytes.remove(at: number)
        case .insertion: bytes.insert(UInt8(number % 256), at: number / 256)
        }
        return bytes
    }
}
