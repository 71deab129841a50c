// A program that runs beside a test until the test is over: started, watched, ended by its own process id.

import Foundation
import TestSupport

/// A running program; its output goes to a file.
final class Service {
  private let process: TestProcess
  let log: String

  init(_ program: URL, _ arguments: [String], log: String, environment: [String: String] = [:]) throws {
    self.log = log
    process = try TestProcess(program, arguments, environment: environment, output: log)
  }

  deinit { end(SIGKILL) }

  var pid: pid_t { process.id }
  var isRunning: Bool { process.isRunning }
  /// Its exit status once it has ended; 128 + N when signal N ended it.
  var status: Int32? { process.status }

  /// Everything that it said so far.
  var text: String { textSoFar(log) }

  func signal(_ number: Int32) { process.send(number) }

  /// Signals it and waits for its end; whether it ended in time.
  @discardableResult
  func end(_ number: Int32 = SIGTERM, within seconds: Double = patience) -> Bool {
    process.send(number)
    return process.ends(within: seconds)
  }
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
