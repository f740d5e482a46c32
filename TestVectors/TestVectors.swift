public import struct Foundation.URL

/// Where the vectors of this folder are, for the tests that read them.
public enum TestVectors {
    /// The folder TestVectors of this checkout.
    public static let directory = URL(filePath: #filePath).deletingLastPathComponent()
}
