// The real tappet-reader with the real libnfc at a simulated chip, on both of whose ends a test can pull.

import Foundation
import TappetCore
import TappetKiosk
import Testing

/// Where the built programs are: TAPPET_BIN, or the folder that the test bundle is in.
enum Programs {
  static func path(_ name: String) -> String {
    if let folder = ProcessInfo.processInfo.environment["TAPPET_BIN"] {
      return name == "tappet-reader" ? folder + "/../libexec/tappet/" + name : folder + "/" + name
    }
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name).path
  }
}

/// An event that a test waited for did not come.
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

  /// The next message other than a heartbeat.
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

  /// Says lines to the simulator, all at once; its answers' lines without `ok`.
  @discardableResult
  func tell(_ commands: String...) throws -> [String] {
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: control.utf8) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else { throw Missing(description: "the simulator") }
    let lines = Array((commands.joined(separator: "\n") + "\n").utf8)
    _ = lines.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
    // It answers all and closes.
    shutdown(connection, Int32(SHUT_WR))
    let answer = FileHandle(fileDescriptor: connection, closeOnDealloc: false).readDataToEndOfFile()
    return try String(decoding: answer, as: UTF8.self).split(separator: "\n").map { line in
      guard !line.hasPrefix("error") else { throw Missing(description: "\(commands): \(line)") }
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
