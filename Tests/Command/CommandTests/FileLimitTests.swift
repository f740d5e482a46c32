import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayPrimitives
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import Testing

@testable import paytoken

@Suite("The limits of files")
struct FileLimitTests {
    /// Sets the length of a file that consists of zeros.
    private func resize(_ path: String, _ length: Int) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
    }

    @Test("are the documented ones, and a file with one byte more is refused")
    func limits() throws {
        try KeyFolder.with(["file": ""]) { folder in
            let path = "\(folder)/file"
            let token = try TokenOptions(Arguments([], TokenOptions.options), path: path)
            let rows: [(limit: Int, read: () throws -> Void)] = [
                (4_194_304, { _ = try token.text() }),
                (65_536, { _ = try TrustAnchor.read(path) }),
                (
                    16_777_216,
                    {
                        _ = try TokenOptions(
                            Arguments(["--crl", path], TokenOptions.options), path: "-")
                    }
                ),
                (262_144, { _ = try OrderFile.order(path) }),
                (262_144, { _ = try GatewayFile.account(path) }),
            ]
            for (limit, read) in rows {
                try resize(path, limit + 1)
                let failure = #expect(throws: CommandFailure.self) { try read() }
                #expect(
                    failure?.message == "\(path) is larger than \(limit) bytes; name another file.")
                #expect(failure?.status == .means)
            }
        }
    }

    @Test("include that of a file with a secret, whose member is named")
    func secret() throws {
        let account =
            #"{"gateway":"checkout","environment":"test","account":{"identifier":"s"},"credentials":{"secretKey":{"file":"FOLDER/s"}}}"#
        try GatewayFiles.with(["shop.json": account, "s": ""]) { folder in
            try resize("\(folder)/s", 65_537)
            let failure = #expect(throws: CommandFailure.self) {
                try GatewayFile.account("\(folder)/shop.json")
            }
            #expect(
                failure?.message.contains(
                    "its member credentials.secretKey names a file that cannot be used: \(folder)/s is larger than "
                        + "65536 bytes; correct this, or name another file.") == true,
                "\(failure?.message ?? "")")
            try resize("\(folder)/s", 65_536)
            #expect(throws: Never.self) { try GatewayFile.account("\(folder)/shop.json") }
        }
    }

    @Test("permit files of exactly that length")
    func reached() throws {
        try KeyFolder.with(["file": ""]) { folder in
            let path = "\(folder)/file"
            try resize(path, 4_194_304)
            let token = try TokenOptions(Arguments([], TokenOptions.options), path: path)
            #expect(try token.text().count == 4_194_304)
            try resize(path, 262_144)
            let order = #expect(throws: CommandFailure.self) { try OrderFile.order(path) }
            #expect(order?.message.hasPrefix("\(path) is not an order") == true)
        }
    }
}
