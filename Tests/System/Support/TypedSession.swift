// A program on a pseudo-terminal, and somebody who reads and types: script(1), which every Debian has, makes the
// terminal.

import Foundation
import TestSupport

/// Text to type once certain words have appeared.
final class TypedSession {
  private let process: TestProcess
  private let log: String
  private var position = 0

  /// Starts `program`; what it shows is in `text`.
  init(_ program: URL, _ arguments: [String], log: String, environment: [String: String] = [:]) throws {
    self.log = log
    // Wide, so that no question is wrapped.
    let command = "stty columns 500; exec " + ([program.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    process = try TestProcess(
      try Programs.installed("script"), ["--quiet", "--return", "--command", command, "/dev/null"],
      environment: environment.merging(["TERM": "xterm"]) { given, _ in given }, input: .typed, output: log,
      errors: "/dev/null")
  }

  deinit {
    process.endTyping()
    process.stop(SIGKILL)
  }

  /// Everything that was shown.
  var text: String { textSoFar(log) }

  /// Waits for the words, after those of the last time.
  func expect(_ words: String, seconds: Double = patience) throws {
    let found = eventually(within: seconds) {
      guard let range = self.text.dropFirst(self.position).range(of: words) else { return false }
      self.position = self.text.distance(from: self.text.startIndex, to: range.upperBound)
      return true
    }
    guard found else { throw TestFault("waited in vain for '\(words)' in:\n\(text)") }
  }

  /// Waits for the words, and answers with a line.
  func answer(_ words: String, _ line: String) throws {
    try expect(words)
    try type(line + "\r")
  }

  /// Waits for the words of each question and answers it, or only waits for the words of a message.
  func play(_ lines: KeyValuePairs<String, String?>) throws {
    for (words, line) in lines {
      if let line { try answer(words, line) } else { try expect(words) }
    }
  }

  /// Stops the program, as Ctrl-Z does, and continues it after `body`, which gets its process id.
  func whileStopped(_ body: (pid_t) throws -> Void) throws {
    let program = try program
    kill(program, SIGSTOP)
    // script(1) stops with its program, and would otherwise stop after it was continued.
    let stopped = eventually {
      let state = try? String(contentsOfFile: "/proc/\(self.process.id)/stat", encoding: .utf8)
      return state?.contains(") T ") == true
    }
    guard stopped else { throw TestFault("script(1) did not stop with its program") }
    try body(program)
    kill(program, SIGCONT)
    kill(process.id, SIGCONT)
  }

  /// Interrupts the program, as the terminal does when somebody types Ctrl-C.
  ///
  /// For a typed one, the kernel also discards the output that nobody has read yet, possibly including what the program
  /// shows in response; script(1), which is about to read it, then waits forever.
  func interrupt() throws { kill(try program, SIGINT) }

  private var program: pid_t {
    get throws {
      let children = try String(contentsOfFile: "/proc/\(process.id)/task/\(process.id)/children", encoding: .utf8)
      guard let program = children.split(separator: " ").first.flatMap({ pid_t($0) }) else {
        throw TestFault("the program does not run")
      }
      return program
    }
  }

  /// Types a text into the terminal, a long one in pieces that the program echoes.
  ///
  /// script(1) would otherwise wait for a program that does not read because it waits for script(1) to read its echo.
  func type(_ keys: String) throws {
    var rest = Substring(keys)
    while rest.count > 256 {
      let size = text.utf8.count
      try process.type(String(rest.prefix(256)))
      rest = rest.dropFirst(256)
      guard eventually({ self.text.utf8.count >= size + 256 }) else { throw TestFault("no echo:\n\(text)") }
    }
    try process.type(String(rest))
  }

  /// Its exit status, once it has ended.
  func status(seconds: Double = patience) throws -> Int32 {
    guard process.ends(within: seconds) else {
      throw TestFault("it did not end:\n\(text)")
    }
    return process.status ?? -1
  }
}
