import FoundationEssentials

extension VectorBook {
    /// Adds tokens at the limits of the five minutes and beyond.
    func addSigningTimes() throws {
        let time = TestPKI.signingTime
        for (version, kind) in [(TokenVersion.ec, "ec"), (.rsa, "rsa")] {
            for age in [0, 299, 300, -300] {
                try accept(
                    "signing-time/\(kind)-\(age)", "used \(age) s after signing", version,
                    now: time + Double(age)
                )
            }
            for age in [301, 3600, 31_536_000, -301, -86_400] {
                try reject(
                    "signing-time/\(kind)-\(age)", "used \(age) s after signing", at: .signingTime,
                    version: version, now: time + Double(age)
                )
            }
        }
        try reject(
            "signing-time/generalized-301", "a GeneralizedTime of 301 s ago", at: .signingTime,
            now: time + 301
        ) {
            $0.cms.signer.setAttribute(.signingTime, .generalizedTime($0.signingTime))
        }
        let newYear = CivilTime.day(2027, 1, 1)
        try accept("signing-time/new-year", "the window crosses new year", now: newYear + 150) {
            $0.signingTime = newYear - 150
        }
        try reject(
            "signing-time/new-year-late", "too late across new year", at: .signingTime,
            now: newYear + 151
        ) {
            $0.signingTime = newYear - 150
        }
        let leapDay = CivilTime.day(2028, 2, 29)
        try accept("signing-time/leap-day", "on 29 February", now: leapDay + 60) {
            $0.signingTime = leapDay
        }
        try reject(
            "signing-time/century", "UTCTime 49 is 2049, not 1949", at: .signingTime, .chain
        ) {
            $0.cms.signer.setAttribute(.signingTime, .utcTime(text: "490504092930Z"))
        }
    }
}
