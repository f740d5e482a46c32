import ApplePayGateways
import ApplePayOrderPrograms
import ApplePayOtherGateways
import ApplePayPrograms
import ApplePayTokenTesting
import Foundation
import TestVectors

@testable import paytoken

/// Gateway files and an order file.
enum GatewayFiles {
    /// A gateway file for each gateway, which has its secrets in a file and waits for live payments, and `order.json`.
    static func with<Result>(
        _ files: [String: String] = [:], _ body: (String) throws -> Result
    ) throws -> Result {
        try KeyFolder.with(["secret": "dG9wLXNlY3JldA==\n"]) { folder in
            let secret = #"{"file":"\#(folder)/secret"}"#
            var all = accounts.mapValues { $0.replacing("SECRET", with: secret) }
            all["order.json"] = #"{"reference":"order-1","amount":3000,"currency":"EUR"}"#
            for (name, text) in all.merging(files, uniquingKeysWith: { $1 }) {
                let text = text.replacing("SECRET", with: secret).replacing("FOLDER", with: folder)
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            return try body(folder)
        }
    }

    /// The files of all gateways; SECRET is a secret.
    ///
    /// A gateway without a file in the list below has its declared example, for live payments.
    static let accounts: [String: String] = {
        let examples = DeclaredGateway.all.map { gateway in
            let example = MemberJSON.example(gateway.members)
                .replacing(/\{"env":"\w+"\}/, with: "SECRET")
                .replacing(#""environment": "test""#, with: #""environment": "live""#)
            return ("\(gateway.name).json", example)
        }
        return written.merging(examples) { written, _ in written }
    }()

    private static let written: [String: String] = [
        "worldline-direct.json": worldline("direct"),
        "worldline-connect.json": worldline("connect"),
        "bepaid.json": bePaid("live"), "bepaid-test.json": bePaid("test"),
        "dintero.json":
            #"{"gateway":"dintero","environment":"live","account":{"accountId":"P00000000"},"#
            + #""credentials":{"clientId":"c","clientSecret":SECRET}}"#,
        "rbs.json":
            #"{"gateway":"rbs","environment":"live","origin":"https://bank.example","account":{"identifier":"s"},"credentials":{"userName":"u","password":SECRET}}"#,
        "intergiro.json":
            #"{"gateway":"intergiro","environment":"live","credentials":{"apiKey":SECRET}}"#,
        "cybersource.json": cyberSource(""), "checkout.json": checkout(""),
        "adyen.json":
            #"{"gateway":"adyen","environment":"test","account":{"merchantAccount":"S"},"credentials":{"apiKey":SECRET}}"#,
        "paypal.json":
            #"{"gateway":"paypal","environment":"live","account":{"identifier":"s"},"credentials":{"clientId":"c","clientSecret":SECRET}}"#,
    ]

    private static func worldline(_ platform: String) -> String {
        #"{"gateway":"worldline-\#(platform)","environment":"live","account":{"merchantId":"m-1"},"#
            + #""credentials":{"apiKeyId":"k","secretApiKey":SECRET}}"#
    }

    private static func bePaid(_ environment: String) -> String {
        #"{"gateway":"bepaid","environment":"\#(environment)","account":{"shopId":"361"},"credentials":{"secretKey":SECRET}}"#
    }

    /// A file of CyberSource with more members.
    static func cyberSource(_ members: String) -> String {
        #"{"gateway":"cybersource","environment":"live","account":{"merchantId":"m"},"#
            + #""credentials":{"keyId":"k","sharedSecret":SECRET}\#(members)}"#
    }

    /// A file of Checkout.com with more members.
    static func checkout(_ members: String) -> String {
        #"{"gateway":"checkout","environment":"live","account":{"identifier":"s"},"credentials":{"secretKey":SECRET}\#(members)}"#
    }
}
