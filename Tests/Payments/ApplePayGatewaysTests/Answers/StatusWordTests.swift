import ApplePayGateways
import ApplePayToken
import TestVectors
import Testing

@Suite("A gateway's word for the status")
struct StatusWordTests {
    @Test(
        "decides the outcome, and an undocumented word is unknown whatever else is stated",
        arguments: GatewaySuites.statusWords)
    func words(_ words: StatusWords) throws {
        for (vector, word, state) in words.cases {
            let reading = try vector.read()
            #expect(reading.state == state, "\(vector.id) \(reading.reason ?? "")")
            if reading.state == "unknown" { #expect(reading.reason != nil, "\(word)") }
            // A page or an order has a status word in addition to that of its payment.
            let isOnly = words.step != "hosted-page-status" && words.gateway != "paypal"
            if isOnly, reading.report?.fault == nil {
                #expect(reading.report?.status == word, "\(vector.id)")
            }
        }
    }
}
