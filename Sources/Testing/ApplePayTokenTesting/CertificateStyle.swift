internal import FoundationEssentials

extension TestPKI {
    /// The names in the certificates of a PKI, and the periods of their validity.
    package struct Style: Equatable, Sendable {
        /// The beginning of the names of authorities and organizations.
        let prefix: String

        /// The text before `ecc-smp-broker-sign` in a signer's name.
        let signerPrefix: String

        /// The last part of a signer's name.
        let environment: String

        /// The text before `Apple Pay Payment Processing` in a merchant's certificate.
        let merchantPrefix: String

        /// The organization of authorities and signers.
        let organization: String

        /// The team of merchants.
        let team: String

        /// The domain of the addresses in certificates, a reserved one without any servers (RFC 2606 §3).
        let host: String

        /// The first second of the validity of signers and merchants, or nil for periods as long as Apple's.
        let begin: Date?

        /// The last second of the validity of all certificates, or nil for periods as long as Apple's.
        let end: Date?

        /// The style of TestVectors/synthetic.
        package static let vectors = Style(
            prefix: "Mint", signerPrefix: "", environment: "UC4-MINT", merchantPrefix: "",
            organization: "Mint Example Inc.", team: "MINTTEAM01", host: "mint.example", begin: nil,
            end: nil)

        /// The style of PKIs for merchants' tests: every name contains `TEST`, and no certificate expires before 2049.
        package static let tests = Style(
            prefix: "TEST ONLY", signerPrefix: "TEST-ONLY-", environment: "UC4-TEST",
            merchantPrefix: "TEST ONLY ", organization: "TEST ONLY, not Apple Inc.",
            team: "TESTTEAM01", host: "test.example", begin: CivilTime.day(2014, 5, 6),
            end: CivilTime.day(2049, 12, 31))

        /// Returns a name in this style.
        func name(commonName: String, organizationalUnit: String) -> DistinguishedName {
            DistinguishedName(
                commonName: commonName, organizationalUnit: organizationalUnit,
                organization: organization)
        }
    }
}
