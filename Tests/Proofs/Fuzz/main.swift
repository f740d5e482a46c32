// fuzz seeds FOLDER: writes the seeds of every target.
// fuzz mutate TARGET COUNT NUMBER: runs a target on COUNT altered seeds, always the same ones for a NUMBER.
// fuzz TARGET [OPTION...]: runs libFuzzer with its options on one target; `make fuzz` builds and
// runs all.

import CLibFuzzer
import Foundation
import FuzzTargets

let words = CommandLine.arguments
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
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
        unsafe CommandLine.unsafeArgv + 1
    let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
        if let fault = unsafe target.fault(of: input) { fatalError(fault) }
        return 0
    }
    exit(status)
#else
    print("built without libFuzzer; make fuzz builds it with")
    exit(2)
#endif
