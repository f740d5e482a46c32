internal import ApplePayPrimitives
internal import ApplePayPrograms
internal import Glibc

/// The files that the system's resolver of names reads, also when they change (nsswitch.conf(5), resolv.conf(5), hosts(5),
/// host.conf(5), gai.conf(5)).
///
/// A rule about files (Landlock) permits a file itself, and not its name, so a file that is replaced cannot be read any
/// more. Of one that is a symbolic link to another folder, such as `/run/systemd/resolve`, the rule permits that folder,
/// in which files may be replaced.
struct ResolverSettings: Equatable, Sendable {
    private static let folder = "/etc"
    private static let names = [
        "resolv.conf", "hosts", "nsswitch.conf", "host.conf", "gai.conf",
    ]

    /// A file or folder that a rule can permit.
    private struct Place: Equatable {
        let path: String
        let identity: FileIdentity

        /// Finds that of a file; nil if there is none.
        init?(of path: String) {
            guard let name = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(name) }
            let file = unsafe String(cString: name)
            let folder = Folder(containing: file).path
            self.init(at: folder == ResolverSettings.folder ? file : folder)
        }

        private init?(at path: String) {
            guard let status = try? FileStatus(path, followsLinks: true) else { return nil }
            self.path = path
            identity = status.identity
        }
    }

    private let places: [Place?]

    /// Finds the files as they are now.
    init() { places = Self.names.map { Place(of: "\(Self.folder)/\($0)") } }

    /// The files and folders to permit.
    var paths: [String] { places.compactMap { $0?.path } }
}
