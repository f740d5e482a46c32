internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import ApplePayWire

/// The checks of a domain association file: whether it can be one, and whether the shop serves the same bytes.
struct DomainFileCheckup {
    /// Where a shop serves the file.
    ///
    /// Source: Apple, *Preparing merchant domains for verification*. For some domains, Apple's portal shows an address
    /// that ends in `.txt`.
    private static let path = "/.well-known/apple-developer-merchantid-domain-association"

    /// Source: Apple, *Maintaining Your Environment*.
    private static let renewal =
        "Leave the file in place, and renew the domain's TLS certificate before it ends: the verification ends with it, "
        + "and must be done again in Apple's portal if the renewal was late."

    /// The file from Apple's portal.
    let downloaded: String

    /// The body that the shop sends for the file; nil if it is not given.
    let served: String?

    /// The results.
    var findings: [Finding] {
        do throws(CommandFailure) {
            let contents = try FileContents.bytes(of: downloaded, limit: DomainFile.limit)
            guard let served else { return [finding(contents)] }
            return [
                finding(contents),
                comparison(
                    served, try FileContents.bytes(of: served, limit: DomainFile.limit), contents),
            ]
        } catch {
            return [
                Finding(
                    .failed, "domain-file", error.message,
                    advice: [downloaded, served].compactMap(\.self).compactMap {
                        FileRemedy(path: $0, original: "FILE").advice
                    }.first ?? FileRemedy.correction)
            ]
        }
    }

    /// The command that replaces the file by a new download.
    private var install: String {
        FileRemedy.command(
            "install \(FileRemedy.backup) -m 644 DOWNLOAD \(downloaded.shellWord)", in: downloaded)
    }

    /// Judges whether the downloaded file can be a domain association file.
    private func finding(_ contents: [UInt8]) -> Finding {
        if let mistake = ServedFile.mistake(contents) {
            return Finding(
                .failed, "domain-file", "\(downloaded) \(mistake)",
                advice:
                    "Download the file from Apple's portal again, and do not open it in an editor: \(install)."
            )
        }
        guard let file = DomainFile(contents) else {
            return Finding(
                .warning, "domain-file",
                "\(downloaded) has neither of the known forms of a domain association file, which Apple "
                    + "does not document",
                advice:
                    "Compare it with a new download from Apple's portal, and replace it if they differ: \(install)."
            )
        }
        return Finding(
            .passed, "domain-file", "\(downloaded): \(file.text)",
            advice: "Serve it without a redirect at the address that Apple's portal shows: "
                + "https://\(file.domain ?? "DOMAIN")\(Self.path), or the same with .txt.")
    }

    /// Compares what the shop serves with the downloaded file.
    private func comparison(_ path: String, _ served: [UInt8], _ contents: [UInt8]) -> Finding {
        guard let difference = ServedFile.difference(served, from: contents) else {
            return Finding(
                .passed, "served-file", "\(path) has the same bytes as \(downloaded)",
                advice: Self.renewal)
        }
        return Finding(
            .failed, "served-file", "\(path) \(difference)",
            advice:
                "Serve the bytes of \(downloaded) unchanged, with status 200 and without a redirect: "
                + "`install \(FileRemedy.backup) -D -m 644 \(downloaded.shellWord) WEBROOT\(Self.path)`."
        )
    }
}
