internal import Glibc

/// Searches all of this process's readable memory for bytes.
package enum ProcessMemory {
    /// The number of bytes read at a time.
    private static let chunkCount = 1 << 20

    /// Counts the occurrences of some byte strings.
    ///
    /// - Parameter inverted: The byte strings with every bit inverted, so that the search does not
    ///   itself put them into memory. Each has 1 to 4096 bytes.
    /// - Returns: The number of occurrences of each; nil if the memory cannot be read.
    package static func occurrences(ofInverted inverted: [[UInt8]]) -> [Int]? {
        // The bytes read and the string searched for are on separate pages, which the search
        // skips.
        let scratchCount = chunkCount + 3 * 4096
        let mapped = unsafe mmap(
            nil, scratchCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let scratch = unsafe mapped, unsafe scratch != MAP_FAILED else { return nil }
        defer { unsafe munmap(scratch, scratchCount) }
        let needle = unsafe scratch + chunkCount + 2 * 4096
        let memory = unsafe open("/proc/self/mem", O_RDONLY)
        guard memory >= 0, let regions = regions() else { return nil }
        defer { close(memory) }
        let scratchStart = UInt(bitPattern: scratch)
        var counts = [Int](repeating: 0, count: inverted.count)
        for region in regions
        where region.upperBound <= scratchStart
            || region.lowerBound >= scratchStart + UInt(scratchCount)
        {
            var position = region.lowerBound
            while position < region.upperBound {
                let wanted = min(region.upperBound - position, UInt(chunkCount + 4096))
                let read = unsafe pread(
                    memory, scratch, Int(wanted), off_t(truncatingIfNeeded: position))
                guard read > 0 else { break }  // Pages such as [vvar] cannot be read.
                // The next chunk covers matches that begin in the last 4096 bytes.
                let isLast = position + UInt(read) >= region.upperBound || read <= chunkCount
                let fresh = isLast ? read : chunkCount
                for (index, bytes) in inverted.enumerated() {
                    for offset in bytes.indices {
                        unsafe needle.storeBytes(
                            of: ~bytes[offset], toByteOffset: offset, as: UInt8.self)
                    }
                    var start = 0
                    // Swift cannot import memmem(3), so search for the first byte and compare the
                    // rest.
                    while start < fresh,
                        let found = unsafe memchr(
                            scratch + start, Int32(needle.load(as: UInt8.self)), fresh - start)
                    {
                        let offset = unsafe found - UnsafeMutableRawPointer(scratch)
                        if offset + bytes.count <= read,
                            unsafe memcmp(found, needle, bytes.count) == 0
                        {
                            counts[index] += 1
                        }
                        start = offset + 1
                    }
                    unsafe memset(needle, 0, bytes.count)
                }
                position += UInt(fresh)
            }
        }
        return counts
    }

    /// Returns the readable address ranges (proc(5), /proc/pid/maps).
    private static func regions() -> [Range<UInt>]? {
        guard let file = unsafe fopen("/proc/self/maps", "r") else { return nil }
        defer { unsafe fclose(file) }
        var regions: [Range<UInt>] = []
        var line = [CChar](repeating: 0, count: 4352)
        while unsafe fgets(&line, Int32(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ", maxSplits: 2)
            let ends = fields.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            guard fields.count > 1, ends.count == 2, fields[1].hasPrefix("r"), ends[0] < ends[1]
            else { continue }
            regions.append(ends[0]..<ends[1])
        }
        return regions
    }
}
