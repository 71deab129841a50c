// A tappet-sim of its own for each test, and the tools of libnfc and libfreefare that judge it.

import Foundation
import TestSupport
import Testing

/// A running tappet-sim in a folder of its own; gone when the test is.
final class LibNFCToolsWorld {
  let folder: URL
  let process: TestProcess
  private let program: URL

  var link: String { folder.appendingPathComponent("tty").path }
  var control: String { folder.appendingPathComponent("control").path }
  var trace: String { folder.appendingPathComponent("trace").path }
  var panel: String { folder.appendingPathComponent("panel").path }

  init(paced: Bool = false) throws {
    program = try Programs.built("tappet-sim")
    folder = try Programs.temporaryFolder()
    let output = folder.path + "/out"
    process = try TestProcess(
      program,
      [
        "--link", folder.path + "/tty", "--control", folder.path + "/control", "--panel", folder.path + "/panel",
        "--pace", paced ? "on" : "off", "--trace", folder.path + "/trace",
      ], output: output)
    guard eventually({ textSoFar(output) == "ready \(link)\n" }) else {
      throw TestFault("tappet-sim said '\(textSoFar(output))' instead of ready")
    }
  }

  deinit {
    process.stop(SIGTERM)
    try? FileManager.default.removeItem(at: folder)
  }

  /// A command of the control socket; its answer without `ok`.
  @discardableResult
  func tell(_ command: String) throws -> String {
    let finished = try Programs.run(program, ["ctl", control] + command.split(separator: " ").map(String.init))
    guard finished.status == 0 else { throw TestFault("\(command): \(finished.errors)") }
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
  func tool(
    _ name: String, _ arguments: [String] = [], input: String = "", limit: Double = patience
  ) throws -> Finished {
    let device = "pn532_uart:" + link
    return try Programs.run(
      try Programs.installed(name), arguments,
      environment: ["LIBNFC_DEFAULT_DEVICE": device, "LIBNFC_DEVICE": device], input: input, limit: limit)
  }
}
