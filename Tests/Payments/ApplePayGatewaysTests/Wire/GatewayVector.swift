import Foundation
import TestVectors

/// The vectors of TestVectors/gateways: requests as text.
enum GatewayVector {
    /// Returns the request of the vector with this name.
    static func request(_ name: String) throws -> String {
        let file = TestVectors.directory.appending(path: "gateways/\(name).http")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Returns the names of all vectors, without their file extension.
    static func names() throws -> [String] {
        let folder = TestVectors.directory.appending(path: "gateways")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".http") }.map { String($0.dropLast(5)) }.sorted()
    }
}
