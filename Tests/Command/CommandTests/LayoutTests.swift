import Foundation
import TestVectors
import Testing

@Suite("The sources")
struct LayoutTests {
    /// The groups, from the lowest to the highest.
    private static let groups = [
        "Core", "Network", "Payments", "Programs", "Service", "Command", "Testing",
    ]

    private static let sources = TestVectors.directory.deletingLastPathComponent()
        .appending(path: "Sources")

    /// The Swift files of Sources: the position of each file's group, its path, and its text.
    private static func files() throws -> [(group: Int, path: String, text: String)] {
        try FileManager.default.subpathsOfDirectory(atPath: sources.path())
            .filter { $0.hasSuffix(".swift") }
            .map { path in
                let folder = path.prefix { $0 != "/" }
                let group = try #require(groups.firstIndex(of: String(folder)), "\(path)")
                let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
                return (group, path, text)
            }
    }

    private static func module(_ path: String) -> String {
        String(path.split(separator: "/")[1])
    }

    @Test("import modules of their own group and of lower ones only")
    func imports() throws {
        let files = try Self.files()
        let groups = Dictionary(
            files.map { (Self.module($0.path), $0.group) }, uniquingKeysWith: { first, _ in first })
        var count = 0
        for file in files {
            for line in file.text.matches(of: /(?m)^[^\/\n]*\bimport (\w+)$/) {
                guard let group = groups[String(line.1)] else { continue }
                count += 1
                #expect(group <= file.group, "\(file.path) imports \(line.1)")
            }
        }
        #expect(count > 300)
    }

    @Test("of the core use no type and no word of the groups above it")
    func core() throws {
        let declared =
            /(?m)^ *(?:[a-z@]+(?:\([^)]*\))? )*(?:struct|enum|protocol|class|typealias) (\w+)/
        var (own, above): (Set<Substring>, Set<Substring>) = ([], [])
        let files = try Self.files()
        for file in files where Self.groups[file.group] != "Testing" {
            let names = file.text.matches(of: declared)
            if file.group == 0 {
                own.formUnion(names.map(\.1))
            } else {
                above.formUnion(names.filter { !$0.0.hasPrefix(" ") }.map(\.1))
            }
        }
        above.subtract(own)
        #expect(above.count > 200)
        for file in files where file.group == 0 {
            for line in file.text.split(separator: "\n")
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let words = line.matches(of: /\b[A-Z]\w+/).map(\.0)
                #expect(above.isDisjoint(with: words), "\(file.path): \(line)")
                #expect(
                    !line.contains(/(?i)\b(?:ledger|gateway|paytoken)/), "\(file.path): \(line)")
            }
        }
    }

    @Test("contain unsafe code in the modules that wrap C, and nowhere else")
    func unsafeCode() throws {
        let permitted = [
            "Core/ApplePayPrimitives/", "Payments/ApplePaySQLite/", "Payments/ApplePayPostgreSQL/",
            "Network/ApplePayHTTPS/", "Programs/ApplePayPrograms/System/",
            "Service/paytokend/System/",
            "Command/paytoken/System/",
            "Testing/ApplePayTokenTestingPrimitives/",
        ]
        for file in try Self.files() where !permitted.contains(where: file.path.hasPrefix) {
            let lines = file.text.split(separator: "\n")
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            for line in lines {
                #expect(!line.contains(/\bunsafe [a-zA-Z(]/), "\(file.path): \(line)")
                #expect(!line.contains(/\bimport C[A-Z]/), "\(file.path): \(line)")
            }
        }
    }

    @Test("have long tests that integration-test or soak runs as a whole")
    func longTests() throws {
        let root = TestVectors.directory.deletingLastPathComponent()
        let makefile = try String(contentsOf: root.appending(path: "Makefile"), encoding: .utf8)
        let line = try #require(makefile.firstMatch(of: /(?m)^LONG_TESTS = (.*)$/)).1
        let tests = root.appending(path: "Tests")
        let users = try FileManager.default.subpathsOfDirectory(atPath: tests.path()).filter {
            guard $0.hasSuffix("Tests.swift"), !$0.hasSuffix("LayoutTests.swift") else {
                return false
            }
            return try String(contentsOf: tests.appending(path: $0), encoding: .utf8)
                .contains(/LongTest\.|SandboxAmount\.isTried/)
        }
        let names = users.compactMap { $0.split(separator: "/").last?.dropLast(".swift".count) }
        #expect(Set(names) == Set(line.split(separator: " ")))
    }
}
