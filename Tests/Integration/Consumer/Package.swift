// swift-tools-version: 6.3

// A merchant's package, elsewhere: Tests/Integration/consumer.sh copies this folder, adds the unit test that the page of
// ApplePayTokenTesting prints, and names a clone of this repository with the tag 0.1.0.

import PackageDescription

let library = Context.environment["APPLEPAYTOKEN_URL"] ?? "file:///ApplePayToken"

func product(_ name: String) -> Target.Dependency {
    .product(name: name, package: "ApplePayToken")
}

let package = Package(
    name: "shop",
    dependencies: [.package(url: library, from: "0.1.0", traits: [.defaults, "PostgreSQL"])],
    targets: [
        .executableTarget(
            name: "shop",
            dependencies: [
                product("ApplePayOrders"), product("ApplePaySQLite"),
                product("ApplePayPostgreSQL"), product("ApplePayHTTPS"),
            ]
        ),
        .executableTarget(
            name: "integrator",
            dependencies: [
                product("ApplePayOrders"), product("ApplePaySQLite"), product("ApplePayHTTPS"),
            ]
        ),
        .executableTarget(name: "verifier", dependencies: [product("ApplePayToken")]),
        .testTarget(
            name: "shopTests",
            dependencies: [
                "shop", product("ApplePayOrders"), product("ApplePayToken"),
                product("ApplePayTokenTesting"),
            ]
        ),
    ]
)
