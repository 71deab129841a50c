// The real tappet-reader with the real libnfc at a simulated chip, on both of whose ends a test can pull.

import Foundation
import TappetCore
import TappetDevices
import Testing

/// Where the built programs are: TAPPET_BIN, or the folder that the test bundle is in.
enum Programs {
  static func path(_ name: String) -> String {
    if let folder = ProcessInfo.processInfo.environment["TAPPET_BIN"] { return folder + "/" + name }
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name).path
  }
}

/// What a test waited for did not come.
struct Missing: Error, CustomStringConvertible {
  var description: String
}

/// A simulated chip in a folder of its own, and a reader at it.
final class ReaderRig {
  let folder: URL
  private let simulator = Process()
  private(set) var reader: ReaderProcess?

  var link: String { folder.appendingPathComponent("tty").path }
  private var control: String { folder.appendingPathComponent("control").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tappet-reader-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = Pipe()
    simulator.executableURL = URL(fileURLWithPath: Programs.path("tappet-sim"))
    simulator.arguments = ["--link", link, "--control", control, "--pace", "off"]
    simulator.standardOutput = output
    try simulator.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("ready") else { throw Missing(description: "the simulator did not start: \(line)") }
  }

  deinit {
    reader = nil
    simulator.terminate()
    simulator.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts a reader, by another program or at another device if wished; the one before it goes.
  @discardableResult
  func start(executable: String? = nil, device: String? = nil) throws -> ReaderProcess {
    reader = nil
    let process = try ReaderProcess(
      executable: executable ?? Programs.path("tappet-reader"), device: device ?? "pn532_uart:" + link)
    reader = process
    return process
  }

  /// Starts a reader and waits until it polls.
  func startReady() throws {
    try start()
    let first = try next()
    guard case .message(.ready) = first else { throw Missing(description: "ready; there was \(first)") }
  }

  /// The next that the reader says, be it its end.
  func next(withinSeconds limit: Double = 10) throws -> ReaderProcess.Receipt {
    guard let reader else { throw Missing(description: "a reader") }
    let deadline = Date(timeIntervalSinceNow: limit)
    while true {
      let receipt = reader.receive()
      if receipt != .nothing { return receipt }
      let left = deadline.timeIntervalSinceNow
      guard left > 0 else { throw Missing(description: "any message within \(limit) s") }
      var state = pollfd(fd: reader.fileDescriptor, events: Int16(POLLIN), revents: 0)
      poll(&state, 1, Int32(left * 1000) + 1)
    }
  }

  /// The next that is no heartbeat.
  func nextEvent(withinSeconds limit: Double = 10) throws -> ReaderProcess.Receipt {
    let deadline = Date(timeIntervalSinceNow: limit)
    while true {
      let receipt = try next(withinSeconds: max(0, deadline.timeIntervalSinceNow))
      if receipt != .message(.heartbeat) { return receipt }
    }
  }

  /// The reading of a tag that arrives; anything else is a failure.
  func reading() throws -> TagReading {
    guard case .message(.tagArrived(let uid)) = try nextEvent() else { throw Missing(description: "tagArrived") }
    let event = try nextEvent()
    guard case .message(.tagRead(let reading)) = event, reading.uid == uid else {
      throw Missing(description: "tagRead of \(uid); there was \(event)")
    }
    return reading
  }

  /// Takes the tag away and waits until the reader has seen that.
  func take() throws {
    try tell("take")
    guard case .message(.tagLeft) = try nextEvent() else { throw Missing(description: "tagLeft") }
  }

  /// Says one line to the simulator; its answer's lines without `ok`.
  @discardableResult
  func tell(_ command: String) throws -> [String] {
    let process = Process()
    let (output, complaint) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: Programs.path("tappet-sim"))
    process.arguments = ["ctl", control] + command.split(separator: " ").map(String.init)
    process.standardOutput = output
    process.standardError = complaint
    try process.run()
    let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let error = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Missing(description: "\(command): \(error)") }
    return answer.split(separator: "\n").map { $0.hasPrefix("ok") ? String($0.dropFirst(3)) : String($0) }
  }

  /// One of the simulator's counters.
  func counter(_ name: String) throws -> Int {
    for line in try tell("counters") where line.hasPrefix(name + " ") {
      return Int(line.dropFirst(name.count + 1)) ?? 0
    }
    return 0
  }

  /// The tag's whole memory, as the simulator has it.
  func memory() throws -> [UInt8] { bytes(ofHex: try tell("dump").first ?? "") }

  /// Waits until `condition` holds.
  func until(_ what: String, withinSeconds limit: Double = 10, _ condition: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: limit)
    while try !condition() {
      guard deadline.timeIntervalSinceNow > 0 else { throw Missing(description: what) }
      poll(nil, 0, 20)
    }
  }
}

func bytes(ofHex text: String) -> [UInt8] {
  let digits = Array(text.utf8)
  return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
    UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
  }
}

func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02X", $0) }.joined() }

/// A tag URL as today's app writes it: 101 characters with a one-digit index.
let tagURL = "smp://action?idx=1&ts=1700000000&sig=" + String(repeating: "0a", count: 32)

/// An NDEF message of `size` bytes: one URI record.
func message(ofSize size: Int) -> [UInt8] {
  let payload = [0x00] + Array(repeating: UInt8(ascii: "a"), count: size - (size > 260 ? 8 : 5))
  if payload.count < 256 { return [0xD1, 0x01, UInt8(payload.count), 0x55] + payload }
  return [0xC1, 0x01, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 0x55] + payload
}
