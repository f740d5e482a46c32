import Testing

@testable import ApplePayWire

@Suite("Lengths of time in words")
struct ElapsedTimeTests {
    @Test(
        "have one or two units, rounded down",
        arguments: [
            (-1, "0 seconds"), (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"),
            (60, "1 minute"), (61, "1 minute and 1 second"), (300, "5 minutes"), (3_600, "1 hour"),
            (3_601, "1 hour"), (3_660, "1 hour and 1 minute"), (86_400, "1 day"),
            (90_000, "1 day and 1 hour"), (2_629_746, "1 month"), (31_556_952, "1 year"),
            (213_189_986, "6 years and 9 months"), (Int.max, "292277024626 years and 11 months"),
        ])
    func words(_ seconds: Int, _ text: String) {
        #expect(ElapsedTime.text(seconds: seconds) == text)
    }
}
