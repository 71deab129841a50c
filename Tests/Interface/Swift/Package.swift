// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "KioskExample",
  dependencies: [.package(name: "Tappet", path: "../../..")],
  targets: [.executableTarget(name: "kiosk", dependencies: [.product(name: "Tappet", package: "Tappet")])],
  swiftLanguageModes: [.v6]
)
