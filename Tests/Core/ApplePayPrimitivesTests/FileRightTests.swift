import Foundation
import Testing

@testable import ApplePayPrimitives

@Suite("Rights and mount points")
struct FileRightTests {
    private static let mounts = """
        proc /proc proc rw 0 0
        /dev/sda / ext4 rw 0 0
        /dev/sdb /var/lib/my\\040shop ext4 rw 0 0
        tmpfs /var/lib tmpfs rw 0 0
        tmpfs /a\\134b\\011c tmpfs rw 0 0
        broken
        """

    @Test(
        "the longest mount point that contains a path is the one of its file system",
        arguments: [
            ("/", "/"), ("/etc/shop", "/"), ("/proc", "/proc"), ("/proc/1/fd", "/proc"),
            ("/process", "/"), ("/var/lib", "/var/lib"), ("/var/lib/my", "/var/lib"),
            ("/var/lib/my shop/ledger", "/var/lib/my shop"), ("/a\\b\tc/d", "/a\\b\tc"),
        ])
    func mountPoint(_ path: String, _ expected: String) {
        #expect(MountPoint.of(path, in: Self.mounts) == expected)
    }

    @Test("the mount point of /proc is found through a symbolic link, and none for a missing file")
    func mountedNow() throws {
        let link = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "/proc/self")
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(MountPoint.of(link) == "/proc")
        #expect(MountPoint.of("/nowhere") == nil)
    }

    @Test(
        "a missing file, a file system that takes no files and a lack of permission are told apart")
    func obstacles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for right in [FileRight.read, .write, .search] {
            #expect(right.obstacle(to: folder.path()) == nil)
            #expect(right.obstacle(to: folder.appending(path: "missing").path()) == .missing)
        }
        let file = folder.appending(path: "file").path()
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        #expect(FileRight.search.obstacle(to: file) == .rights)
        #expect(FileRight.read.obstacle(to: "\(file)/inside") == .missing)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        // Nothing is refused to root.
        let expected: FileRight.Obstacle? = FileStatus.user == 0 ? nil : .rights
        #expect(FileRight.read.obstacle(to: file) == expected)
        #expect(FileRight.write.obstacle(to: file) == expected)
    }
}
