// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A team names a repository and a version here; the script names a copy of the repository that it tests.
let repository = ProcessInfo.processInfo.environment["OTALAB_REPOSITORY"] ?? "https://example.com/OTALab.git"

let package = Package(
    name: "App",
    platforms: [.iOS(.v18), .macOS(.v15)],
    dependencies: [.package(url: repository, branch: "main")],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "OTAHost", package: "OTALab"),
                .product(name: "OTAHostDevelopment", package: "OTALab"),
            ])
    ])
