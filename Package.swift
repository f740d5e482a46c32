// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Declares a module of the product, in a group of Sources, and the modules that it may import.
func module(_ name: String, in group: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(group)/\(name)",
        swiftSettings: settings)
}

/// Declares the tests of one module, in a group of Tests, with the test PKI that creates their tokens.
func tests(_ name: String, in group: String, of modules: [Target.Dependency]) -> Target {
    .testTarget(
        name: name,
        dependencies: modules + [
            "TestVectors", "ApplePayTokenTesting", "ApplePayTokenTestingPrimitives",
        ],
        path: "Tests/\(group)/\(name)",
        swiftSettings: settings
    )
}

let package = Package(
    name: "ApplePayToken",
    products: [
        .library(name: "ApplePayToken", targets: ["ApplePayToken"]),
        .library(name: "ApplePayTransport", targets: ["ApplePayTransport"]),
        .library(name: "ApplePayAcceptance", targets: ["ApplePayAcceptance"]),
        .library(name: "ApplePayGateways", targets: ["ApplePayGateways"]),
        .library(name: "ApplePayHTTPS", targets: ["ApplePayHTTPS"]),
        .library(name: "ApplePaySession", targets: ["ApplePaySession"]),
        .library(name: "ApplePayLedger", targets: ["ApplePayLedger"]),
        .library(name: "ApplePayOrders", targets: ["ApplePayOrders"]),
        .library(name: "ApplePayPostgreSQL", targets: ["ApplePayPostgreSQL"]),
        .library(name: "ApplePaySQLite", targets: ["ApplePaySQLite"]),
        .library(name: "ApplePayTokenTesting", targets: ["ApplePayTokenTesting"]),
        .executable(name: "paytoken", targets: ["paytoken"]),
        .executable(name: "paytokend", targets: ["paytokend"]),
        .executable(name: "gateway-sandbox", targets: ["GatewaySandbox"]),
        .executable(name: "paytoken-testing", targets: ["paytoken-testing"]),
    ],
    traits: [
        .default(enabledTraits: ["SQLite"]),
        .trait(name: "SQLite", description: "A ledger in an SQLite database, through libsqlite3."),
        .trait(
            name: "PostgreSQL", description: "A ledger in a PostgreSQL database, through libpq."),
    ],
    targets: [
        // The product, from the outside in.
        .executableTarget(
            name: "paytoken",
            dependencies: [
                "ApplePayOrderPrograms", "ApplePayPrograms",
                "ApplePayGateways", "ApplePayOtherGateways", "ApplePayHTTPS", "ApplePayLedger",
                "ApplePayOrders",
                "ApplePaySession", "ApplePayAcceptance", "ApplePayToken", "ApplePayMerchantKeys",
                "ApplePayCMS", "ApplePayWire", "ApplePayPrimitives", "CPaytoken",
            ], path: "Sources/Command/paytoken",
            swiftSettings: settings
        ),
        // The service, and the process that sends for it.
        .executableTarget(
            name: "paytokend",
            dependencies: [
                "ApplePayServiceHTTP", "ApplePayOrderPrograms", "ApplePayPrograms",
                "ApplePayGateways", "ApplePayHTTPS", "ApplePayLedger",
                "ApplePayOrders", "ApplePaySession", "ApplePayAcceptance", "ApplePayTransport",
                "ApplePayToken", "ApplePayMerchantKeys", "ApplePayWire", "ApplePayPrimitives",
                "CPaytoken",
            ], path: "Sources/Service/paytokend",
            swiftSettings: settings
        ),
        // Shared by all programs: options, help, files, output, and the system's calls.
        module(
            "ApplePayPrograms", in: "Programs",
            [
                "ApplePayAcceptance", "ApplePayTransport", "ApplePayToken",
                "ApplePayMerchantKeys", "ApplePayWire", "ApplePayPrimitives", "CApplePayOpenSSL",
                "CPaytoken",
            ]),
        // Shared by the programs that pay orders: gateway files, ledgers, and the JSON about orders.
        module(
            "ApplePayOrderPrograms", in: "Programs",
            [
                "ApplePayPrograms", "ApplePayGateways", "ApplePayOtherGateways", "ApplePayHTTPS",
                "ApplePaySession", "ApplePayLedger", "ApplePayOrders", "ApplePayAcceptance",
                "ApplePayToken",
                "ApplePayMerchantKeys", "ApplePayWire", "ApplePayPrimitives",
                .target(name: "ApplePaySQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "ApplePayPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
        // Orders, the attempts to pay them, and the protocols of ledgers.
        module(
            "ApplePayAcceptance", in: "Payments",
            ["ApplePayToken", "ApplePayDecryption", "ApplePayWire", "ApplePayPrimitives"]),
        module(
            "ApplePayGateways", in: "Payments",
            [
                "ApplePayAcceptance", "ApplePayTransport", "ApplePayToken", "ApplePayWire",
                "ApplePayPrimitives",
            ]),
        // Requests, responses and the JSON in them, for any server.
        module("ApplePayTransport", in: "Network", ["ApplePayWire", "ApplePayPrimitives"]),
        module(
            "ApplePayHTTPS", in: "Network",
            [
                "ApplePayTransport", "ApplePayMerchantKeys", "ApplePayPrimitives", "ApplePayWire",
                "CApplePayTLS",
            ]),
        .systemLibrary(
            name: "CApplePayTLS", path: "Sources/Network/CApplePayTLS",
            pkgConfig: "libssl",
            providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"])]
        ),
        module(
            "ApplePaySession", in: "Network",
            [
                "ApplePayHTTPS", "ApplePayTransport", "ApplePayMerchantKeys", "ApplePayPrimitives",
                "ApplePayWire",
            ]),
        // The requests of clients of the service, and the answers to them.
        module("ApplePayServiceHTTP", in: "Service", ["ApplePayWire"]),
        // Gateways of which only the payment is supported, for the programs.
        module(
            "ApplePayOtherGateways", in: "Payments",
            [
                "ApplePayGateways", "ApplePayAcceptance", "ApplePayTransport", "ApplePayToken",
                "ApplePayWire", "ApplePayPrimitives",
            ]),
        module(
            "ApplePayLedger", in: "Payments",
            ["ApplePayAcceptance", "ApplePayToken", "ApplePayWire", "ApplePayPrimitives"]),
        module(
            "ApplePayOrders", in: "Payments",
            [
                "ApplePayGateways", "ApplePayLedger", "ApplePayAcceptance", "ApplePayPrimitives",
                "ApplePayToken", "ApplePayWire",
            ]),
        module(
            "ApplePaySQLite", in: "Payments",
            [
                "ApplePayLedger", "ApplePayAcceptance", "ApplePayToken", "ApplePayPrimitives",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .systemLibrary(
            name: "CSQLite", path: "Sources/Payments/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]
        ),
        module(
            "ApplePayPostgreSQL", in: "Payments",
            [
                "ApplePayLedger", "ApplePayAcceptance", "ApplePayToken", "ApplePayWire",
                "ApplePayPrimitives",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),
        .systemLibrary(
            name: "CPostgreSQL", path: "Sources/Payments/CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"])]
        ),
        module(
            "ApplePayToken", in: "Core",
            [
                "ApplePayDecryption", "ApplePayKeyAgreement", "ApplePayMerchantKeys",
                "ApplePayTrust", "ApplePayCMS", "ApplePayWire", "ApplePayPrimitives",
            ]
        ),
        module("ApplePayDecryption", in: "Core", ["ApplePayWire", "ApplePayPrimitives"]),
        module("ApplePayMerchantKeys", in: "Core", ["ApplePayWire", "ApplePayPrimitives"]),
        module("ApplePayKeyAgreement", in: "Core", ["ApplePayWire", "ApplePayPrimitives"]),
        module("ApplePayTrust", in: "Core", ["ApplePayCMS", "ApplePayWire", "ApplePayPrimitives"]),
        module("ApplePayCMS", in: "Core", ["ApplePayWire", "ApplePayPrimitives"]),
        module("ApplePayWire", in: "Core"),
        module("ApplePayPrimitives", in: "Core", ["CApplePayOpenSSL", "CApplePaySystem"]),
        .target(name: "CApplePaySystem", path: "Sources/Core/CApplePaySystem"),
        .target(name: "CPaytoken", path: "Sources/Programs/CPaytoken"),
        .systemLibrary(
            name: "CApplePayOpenSSL", path: "Sources/Core/CApplePayOpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"])]
        ),

        // The tests and tools that verify the product.
        .target(
            name: "ApplePayGatewaysTesting",
            dependencies: [
                "ApplePayGateways", "ApplePayOtherGateways", "ApplePayAcceptance", "ApplePayToken",
            ],
            path: "Tests/Payments/ApplePayGatewaysTesting",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "GatewaySandbox",
            dependencies: [
                "ApplePayWire", "ApplePayPrimitives", "ApplePayTransport", "ApplePayHTTPS",
                "ApplePayTokenTesting", "ApplePayTokenTestingPrimitives",
            ],
            path: "Sources/Testing/GatewaySandbox",
            swiftSettings: settings
        ),
        .target(
            name: "ApplePayTokenTesting",
            dependencies: [
                "ApplePayToken", "ApplePayDecryption", "ApplePayMerchantKeys", "ApplePayWire",
                "ApplePayPrimitives", "ApplePayTokenTestingPrimitives",
            ],
            path: "Sources/Testing/ApplePayTokenTesting",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "paytoken-testing",
            dependencies: [
                "ApplePayPrograms", "ApplePayAcceptance", "ApplePayTransport",
                "ApplePayTokenTesting", "ApplePayToken",
                "ApplePayWire", "ApplePayPrimitives",
            ],
            path: "Sources/Testing/paytoken-testing",
            swiftSettings: settings
        ),
        .target(
            name: "ApplePayTokenTestingPrimitives",
            dependencies: [
                "ApplePayPrimitives", "CApplePayOpenSSL", "CApplePaySystem",
                "CApplePayTokenTesting",
            ],
            path: "Sources/Testing/ApplePayTokenTestingPrimitives",
            swiftSettings: settings
        ),
        .target(
            name: "HangingPKCS11",
            dependencies: ["ApplePayTokenTestingPrimitives"],
            path: "Tests/Tools/HangingModule",
            exclude: ["calls.c", "module.c"],
            sources: ["HangingModule.swift"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "make-vectors",
            dependencies: ["ApplePayTokenTesting"],
            path: "Tests/Tools/MakeVectors",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "memory-search",
            dependencies: [
                "ApplePayToken", "ApplePayAcceptance", "ApplePayGateways",
                "ApplePayGatewaysTesting", "ApplePayTokenTestingPrimitives",
            ],
            path: "Tests/Proofs/MemorySearch",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "allocation-failures",
            dependencies: [
                "CAllocationFailures", "ApplePayToken", "ApplePayKeyAgreement",
                "ApplePayPrimitives",
                "TestVectors",
            ],
            path: "Tests/Proofs/AllocationFailures",
            swiftSettings: settings
        ),
        .target(
            name: "CAllocationFailures",
            dependencies: ["CApplePayOpenSSL"],
            path: "Tests/Proofs/CAllocationFailures"
        ),
        .systemLibrary(
            name: "CApplePayTokenTesting", path: "Sources/Testing/CApplePayTokenTesting"),
        .executableTarget(
            name: "ledger-race",
            dependencies: [
                "ApplePayLedger", "ApplePaySQLite", "ApplePayAcceptance", "ApplePayToken",
                "ApplePayPrimitives",
                .target(name: "ApplePayPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            path: "Tests/Proofs/LedgerRace",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "https-exchange",
            dependencies: [
                "ApplePayHTTPS", "ApplePayTransport", "ApplePayMerchantKeys", "ApplePayPrimitives",
                "ApplePaySession",
            ],
            path: "Tests/Proofs/HTTPSExchange",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "differential",
            dependencies: [
                "ApplePayToken", "ApplePayTrust", "ApplePayCMS", "ApplePayPrimitives",
                "TestVectors", "ApplePayTokenTestingPrimitives",
            ],
            path: "Tests/Proofs/Differential",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "exhaustive",
            dependencies: [
                "ApplePayToken", "ApplePayCMS", "ApplePayWire", "ApplePayPrimitives",
                "ApplePayTokenTesting",
            ],
            path: "Tests/Proofs/Exhaustive",
            swiftSettings: settings
        ),
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Proofs/CLibFuzzer"),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "ApplePayToken", "ApplePayCMS", "ApplePayDecryption", "ApplePayGateways",
                "ApplePayHTTPS", "ApplePayMerchantKeys", "ApplePayPrimitives", "ApplePayAcceptance",
                "ApplePayServiceHTTP", "ApplePayWire", "TestVectors", "ApplePayTokenTesting",
            ],
            path: "Tests/Proofs/FuzzTargets",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: ["FuzzTargets", "CLibFuzzer"],
            path: "Tests/Proofs/Fuzz",
            exclude: ["Findings"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "BenchmarkFloor", "ApplePayAcceptance", "ApplePayGateways", "ApplePayLedger",
                "ApplePayOrders",
                "ApplePayToken", "ApplePayCMS", "ApplePayPrimitives", "ApplePayTokenTesting",
                .target(name: "ApplePaySQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Benchmarks/Suite",
            swiftSettings: settings
        ),
        .target(
            name: "BenchmarkFloor",
            dependencies: ["CApplePayOpenSSL"],
            path: "Benchmarks/Floor"
        ),
        .executableTarget(
            name: "service-load",
            dependencies: ["ApplePayToken"],
            path: "Benchmarks/Service",
            exclude: ["bench.py"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "benchmark-baseline",
            dependencies: ["CApplePayOpenSSL"],
            path: "Benchmarks/Baseline"
        ),
        .target(
            name: "TestVectors",
            dependencies: ["ApplePayWire"],
            path: "TestVectors",
            exclude: [
                "README.md", "answers", "apple-signed", "attempts", "gateways", "http-heads",
                "key-files",
                "pack",
                "rfc6979", "schemas",
                "synthetic",
                "synthetic-refusals.tsv", "differential-exceptions.tsv",
            ],
            sources: [
                "ExactTextComparison.swift", "JSONTree.swift", "SurrogateEscapes.swift",
                "SyntheticCase.swift", "TestVectors.swift",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ApplePayTokenTestingTests",
            dependencies: [
                "ApplePayTokenTesting", "ApplePayTokenTestingPrimitives", "TestVectors",
                "ApplePayToken",
            ], path: "Tests/Testing/ApplePayTokenTestingTests",
            swiftSettings: settings
        ),
        tests("ApplePayPrimitivesTests", in: "Core", of: ["ApplePayPrimitives", "HangingPKCS11"]),
        tests("ApplePayWireTests", in: "Core", of: ["ApplePayWire"]),
        tests("ApplePayCMSTests", in: "Core", of: ["ApplePayCMS", "ApplePayWire"]),
        tests(
            "ApplePayTrustTests", in: "Core",
            of: ["ApplePayTrust", "ApplePayCMS", "ApplePayWire", "ApplePayPrimitives"]),
        tests(
            "ApplePayMerchantKeysTests", in: "Core",
            of: [
                "HangingPKCS11",
                "ApplePayMerchantKeys", "ApplePayKeyAgreement", "ApplePayWire",
                "ApplePayPrimitives",
            ]),
        tests(
            "ApplePayKeyAgreementTests", in: "Core",
            of: ["ApplePayKeyAgreement", "ApplePayMerchantKeys", "ApplePayPrimitives"]),
        tests(
            "ApplePayDecryptionTests", in: "Core",
            of: ["ApplePayDecryption", "ApplePayWire", "ApplePayPrimitives"]),
        tests(
            "ApplePayTokenTests", in: "Core",
            of: [
                "HangingPKCS11",
                "ApplePayToken", "ApplePayCMS", "ApplePayWire", "ApplePayPrimitives",
            ]),
        tests("ApplePayAcceptanceTests", in: "Payments", of: ["ApplePayAcceptance"]),
        tests(
            "ApplePayLedgerTests", in: "Payments",
            of: [
                "ApplePayLedger", "ApplePayAcceptance", "ApplePayToken", "ApplePayPrimitives",
                .target(name: "ApplePaySQLite", condition: .when(traits: ["SQLite"])),
            ]),
        tests(
            "ApplePayGatewaysTests", in: "Payments",
            of: [
                "ApplePayGateways", "ApplePayOtherGateways", "ApplePayHTTPS",
                "ApplePayGatewaysTesting",
                "ApplePayLedger", "ApplePayOrders", "ApplePayAcceptance", "ApplePayPrimitives",
                "ApplePayToken", "ApplePayWire", "GatewaySandbox",
            ]),
        tests(
            "ApplePayOrdersTests", in: "Payments",
            of: [
                "ApplePayOrders", "ApplePayGateways", "ApplePayOtherGateways", "ApplePayLedger",
                "ApplePayAcceptance",
                "ApplePayPrimitives", "ApplePayToken",
            ]),
        tests(
            "ApplePayHTTPSTests", in: "Network",
            of: [
                "ApplePayHTTPS", "ApplePayTransport", "ApplePayMerchantKeys", "ApplePayPrimitives",
            ]),
        tests(
            "ApplePaySessionTests", in: "Network", of: ["ApplePaySession", "ApplePayTransport"]),
        tests(
            "ApplePayServiceHTTPTests", in: "Service",
            of: ["ApplePayServiceHTTP", "ApplePayWire", "FuzzTargets"]),
        tests("DifferentialTests", in: "Proofs", of: ["differential"]),
        tests("ExhaustiveTests", in: "Proofs", of: ["exhaustive"]),
        tests("FuzzTests", in: "Proofs", of: ["FuzzTargets"]),
        tests(
            "CommandTests", in: "Command",
            of: [
                "HangingPKCS11",
                "paytoken", "paytokend", "paytoken-testing", "ApplePayOrderPrograms",
                "ApplePayPrograms",
                "memory-search", "allocation-failures",
                "ledger-race",
                "GatewaySandbox", "ApplePayGateways", "ApplePayOtherGateways",
                "ApplePayGatewaysTesting",
                "ApplePayHTTPS", "ApplePayServiceHTTP", "ApplePayAcceptance", "ApplePayToken",
                "ApplePayDecryption", "ApplePayLedger", "ApplePayPrimitives", "ApplePayWire",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
