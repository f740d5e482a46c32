// fuzz seeds FOLDER: writes the seeds of every target.
// fuzz mutate TARGET COUNT NUMBER: runs a target on COUNT altered seeds, always the same ones for a NUMBER.
// fuzz TARGET [OPTION...]: runs libFuzzer with its options on one target; `make fuzz` builds and
// runs all. A copy of the program with the name of a target runs that target, as OSS-Fuzz requires.

import CLibFuzzer
import Foundation
import FuzzTargets

var words = CommandLine.arguments
// The target that the name of the program states.
let namedTarget = FuzzTarget(rawValue: URL(filePath: words[0]).lastPathComponent)
if let namedTarget { words.insert(namedTarget.rawValue, at: 1) }
guard words.count > 1 else {
    print("fuzz seeds FOLDER, fuzz mutate TARGET COUNT NUMBER, or one of")
    print(FuzzTarget.allCases.map(\.rawValue))
    exit(2)
}
if words[1] == "seeds", words.count == 3 {
    for target in FuzzTarget.allCases {
        let folder = URL(filePath: words[2]).appending(path: target.rawValue)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, seed) in try FuzzSeeds.of(target).enumerated() {
            try Data(seed).write(to: folder.appending(path: "seed-\(number)"))
        }
    }
    exit(0)
}
if words[1] == "mutate", words.count == 5, let target = FuzzTarget(rawValue: words[2]),
    let count = Int(words[3]), let number = UInt64(words[4])
{
    var mutations = try Mutations(of: target, number: number)
    for index in 0..<count {
        let input = mutations.next()
        guard let fault = target.fault(of: input) else { continue }
        print("input \(index): \(fault): \(Data(input).base64EncodedString())")
        exit(1)
    }
    print("\(count) altered inputs of \(target.rawValue): no fault")
    exit(0)
}

#if FUZZING
    nonisolated(unsafe) var target = FuzzTarget(rawValue: words[1]) ?? .envelope

    /// The function by whose name OSS-Fuzz recognizes a fuzz target.
    @_cdecl("LLVMFuzzerTestOneInput")
    func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
        let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
        if let fault = unsafe target.fault(of: input) { fatalError(fault) }
        return 0
    }

    /// Returns what LeakSanitizer ignores: Swift's runtime keeps the name of each type that is printed.
    @_cdecl("__lsan_default_suppressions")
    func leakSuppressions() -> UnsafePointer<UInt8> {
        let text: StaticString = "leak:swift_getTypeName"
        return unsafe text.utf8Start
    }

    // libFuzzer takes the word before its options as the name of the program.
    let skipped = namedTarget == nil ? 1 : 0
    var count = CommandLine.argc - Int32(skipped)
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
        unsafe CommandLine.unsafeArgv + skipped
    let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        unsafe testOneInput(data, size)
    }
    exit(status)
#else
    print("built without libFuzzer; make fuzz builds it with")
    exit(2)
#endif
