// A barcode scanner that a test plays: a named pipe with the kernel's input events, see Tests/System/Faults/scanner.c.

import Foundation
import TestSupport

/// A scanner that can be plugged in, types codes, and is unplugged.
final class PlayedScanner {
  /// The path of its event device.
  let path: String
  /// The environment of a kiosk whose tappet-inventory takes the pipe for a device.
  let environment: [String: String]
  private var device: Int32 = -1

  init(in folder: String) throws {
    path = folder + "/scanner"
    let (library, wrapper) = (folder + "/scanner.so", folder + "/tappet-inventory")
    let made = try Programs.run(
      try Programs.installed("cc"),
      ["-std=gnu11", "-shared", "-fPIC", "-o", library, Repository.root + "/Tests/System/Faults/scanner.c"])
    guard made.status == 0 else { throw TestFault(made.errors) }
    let program = try Programs.built("tappet-tool").path
    try "#!/bin/sh\nLD_PRELOAD='\(library)' exec '\(program)' \"$@\"\n"
      .write(toFile: wrapper, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: wrapper)
    environment = ["TAPPET_INVENTORY": wrapper]
  }

  deinit { unplug() }

  func plug() throws {
    guard mkfifo(path, 0o600) == 0 else { throw TestFault("mkfifo: \(errno)") }
    // For both ways: it has a writer as long as it is plugged in, and waits for no reader.
    device = open(path, O_RDWR | O_CLOEXEC)
    guard device >= 0 else { throw TestFault("open: \(errno)") }
  }

  func unplug() {
    if device >= 0 { close(device) }
    device = -1
    unlink(path)
  }

  /// Types digits, capital letters, hyphens, and Enter for a line's end.
  func type(_ text: String) throws {
    var keys: [Character: UInt16] = ["\n": 28]
    let rows: [(first: UInt16, letters: String)] = [
      (2, "1234567890-"), (16, "QWERTYUIOP"), (30, "ASDFGHJKL"), (44, "ZXCVBNM"),
    ]
    for row in rows {
      for (letter, code) in zip(row.letters, row.first...) { keys[letter] = code }
    }
    for letter in text {
      guard let key = keys[letter] else { throw TestFault("no key for '\(letter)'") }
      if letter.isUppercase { send(42, 1) }
      send(key, 1)
      send(key, 0)
      if letter.isUppercase { send(42, 0) }
    }
  }

  private func send(_ code: UInt16, _ value: Int32) {
    var now = timeval()
    gettimeofday(&now, nil)
    var event: [UInt8] = []
    for part in [Int64(now.tv_sec), Int64(now.tv_usec)] { withUnsafeBytes(of: part) { event += $0 } }
    for part in [UInt16(1), code] { withUnsafeBytes(of: part) { event += $0 } }
    withUnsafeBytes(of: value) { event += $0 }
    _ = write(device, event, event.count)
  }
}

/// A serial scanner that a test plays, at a path that does not change.
final class SerialScanner {
  /// The path of its device, a link.
  let path: String
  private var line: SerialLine?

  init(in folder: String) { path = folder + "/scanner" }

  func plug() throws {
    let line = try SerialLine()
    self.line = line
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: line.path)
  }

  func unplug() {
    line = nil
    unlink(path)
  }

  func send(_ text: String) throws { try line?.send(text) }
}
