// swift-tools-version: 6.3
import PackageDescription

let products = ["ApplePayOrders", "ApplePaySQLite", "ApplePayHTTPS"].map {
    Target.Dependency.product(name: $0, package: "ApplePayToken")
}

let package = Package(
    name: "shop",
    dependencies: [.package(path: "../ApplePayToken")],
    targets: [
        .executableTarget(name: "shop", dependencies: products),
        .executableTarget(name: "subscription", dependencies: products),
    ]
)
