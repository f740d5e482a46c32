/// A PKCS#11 module's file, with the threads on which everything in it is called.
final class PKCS11Library: Sendable {
    /// The threads: loading, opening and closing sessions, and using a key may each hang.
    let threads = DeviceThreads()

    private let path: String
    private let module = Lock<PKCS11Module?>(nil)

    private static let libraries = Lock<[String: PKCS11Library]>([:])

    private init(_ path: String) {
        self.path = path
    }

    /// Returns the one object in the process for a file, which is not loaded yet.
    static func at(_ path: String) -> PKCS11Library {
        libraries.withLock { libraries in
            if let library = libraries[path] { return library }
            let library = PKCS11Library(path)
            libraries[path] = library
            return library
        }
    }

    /// Returns the module, which is loaded the first time; to be called on one of ``threads``.
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
