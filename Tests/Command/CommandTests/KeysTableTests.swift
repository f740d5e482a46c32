import ApplePayTokenTesting
import Foundation
import TestVectors
import Testing

@Suite("The table of keys")
struct KeysTableTests {
    /// Creates a folder with merchant one's and an expired key and certificate, and two keys alone.
    private func list(_ time: String, _ options: [String] = []) throws -> String {
        func text(_ names: String...) throws -> String {
            try names.map {
                try String(contentsOf: TestVectors.keys.appending(path: $0), encoding: .utf8)
            }.joined()
        }
        let files = try [
            "one.pem": text("one.key.pem", "one.cert.pem"), "two.pem": text("two.key.pem"),
            "past.pem": text("past.key.pem", "past.cert.pem"), "three.pem": text("three.key.pem"),
        ]
        return try KeyFolder.with(files) { folder in
            let run = try Command(["keys", "list", "--keys", folder, "--at", time] + options)
            #expect(run.status == 0)
            return run.output.replacing(folder, with: "FOLDER")
        }
    }

    private static let soon = "ENDS SOON: create and activate its successor"
    private static let expired =
        "EXPIRED: Apple no longer encrypts to it; it decrypts only older tokens"

    @Test(
        "has a row for each key, with a warning from 30 days before its certificate's end on",
        arguments: [
            ("2027-09-01T00:00:00Z", " 30         FOLDER/one.pem", "-1065"),
            ("2027-09-01T00:00:01Z", " 29         FOLDER/one.pem    \(soon)", "-1066"),
            ("2027-10-01T00:00:00Z", " 0          FOLDER/one.pem    \(soon)", "-1095"),
            ("2027-10-01T00:00:01Z", " -1         FOLDER/one.pem    \(expired)", "-1096"),
        ])
    func rows(_ time: String, _ one: String, _ past: String) throws {
        let table = """
            publicKeyHash                                 merchant               kind      ends                  days left  file
            BQtf8YHDjBNoZV0mERkyKA03hlG3vFB3jl+uLxiqcHw=  unknown                EC P-256  awaiting certificate             FOLDER/three.pem
            CRCLnBLPl2XVkLKbsEK0dajBqTa/NAY6hSo5u6DFJuo=  unknown                RSA 2048  no certificate                   FOLDER/two.pem
            aluDJiMkv1U+dJ4PZk2cCExJgU+q1MaPwz1QVzKlEl4=  merchant.example.one   EC P-256  2027-10-01           \(one)
            mdPzadMpC6EOQQjrNeSR5Evl8wxXe6ieNfCg9nEPVbI=  merchant.example.past  EC P-256  2024-10-01            \(past)      FOLDER/past.pem   \(Self.expired)

            """
        #expect(try list(time) == table)
    }

    @Test("is an array of objects for machines")
    func json() throws {
        let array =
            #"[{"publicKeyHash":"BQtf8YHDjBNoZV0mERkyKA03hlG3vFB3jl+uLxiqcHw=","kind":"EC P-256","#
            + #""status":"awaiting-certificate","source":"FOLDER/three.pem"},"#
            + #"{"publicKeyHash":"CRCLnBLPl2XVkLKbsEK0dajBqTa/NAY6hSo5u6DFJuo=","kind":"RSA 2048","#
            + #""status":"ready","source":"FOLDER/two.pem"},"#
            + #"{"publicKeyHash":"aluDJiMkv1U+dJ4PZk2cCExJgU+q1MaPwz1QVzKlEl4=","#
            + #""merchantIdentifier":"merchant.example.one","#
            + #""merchantIdentifierHash":"835d66efc94d7fe63d75521f58fa8a4403113732c114e5826210c78f791a6069","#
            + #""kind":"EC P-256","status":"ready","notBefore":"2025-09-01T00:00:00Z","#
            + #""notAfter":"2027-10-01T00:00:00Z","daysLeft":29,"source":"FOLDER/one.pem"},"#
            + #"{"publicKeyHash":"mdPzadMpC6EOQQjrNeSR5Evl8wxXe6ieNfCg9nEPVbI=","#
            + #""merchantIdentifier":"merchant.example.past","#
            + #""merchantIdentifierHash":"51e423e199d57c90f48c22276ba08b08d6fd8dc1dda98ad82e1bb620e50c6bb8","#
            + #""kind":"EC P-256","status":"ready","notBefore":"2022-09-01T00:00:00Z","#
            + #""notAfter":"2024-10-01T00:00:00Z","daysLeft":-1066,"source":"FOLDER/past.pem"}]"#
        #expect(try list("2027-09-01T00:00:01Z", ["--json"]) == array + "\n")
    }
}
