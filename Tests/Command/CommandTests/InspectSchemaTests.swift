import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The JSON of inspect")
struct InspectSchemaTests {
    private static let schemaFile = TestVectors.directory.appending(
        path: "schemas/inspect.schema.json")
    private static let stages = [
        "json", "field", "cms", "chain", "signature", "signing-time", "key-selection",
        "key-agreement", "decrypt", "payment-data",
    ]

    private let trust = ["--test-trust-anchor", TestVectors.root.path()]
    private let keys = ["--keys", TestVectors.keys.path()]

    /// Runs inspect, checks its output against the schema, and returns it.
    private func inspect(
        _ words: [String], input: String = "", status: Int32 = 0
    ) throws -> JSONTree {
        let run = try Command(["inspect", "--json"] + words, input: input)
        #expect(run.status == status)
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(try JSONSchema(contentsOf: Self.schemaFile).faults(run.output) == [])
        return try JSONDecoder().decode(JSONTree.self, from: Data(run.output.utf8))
    }

    /// Returns the results of the checks, by stage.
    private func results(_ inspection: JSONTree) -> [String] {
        let checks = inspection.members["checks"]?.elements ?? []
        #expect(checks.compactMap { $0.members["stage"]?.string } == Self.stages)
        return checks.compactMap { $0.members["result"]?.string }
    }

    @Test("follows the schema and stops at the library's check, for one token of each code")
    func refusals() throws {
        let refusals = try TestVectors.syntheticRefusals()
        var codes: Set<String> = []
        for vector in try TestVectors.syntheticCases() {
            // Standard input is a string here, which cannot contain malformed UTF-8.
            guard let text = String(validating: vector.token, as: UTF8.self),
                let code = refusals[vector.id], codes.insert(code).inserted
            else { continue }
            let time = Date.ISO8601FormatStyle().format(vector.now)
            let parts = code.split(separator: "/").map(String.init)
            let isReadable = parts[0] != "json" && parts[0] != "field"
            let inspection = try inspect(
                trust + keys + ["--at", time],
                input: text, status: isReadable ? 0 : 1)
            let members = inspection.members
            #expect(members["stage"]?.string == parts[0], "\(vector.id)")
            #expect(members["code"]?.string == parts[1], "\(vector.id)")
            let stop = try #require(Self.stages.firstIndex(of: parts[0]))
            let expected = Self.stages.indices.map {
                $0 < stop ? "passed" : $0 == stop ? "failed" : "not-reached"
            }
            #expect(results(inspection) == expected, "\(vector.id)")
            #expect((members["version"] != nil) == isReadable)
        }
        #expect(codes.count > 60)
    }

    @Test("has sizes, times and booleans as such, and the chain as an array")
    func members() throws {
        let path = TestVectors.appleSigned.appending(path: "bepaid-documented.json").path()
        let inspection = try inspect([path, "--at", "2020-02-19T08:27:00Z"])
        let members = inspection.members
        #expect(members["status"] == .string("ok"))
        #expect(members["ageSeconds"] == .number(24))
        #expect(members["signingTime"] == .string("2020-02-19T08:26:36Z"))
        #expect(members["signatureProven"] == .boolean(true))
        #expect(members["environment"] == .string("production"))
        #expect(members["sizes"]?.members["ephemeralPublicKey"] == .number(91))
        let roles = members["certificates"]?.elements.map { $0.members["role"]?.string }
        #expect(roles == ["signer", "intermediate"])
        let markers = members["certificates"]?.elements.map {
            $0.members["markers"]?.elements.compactMap(\.string)
        }
        #expect(markers == [["1.2.840.113635.100.6.29"], ["1.2.840.113635.100.6.2.14"]])
        let checks = results(inspection)
        #expect(checks == Self.stages.indices.map { $0 < 6 ? "passed" : "not-reached" })
        #expect(members["keys"] == nil)
    }

    @Test("has the masked payment of a token that its key decrypts, for both versions")
    func opened() throws {
        for id in ["valid/ec", "valid/rsa", "valid/extra-certificate"] {
            let vector = try #require(try TestVectors.syntheticCases().first { $0.id == id })
            let text = String(decoding: vector.token, as: UTF8.self)
            let time = ["--at", "2026-05-04T09:30:00Z"]
            let inspection = try inspect(trust + keys + time, input: text)
            #expect(results(inspection) == Self.stages.map { _ in "passed" })
            let found = inspection.members["keys"]?.members
            #expect(found?["finding"] == .string("opens"))
            #expect(found?["wantedIsLoaded"] == .boolean(true))
            let decrypted = try Command(["decrypt"] + trust + keys + time, input: text)
            let answer = try JSONDecoder().decode(
                JSONTree.self, from: Data(decrypted.output.utf8))
            #expect(inspection.members["paymentData"] == answer.members["paymentData"])
        }
    }

    @Test("names a wrong key, a key without its certificate, and one of another merchant")
    func keyFindings() throws {
        let demo = [TestVectors.demoToken.path(), "--any-age"] + trust
        func finding(_ words: [String]) throws -> [String: JSONTree] {
            try inspect(demo + words).members["keys"]?.members ?? [:]
        }
        let folder = TestVectors.keys.path() + "/"
        let wrong = try finding(["--keys", folder + "two.key.pem"])
        #expect(wrong["finding"] == .string("no-key-with-hash"))
        #expect(wrong["wantedIsLoaded"] == .boolean(false))
        let bare = try finding(["--keys", folder + "one.key.pem"])
        #expect(bare["finding"] == .string("key-unavailable"))
        #expect(bare["wantedIsLoaded"] == .boolean(true))
        let status = bare["loaded"]?.elements.map { $0.members["status"]?.string }
        #expect(status == ["awaiting-certificate"])
        let other = try finding(
            ["--keys", folder + "one.key.pem", "--merchant-id", "merchant.example.two"])
        #expect(other["finding"] == .string("does-not-open"))
    }

    @Test("is refused by the schema where a member is missing, unknown or of another type")
    func validator() throws {
        let schema = try JSONSchema(contentsOf: Self.schemaFile)
        let output = try Command(
            ["inspect", "--json", TestVectors.demoToken.path(), "--any-age"] + trust + keys
        ).output
        #expect(try schema.faults(output) == [])
        for (old, new, fault) in [
            (#""sizes":"#, #""lengths":"#, "$.sizes is missing"),
            (#""status":"ok""#, #""status":"error""#, "$.stage is missing"),
            (#""wantedIsLoaded":true"#, #""wantedIsLoaded":"yes""#, "keys.wantedIsLoaded is not"),
            (
                #""ephemeralPublicKey":91"#, #""ephemeralPublicKey":"91 bytes""#,
                "is not the constant"
            ),
            (#""signingTime":"2026"#, #""signingTime":"26"#, "$.signingTime does not match"),
            (#""role":"signer""#, #""role":"leaf""#, "certificates[0].role is not in the enum"),
            (#""unwrapped":["#, #""unwrapped":[1,"#, "$.unwrapped[0] is not of type string"),
        ] {
            let altered = output.replacing(old, with: new)
            #expect(altered != output)
            let faults = try schema.faults(altered.replacing("[1,]", with: "[1]"))
            #expect(faults.contains { $0.contains(fault) }, "\(faults)")
        }
    }
}
