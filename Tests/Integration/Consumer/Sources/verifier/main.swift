// Verifies a token on standard input with the core alone: no gateway, no ledger, no network.

import ApplePayToken
import Foundation

let text = FileHandle.standardInput.readDataToEndOfFile()
do {
    let verifier = try PaymentTokenVerifier()
    let token = try verifier.verify(PaymentToken(parsing: text))
    print("verified", token.identity.transactionId)
} catch {
    print("refused", error.code.rawValue)
}
