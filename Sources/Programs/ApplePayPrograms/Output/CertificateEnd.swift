package import FoundationEssentials

/// The remaining validity of a certificate that Apple issued.
package struct CertificateEnd {
    /// The number of days before expiry from which on the command warns of it.
    package static let warningDays = 180

    /// The last second of Apple's current intermediate certificate for token signers, Apple
    /// Application Integration CA - G3 (serial number 496D2FBF3A98DA97): 2029-05-06T23:46:30Z.
    ///
    /// Source: the certificate at https://www.apple.com/certificateauthority/.
    package static let appleIntermediate = Date(timeIntervalSince1970: 1_872_805_590)

    /// The last second of the validity.
    package let end: Date

    /// The time at which it is judged.
    package let now: Date

    /// Creates the validity that ends at a time, as judged at another.
    package init(end: Date, now: Date) {
        self.end = end
        self.now = now
    }

    /// Whole days until the end, rounded down: negative once the end has passed.
    package var daysLeft: Int { Int((end.timeIntervalSince(now) / 86_400).rounded(.down)) }

    /// Whether the end has passed.
    package var isPast: Bool { end < now }

    /// Whether the end is within ``warningDays`` or has passed.
    package var isSoon: Bool { end.timeIntervalSince(now) <= Double(Self.warningDays) * 86_400 }

    /// The end for people: `ends on 2029-05-06, in 120 days`.
    package var text: String {
        let day = end.internetTime.prefix(10)
        guard !isPast else { return "ended on \(day)" }
        return switch daysLeft {
        case 0: "ends on \(day), in less than a day"
        case 1: "ends on \(day), in 1 day"
        default: "ends on \(day), in \(daysLeft) days"
        }
    }
}
