// swift-tools-version: 6.0
import PackageDescription

// One set of sources, compiled two ways: regular Swift for the tests, Embedded Swift for everything that ships.
// `TAPPET_EMBEDDED=-Osize` selects the second; the Makefile sets it. docs/building.md has a line for each flag.
let optimization = Context.environment["TAPPET_EMBEDDED"]
let isEmbedded = optimization != nil
let embedded: [SwiftSetting] = [
  .enableExperimentalFeature("Embedded"),
  .unsafeFlags([optimization ?? "", "-Xllvm", "-sil-disable-pass=object-outliner", "-Xfrontend", "-function-sections"]),
]

// Each file imports what it uses, in both modes.
let regular: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

/// A module of ours; it may import only these.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: regular + (isEmbedded ? embedded : []))
}

/// A module map over one of Debian's C libraries.
func library(_ name: String, _ pkgConfig: String?, apt: String) -> Target {
  .systemLibrary(name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// C code of ours, around these libraries.
func shim(_ name: String, _ libraries: String...) -> Target {
  .target(name: name, path: "Sources/CLibraries/\(name)", linkerSettings: libraries.map { .linkedLibrary($0) })
}

let parts: [Target.Dependency] = [
  "TappetCore", "TappetPlatform", "TappetStore", "TappetTLS", "TappetBroker", "TappetConfig", "TappetPanel",
  "TappetMessages", "CPlatform",
]
let tools = parts + ["TappetCommandLine"]
let libraries = [
  // Not a module map: the two majors of libgpiod have too little in common.
  shim("CGPIO", "gpiod"), shim("CPlatform", "m"), shim("CSeccomp", "seccomp"), shim("CCurses"), shim("CLineEdit"),
  shim("CMicroHTTPD", "microhttpd", "gnutls"), library("COlm", "olm", apt: "libolm-dev"),
  library("CNFC", "libnfc", apt: "libnfc-dev"), library("CMosquitto", "libmosquitto", apt: "libmosquitto-dev"),
  library("CSQLite", "sqlite3", apt: "libsqlite3-dev"), library("COpenSSL", "openssl", apt: "libssl-dev"),
  library("CYAML", "yaml-0.1", apt: "libyaml-dev"), library("CJSON", "libcjson", apt: "libcjson-dev"),
  library("CQREncode", "libqrencode", apt: "libqrencode-dev"), library("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
  library("CUTF8Proc", nil, apt: "libutf8proc-dev"), library("CCSV", nil, apt: "libcsv-dev"),
  .systemLibrary(name: "CTappet", path: "Include"),  // The public header; the compiler checks the exports against it.
]
let modules = [  // Arrows only go down: docs/architecture.md.
  module("TappetBase", ["COpenSSL", "CUTF8Proc"]), module("TappetTag", ["TappetBase"]),
  module("TappetCore", ["TappetTag", "TappetBase"]), module("TappetPlatform", ["TappetBase", "CPlatform"]),
  module("TappetSQLite", ["TappetPlatform", "TappetBase", "CPlatform", "CSQLite"]),
  module("TappetStore", ["TappetSQLite", "TappetPlatform", "TappetCore", "CPlatform"]),
  module("TappetInventory", ["TappetSQLite", "TappetPlatform", "TappetCore", "CPlatform"]),
  module("TappetTLS", ["TappetPlatform", "TappetCore", "CPlatform", "COpenSSL"]),
  module("TappetBroker", ["TappetTLS", "TappetPlatform", "TappetCore", "CPlatform", "CMosquitto"]),
  module("TappetJSON", ["TappetBase", "CPlatform", "CJSON"]), module("TappetRooms", ["TappetJSON", "TappetCore"]),
  module("TappetConfig", ["TappetJSON", "TappetTLS", "TappetPlatform", "TappetCore", "CPlatform", "CYAML"]),
  module("TappetPanel", ["TappetPlatform", "TappetCore", "CPlatform", "CGPIO"]),
  module("TappetMessages", ["TappetInventory", "TappetStore", "TappetTLS", "TappetConfig"]),
  module("TappetKiosk", parts), module("TappetOlm", ["TappetBase", "COlm"]),
  module("TappetInterface", parts + ["TappetKiosk", "TappetInventory", "CTappet"]),
  module("TappetCommandLine", parts + ["TappetKiosk", "TappetInventory", "TappetQR", "CCSV", "CCurses", "CLineEdit"]),
  module("TappetKioskTool", tools), module("TappetBrokerTool", tools), module("TappetInventoryTool", tools),
  module("TappetMatrixTool", tools + ["TappetRooms"]), module("TappetQR", ["TappetPlatform", "CQREncode"]),
  module("TappetTool", ["TappetKioskTool", "TappetBrokerTool", "TappetInventoryTool", "TappetMatrixTool"]),
  module("TappetReader", ["TappetPlatform", "TappetTag", "TappetBase", "CPlatform", "CNFC", "CSeccomp"]),
  module("TappetMatrix", ["TappetRooms", "TappetWebhook", "TappetOlm", "TappetStore", "CPlatform"]),
  module("TappetWebhook", ["TappetPlatform", "TappetCore", "CPlatform", "CCurl", "CSeccomp"]),
  module("TappetSimulator", ["TappetPlatform", "TappetTag", "TappetBase", "CPlatform"]),
  module("TappetWeb", ["TappetJSON", "TappetQR", "TappetPlatform", "CPlatform", "CMicroHTTPD", "CSeccomp"]),
]
// Built for the tests too, so that a break in a shipped program shows at once.
let programs: [Target] = [
  ("", "Tool"), ("-tool", "Tool"), ("-reader", "Reader"), ("-webhook", "Webhook"), ("-matrix", "Matrix"),
  ("-sim", "Simulator"), ("-web", "Web"),
].map { .executableTarget(name: "tappet" + $0.0, dependencies: [.byName(name: "Tappet" + $0.1)]) }

// `TAPPET_TESTS="CoreTests PlatformTests"` chooses test targets, for `make check` and the address sanitizer.
let suites: [(String, [Target.Dependency])] =
  ["Core", "Platform", "Store", "Messages", "Simulator"].map { ($0, [.byName(name: "Tappet" + $0)]) }
  + ["Inventory", "TLS", "Broker", "Config", "Panel"].map { ($0, [.byName(name: "Tappet" + $0), "TappetMessages"]) }
  + [("Rooms", ["TappetRooms"]), ("Encryption", ["TappetMatrix"]), ("Reader", ["TappetReader", "TappetKiosk"])]
  + [("Webhook", ["TappetKiosk", "TappetWebhook"]), ("Kiosk", ["TappetKiosk"]), ("Web", ["TappetWeb"])]
  + [("Tool", ["TappetTool", "TappetBroker"]), ("System", [])]
let tests = suites.filter { Context.environment["TAPPET_TESTS"]?.contains($0.0 + "Tests") ?? true }.map { suite in
  Target.testTarget(
    name: suite.0 + "Tests", dependencies: suite.1 + ["TestSupport"], path: "Tests/\(suite.0)",
    exclude: suite.0 == "System" ? ["Faults"] : [])
}
let testPrograms: [Target] = [
  .target(
    name: "TestSupport", dependencies: ["CPlatform", "TappetCore", "TappetPlatform", "TappetConfig", "TappetPanel"],
    path: "Tests/Support", exclude: ["inject.py"]),
  .executableTarget(
    name: "Simulation", dependencies: ["TappetRooms", "CPlatform"], path: "Tests/Simulation",
    exclude: ["run", "mutants", "mutants.txt"]),  // Tests/Simulation/run builds it with optimization.
  .executableTarget(
    name: "InventoryModel", dependencies: ["TappetInventory"], path: "Tests/InventoryModel",
    exclude: ["run", "mutants", "mutants.txt"]),
]

let package = Package(
  name: "Tappet",
  products: isEmbedded
    ? ["Interface", "Tool", "Reader", "Webhook", "Matrix", "Simulator", "Web"].map {
      .library(name: "Tappet\($0)Static", type: .static, targets: ["Tappet" + $0])
    } : [.library(name: "Tappet", targets: ["Tappet"])],
  targets: libraries + modules
    + (isEmbedded ? [] : [module("Tappet", parts + ["TappetKiosk"])] + programs + testPrograms + tests),
  swiftLanguageModes: [.v6]
)
