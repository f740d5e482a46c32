import FuzzTargets

/// Seeds of a fuzz target with random changes; the same number always gives the same inputs.
struct Mutations {
    /// Texts that change how an HTTP answer, JSON or DER is read.
    private static let texts = [
        "\r\n", "\n", "\r\n\r\n", " ", ":", ";", "0", "00000000", "-1", "9223372036854775808",
        "8000000000000000\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n", "Content-Encoding: gzip\r\n", "HTTP/1.1 100 Go\r\n\r\n",
        "HTTP/1.1 200 OK\r\n", "\"", "\\u0000", "{", "[", "\0", "\u{FF}", "\u{301}\u{323}",
        "\\u0301",
        "\u{200D}", "\u{212A}", "\u{E9}", "e\u{301}", "+5\r\n", "0x5\r\n", "5;a=b\r\n",
    ].map { Array($0.utf8) }

    private let seeds: [[UInt8]]
    private var state: UInt64

    init(of target: FuzzTarget, number: UInt64) throws {
        seeds = try FuzzSeeds.of(target)
        state = number
    }

    /// Returns the next input: a seed with 1 to 6 changes.
    mutating func next() -> [UInt8] {
        var input = seeds[random(seeds.count)]
        for _ in 0...random(6) { change(&input) }
        return input
    }

    private mutating func change(_ input: inout [UInt8]) {
        let place = random(input.count + 1)
        let end = min(input.count, place + 1 + random(16))
        switch random(6) {
        case 0 where place < input.count: input[place] ^= 1 << random(8)
        case 1 where place < input.count: input[place] = UInt8(random(256))
        case 2: input.removeSubrange(place..<end)
        case 3: input.insert(contentsOf: input[place..<end], at: place)
        case 4:
            let other = seeds[random(seeds.count)]
            input = Array(input[..<place]) + other[random(other.count + 1)...]
        default: input.insert(contentsOf: Self.texts[random(Self.texts.count)], at: place)
        }
    }

    /// Returns a number below `count` (SplitMix64).
    private mutating func random(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(count))
    }
}
