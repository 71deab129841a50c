// swift-tools-version: 6.0
import PackageDescription

// One set of sources, compiled two ways: regular Swift for the tests, Embedded Swift for everything that ships.
// `TAPPET_EMBEDDED=1` selects the second; the Makefile sets it.
let isEmbedded = Context.environment["TAPPET_EMBEDDED"] != nil

let swiftSettings: [SwiftSetting] =
  isEmbedded
  ? [
    .enableExperimentalFeature("Embedded"),
    // The object outliner makes constant arrays of a function into weak symbols that it numbers, and numbers them anew, in
    // another order, for each module that the function is compiled into: the linker then mixes them up (Swift 6.3.1).
    .unsafeFlags([
      "-wmo", "-Osize", "-Xfrontend", "-function-sections", "-Xllvm", "-sil-disable-pass=object-outliner",
    ]),
    // For size. In spite of -Osize the optimiser takes much for cheap that is not, once it stands in hundreds of places: it is
    // told that nothing is gained by inlining but what is smaller than its call. The linker is told the same (Makefile).
    // Closures are called, not made part of a copy of the function that takes them, and loops stay loops.
    // In the sources the same is done for enums with large cases: they are `indirect`, so that handing one on is handing on a
    // reference, but for what comes with every edge of a button and every look of the reader.
    .unsafeFlags(
      [
        "removed-call", "removed-closure", "removed-load", "removed-store", "removed-terminator", "ref-count",
        "generic-specialization", "fast-path-builtin", "global-init", "o-size-class-method", "exclusivity",
        "devirtualized-call",
      ].flatMap { ["-Xllvm", "-sil-inline-\($0)-benefit=-1000"] } + [
        "-Xllvm", "-inline-threshold=0",
        "-Xllvm", "-sil-disable-pass=closure-specialize",
        "-Xllvm", "-sil-disable-pass=loop-unroll",
      ]),
    // Bitcode: the linker optimises each program as a whole, which takes a tenth off.
    .unsafeFlags(["-Xfrontend", "-emit-bc", "-Xfrontend", "-lto=llvm-full"]),
    // Nothing of ours unwinds; debuggers have the frame pointers.
    .unsafeFlags([
      "-Xcc", "-fno-asynchronous-unwind-tables", "-Xcc", "-fno-unwind-tables",
    ]),
  ] : []

/// A layer of ours.
///
/// Arrows only go down (README, "The house").
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

/// A module map over a C library of Debian's.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// In the tests' mode the shipped programs are built too, so that a break in them shows at once.
func program(_ name: String, _ layer: Target.Dependency) -> Target {
  .executableTarget(name: name, dependencies: [layer])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies)
}

let package = Package(
  name: "Tappet",
  products: isEmbedded
    ? [
      .library(name: "TappetStatic", type: .static, targets: ["TappetInterface"]),
      .library(name: "TappetToolStatic", type: .static, targets: ["TappetTool"]),
      .library(name: "TappetReaderStatic", type: .static, targets: ["TappetReader"]),
      .library(name: "TappetSimulatorStatic", type: .static, targets: ["TappetSimulator"]),
    ]
    : [.library(name: "Tappet", targets: ["TappetCore", "TappetDevices", "TappetRuntime"])],
  targets: [
    .target(
      name: "CPlatform", path: "Sources/CLibraries/CPlatform", linkerSettings: [.linkedLibrary("m")]),
    // Not a module map over libgpiod: its two majors have too little in common.
    .target(name: "CGPIO", path: "Sources/CLibraries/CGPIO", linkerSettings: [.linkedLibrary("gpiod")]),
    library("CNFC", pkgConfig: "libnfc", apt: "libnfc-dev"),
    library("CMosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    library("CJSON", pkgConfig: "libcjson", apt: "libcjson-dev"),
    library("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
    library("CPNG", pkgConfig: "libpng", apt: "libpng-dev"),

    // The public header, so that the exports are checked against it.
    .systemLibrary(name: "CTappet", path: "Include"),

    layer("TappetCore", ["CPlatform", "COpenSSL"]),
    layer(
      "TappetDevices",
      ["TappetCore", "CPlatform", "CMosquitto", "CSQLite", "COpenSSL", "CYAML", "CJSON", "CGPIO"]),
    layer("TappetReader", ["TappetCore", "CPlatform", "CNFC"]),
    layer("TappetRuntime", ["TappetDevices"]),
    layer("TappetInterface", ["TappetRuntime", "CTappet"]),
    layer("TappetTool", ["TappetRuntime", "CQREncode", "CPNG"]),
    layer("TappetSimulator", ["TappetCore", "CPlatform"]),
  ]
    + (isEmbedded
      ? []
      : [
        program("tappet", "TappetTool"),
        program("tappet-tool", "TappetTool"),
        program("tappet-reader", "TappetReader"),
        program("tappet-sim", "TappetSimulator"),
        tests("CoreTests", ["TappetCore"]),
        tests("DeviceTests", ["TappetDevices", "TappetReader", "TappetSimulator", "TappetRuntime", "TappetTool"]),
        tests("SystemTests", ["TappetCore"]),
        // Tests/Simulation/run builds it with optimisation.
        .executableTarget(
          name: "Simulation", dependencies: ["TappetCore", "CPlatform"], path: "Tests/Simulation",
          exclude: ["run", "mutants", "mutants.txt"]),
      ]),
  swiftLanguageModes: [.v6]
)
