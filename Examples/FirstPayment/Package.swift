// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "shop",
    dependencies: [.package(path: "../ApplePayToken")],
    targets: [
        .executableTarget(
            name: "shop",
            dependencies: [
                .product(name: "ApplePayOrders", package: "ApplePayToken"),
                .product(name: "ApplePaySQLite", package: "ApplePayToken"),
                .product(name: "ApplePayHTTPS", package: "ApplePayToken"),
            ])
    ]
)
