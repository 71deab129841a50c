// The real tappet-reader with the real libnfc at a simulated chip, on both of whose ends a test can pull.

import Foundation
import TappetCore
import TappetKiosk
import TestSupport
import Testing

/// A simulated chip in a folder of its own, and a reader at it.
final class ReaderRig {
  let folder: URL
  private let simulator: TestProcess
  private(set) var reader: ReaderProcess?
  private var readings = TagReadingAssembler()

  var link: String { folder.appendingPathComponent("tty").path }
  private var control: String { folder.appendingPathComponent("control").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tappet-reader-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let output = folder.path + "/out"
    simulator = try TestProcess(
      try Programs.built("tappet-sim"),
      ["--link", folder.path + "/tty", "--control", folder.path + "/control", "--pace", "off"], output: output)
    guard eventually({ textSoFar(output).hasPrefix("ready") }) else {
      throw TestFault("the simulator did not start: \(textSoFar(output))")
    }
  }

  deinit {
    reader = nil
    simulator.stop(SIGTERM)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts a reader, by another program or at another device if wished; the one before it goes.
  @discardableResult
  func start(executable: String? = nil, device: String? = nil) throws -> ReaderProcess {
    reader = nil
    let process = try ReaderProcess(
      executable: executable ?? Programs.built("tappet-reader").path, device: device ?? "pn532_uart:" + link)
    reader = process
    return process
  }

  /// Starts a reader and waits until it polls.
  func startReady() throws {
    try start()
    let first = try next()
    guard case .message(.ready) = first else { throw TestFault("ready; there was \(first)") }
  }

  /// The next that the reader says, be it its end.
  func next(withinSeconds limit: Double = patience) throws -> ReaderProcess.Receipt {
    guard let reader else { throw TestFault("a reader") }
    let deadline = Date(timeIntervalSinceNow: limit)
    while true {
      let receipt = reader.receive()
      if receipt != .nothing { return receipt }
      let left = deadline.timeIntervalSinceNow
      guard left > 0 else { throw TestFault("any message within \(limit) s") }
      var state = pollfd(fd: reader.fileDescriptor, events: Int16(POLLIN), revents: 0)
      poll(&state, 1, Int32(left * 1000) + 1)
    }
  }

  /// The next message other than a heartbeat; a tag's reading once it is whole.
  func nextEvent(withinSeconds limit: Double = patience) throws -> ReaderProcess.Receipt {
    let deadline = Date(timeIntervalSinceNow: limit)
    while true {
      let receipt = try next(withinSeconds: max(0, deadline.timeIntervalSinceNow))
      guard case .message(let message) = receipt else { return receipt }
      if let message = readings.pass(message), message != .heartbeat { return .message(message) }
    }
  }

  /// The reading of a tag that arrives; anything else is a failure.
  func reading() throws -> TagReading {
    guard case .message(.tagArrived(let uid, _)) = try nextEvent() else { throw TestFault("tagArrived") }
    let event = try nextEvent()
    guard case .message(.tagRead(let reading)) = event, reading.uid == uid else {
      throw TestFault("tagRead of \(uid); there was \(event)")
    }
    return reading
  }

  /// Takes the tag away and waits until the reader has seen that.
  func take() throws {
    try tell("take")
    guard case .message(.tagLeft) = try nextEvent() else { throw TestFault("tagLeft") }
  }

  /// Says lines to the simulator, all at once; its answers' lines without `ok`.
  @discardableResult
  func tell(_ commands: String...) throws -> [String] {
    let answer = try LocalStream.ask(control, commands.joined(separator: "\n"))
    return try answer.split(separator: "\n").map { line in
      guard !line.hasPrefix("error") else { throw TestFault("\(commands): \(line)") }
      return line.hasPrefix("ok") ? String(line.dropFirst(3)) : String(line)
    }
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
  func until(_ what: String, _ condition: () throws -> Bool) throws {
    if try !eventually(condition) { throw TestFault(what) }
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
