internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayToken
internal import FoundationEssentials

/// The checks of the machine: OpenSSL, its legacy provider, the clock, and Apple's certificates.
struct SystemCheckup {
    /// The time to judge.
    let now: Date

    /// The results.
    var findings: [Finding] {
        [
            openSSL, legacyProvider, clock,
            Self.synchronization(SystemClock.isSynchronized), intermediate,
        ]
    }

    private var openSSL: Finding {
        do {
            _ = try PaymentTokenVerifier()
            guard FIPSMode.isRequired || !FIPSMode.isProviderActive else {
                return Finding(
                    .warning, "openssl",
                    "\(Version.library): a FIPS provider is active, but other algorithms are not forbidden",
                    advice:
                        "If only FIPS algorithms are permitted, add `default_properties = fips=yes` to OpenSSL's configuration (fips_module(7))."
                )
            }
            let limit = FIPSMode.isRequired ? ", with FIPS algorithms only" : ""
            return Finding(
                .passed, "openssl", "\(Version.library)\(limit); Apple Root CA - G3 is usable")
        } catch {
            return Finding(
                .failed, "openssl", "\(Version.library): \(error.description)",
                advice: FIPSMode.isRequired
                    ? "OpenSSL's configuration allows only FIPS algorithms: correct it until `openssl list -providers` lists a FIPS "
                        + "provider and the base provider." : error.code.advice)
        }
    }

    private var legacyProvider: Finding {
        let name = "legacy-provider"
        guard !FIPSMode.isRequired else {
            return Finding(
                .passed, name,
                "not used, because OpenSSL's configuration allows only FIPS algorithms; .p12 files from Keychain must be "
                    + "converted"
            )
        }
        do {
            guard try LegacyProvider.isInstalled() else {
                // The checks of keys fail if one of them needs it.
                return Finding(
                    .passed, name,
                    "missing; only .p12 files with RC2-40, as Keychain writes them, need it (in Debian 13 the package "
                        + "openssl-provider-legacy)"
                )
            }
            return Finding(.passed, name, "installed; .p12 files from Keychain can be read")
        } catch {
            return Finding(
                .failed, name, "libcrypto failed while it was loaded", advice: "Check the memory.")
        }
    }

    private var clock: Finding {
        let time = now.internetTime
        guard now >= PlausibleTime.earliest else {
            return Finding(
                .failed, "clock", "\(time) is before this version of paytoken existed",
                advice:
                    "Set the clock, and let chrony or systemd-timesyncd correct it: timedatectl set-ntp true."
            )
        }
        guard now <= PlausibleTime.latest else {
            return Finding(
                .failed, "clock", "\(time) is after the end of Apple Root CA - G3",
                advice: "Set the clock, or install a newer version of paytoken.")
        }
        return Finding(.passed, "clock", "\(time) is plausible")
    }

    /// Judges what the kernel answers: 1 if the clock is synchronized, 0 if it is not, and -1 if that is unknown.
    static func synchronization(_ isSynchronized: Bool?) -> Finding {
        let name = "synchronization"
        return switch isSynchronized {
        case true: Finding(.passed, name, "the kernel reports a synchronized clock")
        case false:
            Finding(
                .warning, name, "the kernel does not report a synchronized clock",
                advice:
                    "Run chrony or systemd-timesyncd, for example with timedatectl set-ntp true: tokens are refused if "
                    + "the clock is wrong by five minutes."
            )
        case nil:
            Finding(.warning, name, "the kernel does not report whether the clock is synchronized")
        }
    }

    /// Judges whether the servers of gateways and of Apple can be trusted, which needs the system's authorities.
    static func authorities(_ areInstalled: Bool) -> Finding {
        let name = "authorities"
        guard areInstalled else {
            return Finding(
                .failed, name,
                "this system has no file with certificate authorities, so no request can be sent",
                advice:
                    "Install the package ca-certificates; if it is installed, `update-ca-certificates`, as root, writes "
                    + "the file again.")
        }
        return Finding(.passed, name, "the system's certificate authorities can be read")
    }

    private var intermediate: Finding {
        let end = CertificateEnd(end: CertificateEnd.appleIntermediate, now: now)
        let text =
            "Apple Application Integration CA - G3 \(end.text)"
        guard end.isSoon else { return Finding(.passed, "apple-intermediate", text) }
        return Finding(
            .warning, "apple-intermediate", text,
            advice: "Make sure that this version accepts a token that comes with its successor.")
    }
}
