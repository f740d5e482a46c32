/// The file of a PKCS#11 module, and the threads on which all of its functions are called.
final class PKCS11Library: Sendable {
    /// The threads: loading the module, opening and closing sessions, and using a key may each hang.
    let threads = DeviceThreads()

    private let path: String
    private let module = Lock<PKCS11Module?>(nil)

    fileprivate static let libraries = Lock<[[UInt8]: PKCS11Library]>([:])

    private init(_ path: String) {
        self.path = path
    }

    /// Returns the process-wide object for a file, without loading the module.
    static func at(_ path: String) -> PKCS11Library {
        libraries.withLock { libraries in
            let name = Array(path.utf8)
            if let library = libraries[name] { return library }
            let library = PKCS11Library(path)
            libraries[name] = library
            return library
        }
    }

    /// Returns the module and loads it the first time; call this on one of ``threads``.
    ///
    /// - Throws: ``PrimitivesError/keyUnavailable(_:)``.
    func load() throws(PrimitivesError) -> PKCS11Module {
        try module.withLock { module throws(PrimitivesError) in
            if let module { return module }
            let loaded = try PKCS11Module(path)
            module = loaded
            return loaded
        }
    }
}

/// The devices of this process.
package enum PKCS11Devices {
    /// Whether a device has not returned from a call, so its library may wait or crash in its destructors.
    package static var haveUnreturnedCalls: Bool {
        PKCS11Library.libraries.withLock { libraries in
            libraries.values.contains(where: \.threads.hasUnreturnedCalls)
        }
    }
}
