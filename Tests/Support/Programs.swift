// The programs that tests start: Tappet's own, and those of Debian that judge them.

import Foundation

/// A failure before anything could be judged.
package struct TestFault: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

/// The output and the status of a program.
package struct Finished {
  /// 128 + N when signal N ended it.
  package var status: Int32
  package var output: String
  package var errors: String
}

/// Finds programs, and runs them to their end.
package enum Programs {
  /// A program of ours: in TAPPET_BIN, laid out as it is installed, or else where the tests were built.
  package static func built(_ name: String) throws -> URL {
    let folders: [URL] =
      if let chosen = ProcessInfo.processInfo.environment["TAPPET_BIN"] {
        ["", "/../libexec/tappet"].map { URL(fileURLWithPath: chosen + $0) }
      } else {
        ["/proc/self/exe", CommandLine.arguments[0]].map {
          URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent()
        }
      }
    return try found(name, in: folders, hint: "build it, or name its folder in TAPPET_BIN")
  }

  /// A program that Debian has.
  package static func installed(_ name: String) throws -> URL {
    let folders = ["/usr/bin", "/usr/local/bin", "/usr/sbin", "/usr/local/sbin"].map { URL(fileURLWithPath: $0) }
    return try found(name, in: folders, hint: "'tools/deps install tests' installs it")
  }

  /// The interpreter that has ndeflib and Prometheus's client.
  package static func python() throws -> URL {
    let chosen = ProcessInfo.processInfo.environment["TAPPET_PYTHON"] ?? Repository.path(".build-python/bin/python")
    let folder = URL(fileURLWithPath: chosen).deletingLastPathComponent()
    return try found("python", in: [folder], hint: "'tools/deps install tests' makes it, with ndeflib in it")
  }

  private static func found(_ name: String, in folders: [URL], hint: String) throws -> URL {
    let files = folders.map { $0.appendingPathComponent(name) }
    if let file = files.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) { return file }
    throw TestFault("\(files[0].path) is not there: \(hint)")
  }

  /// Runs it to its end; one that takes longer than `limit` seconds is ended and is an error.
  package static func run(
    _ program: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    limit: Double = patience
  ) throws -> Finished {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, not pipes: nobody has to read while it runs.
    let (words, output, errors) = (folder.path + "/in", folder.path + "/out", folder.path + "/err")
    try Data(input.utf8).write(to: URL(fileURLWithPath: words))
    let process = try TestProcess(
      program, arguments, environment: environment, input: .file(words), output: output, errors: errors)
    guard process.ends(within: limit) else {
      process.stop(SIGKILL)
      throw TestFault("\(program.lastPathComponent) did not end within \(limit) s")
    }
    return Finished(status: process.status ?? -1, output: textSoFar(output), errors: textSoFar(errors))
  }

  /// A new folder of a short name: a Unix socket's path has room for 107 bytes.
  package static func temporaryFolder() throws -> URL {
    let folder = URL(fileURLWithPath: "/tmp/tappet-" + UUID().uuidString.prefix(8))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }
}
