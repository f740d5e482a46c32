// make-vectors [TestVectors]: writes the folder synthetic inside the given folder.

import ApplePayTokenTesting
import Foundation

let folder = URL(filePath: CommandLine.arguments.dropFirst().first ?? "TestVectors")
    .appending(path: "synthetic")
for (path, bytes) in try SyntheticCorpus.files() {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
    )
    try Data(bytes).write(to: file)
}
