package import FoundationEssentials

/// The times that a correct clock can show while this version is in use.
package enum PlausibleTime {
    /// The first one: 2026-01-01T00:00:00Z.
    package static let earliest = Date(timeIntervalSince1970: 1_767_225_600)

    /// The last second of Apple Root CA - G3: 2039-04-30T18:19:06Z.
    ///
    /// Source: the certificate at https://www.apple.com/certificateauthority/.
    package static let latest = Date(timeIntervalSince1970: 2_187_800_346)
}
