// A tappet-sim of its own for each test, and the programs that judge it.

import Foundation
import TestSupport
import Testing

/// A failure before anything could be judged.
struct WorldFault: Error, CustomStringConvertible {
  var description: String
}

/// The output and the status of a program.
struct Finished {
  var status: Int32
  var output: String
  var errors: String
}

/// Runs programs to their end, with a limit.
enum Programs {
  /// Where the built programs are: the folder TAPPET_BIN, or that of the tests.
  static func built(_ name: String) throws -> URL {
    let folder =
      ProcessInfo.processInfo.environment["TAPPET_BIN"].map { URL(fileURLWithPath: $0) }
      ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let file = folder.appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: file.path) else {
      throw WorldFault(description: "\(file.path) is not there: build it, or name its folder in TAPPET_BIN")
    }
    return file
  }

  /// A program that Debian has, by name.
  static func installed(_ name: String) throws -> URL {
    for folder in ["/usr/bin", "/usr/local/bin"] {
      let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    throw WorldFault(description: "\(name) is not installed; 'make deps' names its package")
  }

  /// The interpreter that has ndeflib.
  static func python() throws -> URL {
    let path =
      ProcessInfo.processInfo.environment["TAPPET_PYTHON"]
      ?? FileManager.default.currentDirectoryPath + "/.build-python/bin/python"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw WorldFault(description: "\(path) is not there: 'make deps' makes it, with ndeflib in it")
    }
    return URL(fileURLWithPath: path)
  }

  /// Runs it to its end; one that takes longer than `limit` seconds is ended and is an error.
  static func run(
    _ program: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "", limit: Double = 30
  ) throws -> Finished {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    // Files, not pipes: nobody has to read while it runs.
    let files = try ["in", "out", "err"].map { name in
      let file = folder.appendingPathComponent(name)
      try Data((name == "in" ? input : "").utf8).write(to: file)
      return file
    }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    guard ended.wait(timeout: .now() + limit) == .success else {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      throw WorldFault(description: "\(program.lastPathComponent) did not end within \(limit) s")
    }
    return Finished(
      status: process.terminationStatus, output: textSoFar(files[1].path), errors: textSoFar(files[2].path))
  }

  static func temporaryFolder() throws -> URL {
    // Short, because a Unix socket's path has room for 107 bytes.
    let folder = URL(fileURLWithPath: "/tmp/tappet-" + UUID().uuidString.prefix(8))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }
}

/// A running tappet-sim in a folder of its own; gone when the test is.
final class LibNFCToolsWorld {
  let folder: URL
  let process = Process()
  private let program: URL

  var link: String { folder.appendingPathComponent("tty").path }
  var control: String { folder.appendingPathComponent("control").path }
  var trace: String { folder.appendingPathComponent("trace").path }
  var panel: String { folder.appendingPathComponent("panel").path }

  init(paced: Bool = false) throws {
    program = try Programs.built("tappet-sim")
    folder = try Programs.temporaryFolder()
    process.executableURL = program
    process.arguments = [
      "--link", link, "--control", control, "--panel", panel, "--pace", paced ? "on" : "off",
      "--trace", trace,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // Its one line, or the end of a program that failed.
    let line = output.fileHandleForReading.availableData
    guard String(decoding: line, as: UTF8.self) == "ready \(link)\n" else {
      throw WorldFault(description: "tappet-sim said '\(String(decoding: line, as: UTF8.self))' instead of ready")
    }
  }

  deinit {
    if process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// A command of the control socket; its answer without `ok`.
  @discardableResult
  func tell(_ command: String) throws -> String {
    let finished = try Programs.run(program, ["ctl", control] + command.split(separator: " ").map(String.init))
    guard finished.status == 0 else { throw WorldFault(description: "\(command): \(finished.errors)") }
    let answer = finished.output.trimmingCharacters(in: .newlines)
    return answer.hasPrefix("ok") ? String(answer.dropFirst(3)) : answer
  }

  /// A line of `counters`.
  func counter(_ name: String) throws -> Int {
    for line in try tell("counters").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == name { return Int(words[1]) ?? -1 }
    }
    return 0
  }

  /// One of libnfc's or libfreefare's tools on this reader.
  func tool(_ name: String, _ arguments: [String] = [], input: String = "", limit: Double = 30) throws -> Finished {
    let device = "pn532_uart:" + link
    return try Programs.run(
      try Programs.installed(name), arguments,
      environment: ["LIBNFC_DEFAULT_DEVICE": device, "LIBNFC_DEVICE": device], input: input, limit: limit)
  }
}
