internal import ApplePayTokenTestingPrimitives
package import Foundation

/// A PKCS#11 module whose calls hang, or refuse or falsify a key agreement, when a test requests it: the C files of this
/// folder.
@safe
package final class HangingModule: Sendable {
    /// The module's file: a copy, so that no other test uses the same module and threads.
    package let path: String

    private let handle: UInt

    /// Loads a copy of the module.
    ///
    /// - Parameters:
    ///   - key: A file with the private key that the module will contain, PEM.
    ///   - faults: What the device refuses or falsifies.
    /// - Throws: An error if the module or the key cannot be loaded.
    package init(key: URL, faults: Faults = []) throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "hanging-\(UUID().uuidString).so")
        try FileManager.default.copyItem(at: Self.library, to: file)
        guard let handle = unsafe dlopen(file.path(), RTLD_NOW | RTLD_LOCAL) else {
            throw TestingError.cryptography(function: "dlopen")
        }
        path = file.path()
        self.handle = UInt(bitPattern: handle)
        typealias UseKey = @convention(c) (UnsafePointer<CChar>) -> CInt
        guard unsafe try function("useKey", as: UseKey.self)(key.path()) == 0 else {
            throw TestingError.cryptography(function: "PEM_read_PrivateKey")
        }
        typealias Play = @convention(c) (CUnsignedInt) -> Void
        try function("play", as: Play.self)(faults.rawValue)
    }

    /// What a device refuses or falsifies, as HangingModule.h describes.
    package struct Faults: OptionSet, Sendable {
        package let rawValue: CUnsignedInt

        package init(rawValue: CUnsignedInt) { self.rawValue = rawValue }

        package static let refusesSP800 = Faults(rawValue: 1)
        package static let ignoresSharedData = Faults(rawValue: 2)
        package static let refusesReadable = Faults(rawValue: 4)
        package static let refusesSensitive = Faults(rawValue: 8)
        package static let refusesNull = Faults(rawValue: 16)
        package static let refusesGCM = Faults(rawValue: 32)
        package static let ignoresTag = Faults(rawValue: 64)
        package static let wantsOctetString = Faults(rawValue: 128)
        package static let answersStrangely = Faults(rawValue: 256)
    }

    /// The module, which the command can load; the toolchain's C compiler makes it when a test first needs it.
    package static let library: URL = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let root = folder.appending(path: "../../..").standardized
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let file = URL(filePath: program ?? "").deletingLastPathComponent()
            .appending(path: "hanging-module.so")
        // Another test process may use the file, so it is replaced as a whole.
        let new = "\(file.path()).\(getpid())"
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-pthread",
            "-I\(root.path())Sources/Core/CApplePaySystem/include",
            folder.appending(path: "calls.c").path(), folder.appending(path: "module.c").path(),
            "-lcrypto", "-o", new,
        ]
        do {
            try compiler.run()
            compiler.waitUntilExit()
        } catch {
            preconditionFailure("clang, which belongs to the toolchain, could not be started")
        }
        let isReplaced = unsafe rename(new, file.path()) == 0
        precondition(
            compiler.terminationStatus == 0 && isReplaced, "the module does not compile")
        return file
    }()

    /// Makes calls of a function hang from now on, or releases all hanging calls.
    ///
    /// - Parameter name: The function's name, such as `C_DeriveKey`; `CKA_VALUE` for
    ///   C_GetAttributeValue after it has written the derived secret; nil to release.
    /// - Throws: ``TestingError`` if the module does not know the name.
    package func hang(_ name: String?) throws {
        typealias Hang = @convention(c) (UnsafePointer<CChar>?) -> CInt
        guard unsafe try function("hang", as: Hang.self)(name) == 0 else {
            throw TestingError.cryptography(function: name ?? "")
        }
    }

    /// Returns the number of calls of a function so far.
    package func calls(_ name: String) throws -> Int {
        typealias Calls = @convention(c) (UnsafePointer<CChar>) -> CInt
        return Int(unsafe try function("calls", as: Calls.self)(name))
    }

    /// Returns the number of calls that hang now.
    package func hanging() throws -> Int { try count("hanging") }

    /// Returns the number of operations that began in a session with a hanging or concurrent call.
    package func misuses() throws -> Int { try count("misuses") }

    /// Returns the most recently derived secret or key, with every bit inverted.
    package func invertedSecret() throws -> [UInt8] {
        typealias Secret = @convention(c) (UnsafeMutablePointer<UInt8>) -> Void
        var bytes = [UInt8](repeating: 0, count: 32)
        unsafe try function("invertedSecret", as: Secret.self)(&bytes)
        return bytes
    }

    /// Waits until a condition is met; returns false after ten seconds.
    package func wait(until isMet: () throws -> Bool) throws -> Bool {
        for _ in 0..<1_000 {
            if try isMet() { return true }
            usleep(10_000)
        }
        return try isMet()
    }

    private func count(_ name: String) throws -> Int {
        typealias Count = @convention(c) () -> CInt
        return Int(try function(name, as: Count.self)())
    }

    private func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        let symbol = unsafe dlsym(
            UnsafeMutableRawPointer(bitPattern: handle), "HangingModule_" + name)
        guard let symbol = unsafe symbol else { throw TestingError.cryptography(function: name) }
        return unsafe unsafeBitCast(symbol, to: type)
    }

    deinit {
        // The module stays loaded, since a thread may still be executing its code.
        try? FileManager.default.removeItem(atPath: path)
    }
}
