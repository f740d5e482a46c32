import ApplePayTokenTesting
import Foundation

/// Invented domain association files in the two forms that Apple's have.
enum DomainFiles {
    /// Returns the file of a merchant: CMS with a JSON object, in lines of base64 with the URL alphabet.
    static func merchant(_ domain: String, date: String = "2026-04-13,07:40:03") -> String {
        let object =
            #"{"teamId":"TEAM123456","domain":"\#(domain)","dateCreated":"\#(date)","version":1}"#
        let content = ASN1Element.sequence([
            .objectIdentifier(.data), .context(0, [.octetString(Array(object.utf8))]),
        ])
        // The certificates and the signature are not read.
        let certificates = ASN1Element.context(0, octets: [UInt8](repeating: 0xFB, count: 3000))
        let signedData = ASN1Element.sequence([
            .integer([1]), .set([]), content, certificates, .set([]),
        ])
        let der = ASN1Element.sequence([
            .objectIdentifier(.signedData), .context(0, [signedData]),
        ]).encoded
        let base64 = Data(der).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        return stride(from: 0, to: base64.count, by: 75).map { start in
            base64.dropFirst(start).prefix(75) + "\n"
        }.joined()
    }

    /// The JSON object in the file of a payment platform.
    static let platformObject =
        #"{"pspId":"\#(String(repeating: "AB", count: 32))","version":1,"createdOn":1715203366385,"#
        + #""signature":"\#(String(repeating: "30", count: 500))"}"#

    /// The file of a payment platform: its JSON object in hexadecimal digits.
    static let platform = platformObject.utf8.map { String(format: "%02X", $0) }.joined()
}
