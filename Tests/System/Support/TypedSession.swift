// A program on a pseudo-terminal, and somebody who reads and types: script(1), which every Debian has, makes the
// terminal.

import Foundation
import TestSupport

/// Text to type once certain words have appeared.
final class TypedSession {
  private let process = Process()
  private let keyboard = Pipe()
  private let log: String
  private var position = 0

  /// Starts `program`; what it shows is in `text`.
  init(_ program: URL, _ arguments: [String], log: String, environment: [String: String] = [:]) throws {
    self.log = log
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    let command = ([program.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    process.executableURL = try Programs.installed("script")
    process.arguments = ["--quiet", "--return", "--command", "exec " + command, "/dev/null"]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = keyboard
    process.standardOutput = FileHandle(forWritingAtPath: log)
    process.standardError = FileHandle.nullDevice
    // As in Service: children would begin with the signals blocked that this thread blocks.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  deinit {
    try? keyboard.fileHandleForWriting.close()
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Everything that was shown.
  var text: String { textSoFar(log) }

  /// Waits for the words, after those of the last time.
  func expect(_ words: String, seconds: Double = 30) throws {
    let found = eventually(seconds) {
      guard let range = self.text.dropFirst(self.position).range(of: words) else { return false }
      self.position = self.text.distance(from: self.text.startIndex, to: range.upperBound)
      return true
    }
    guard found else { throw WorldFault(description: "waited in vain for '\(words)' in:\n\(text)") }
  }

  /// Waits for the words, and answers with a line.
  func answer(_ words: String, _ line: String) throws {
    try expect(words)
    try type(line + "\r")
  }

  /// Types a text into the terminal.
  func type(_ keys: String) throws { try keyboard.fileHandleForWriting.write(contentsOf: Data(keys.utf8)) }

  /// Its exit status, once it has ended.
  func status(seconds: Double = 30) throws -> Int32 {
    guard eventually(seconds, { !self.process.isRunning }) else {
      throw WorldFault(description: "it did not end:\n\(text)")
    }
    return process.terminationStatus
  }
}
