// A program that runs beside a test until the test is over: started, watched, ended by its own process id.

import Foundation
import TestSupport

/// A running program; its output goes to a file.
final class Service {
  let process = Process()
  let log: String

  init(_ program: URL, _ arguments: [String], log: String, environment: [String: String] = [:]) throws {
    self.log = log
    if !FileManager.default.fileExists(atPath: log) { _ = FileManager.default.createFile(atPath: log, contents: nil) }
    guard let output = FileHandle(forWritingAtPath: log) else {
      throw WorldFault(description: "\(log) cannot be written")
    }
    output.seekToEndOfFile()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    // The threads that tests run on block all signals, and a child would begin with them blocked: SIGTERM would not end
    // it.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  deinit { end(SIGKILL) }

  var pid: pid_t { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// Everything that it said so far.
  var text: String { textSoFar(log) }

  func signal(_ number: Int32) { if process.isRunning { kill(pid, number) } }

  /// Signals it and waits for its end; whether it ended in time.
  @discardableResult
  func end(_ number: Int32 = SIGTERM, within seconds: Double = 10) -> Bool {
    signal(number)
    return eventually(seconds) { !self.process.isRunning }
  }
}

/// The content so far of a file that somebody may be writing to; empty when there is none.
///
/// By the system's own calls: Foundation, reading a file that grows meanwhile, has run beyond its buffer (Swift 6.3.1).
func textSoFar(_ path: String) -> String { String(decoding: bytesSoFar(path), as: UTF8.self) }

/// As `textSoFar`, where it need not be text.
func bytesSoFar(_ path: String) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = read(file, &block, block.count)
    guard count > 0 else { return bytes }
    bytes += block[..<count]
  }
}

/// Waits for a condition for at most this number of seconds; returns whether it came true.
func eventually(_ seconds: Double = 10, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    usleep(5000)
  }
  return try condition()
}

/// The kernel's facts about a process.
enum Kernel {
  /// How many descriptors it has open.
  static func descriptorCount(_ pid: pid_t) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count ?? -1
  }

  /// Resident memory in KB.
  static func residentKilobytes(_ pid: pid_t) -> Int {
    let text = textSoFar("/proc/\(pid)/status")
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.split(whereSeparator: { !$0.isNumber }).first ?? "") ?? -1
  }

  /// Its children of this name.
  static func children(of pid: pid_t) -> [pid_t] {
    let text = textSoFar("/proc/\(pid)/task/\(pid)/children")
    return text.split(separator: " ").compactMap { pid_t($0) }
  }

  /// Its command line, the words apart by spaces.
  static func commandLine(_ pid: pid_t) -> String {
    let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
  }
}
