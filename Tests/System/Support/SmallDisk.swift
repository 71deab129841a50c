// A file system of its own that can be filled to the last block.

import Foundation
import TestSupport
import Testing

/// An ext4 file system with blocks of 2 KB in a file, mounted at `path`.
final class SmallDisk {
  /// Whether this process may mount one.
  static let isPossible = geteuid() == 0 && (try? SmallDisk(size: 1024)) != nil

  let path: String
  private let image: String
  private let filler: String

  /// A file system of `size` KB.
  init(size: Int = 6 * 1024) throws {
    let folder = try Programs.temporaryFolder().path
    (path, image, filler) = (folder + "/disk", folder + "/image", folder + "/disk/filler")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try run("truncate", ["--size=\(size)K", image])
    try run("mkfs.ext4", ["-q", "-b", "2048", "-m", "0", image])
    try run("mount", ["-o", "loop", image, path])
  }

  deinit {
    try? run("umount", ["--lazy", path])
    try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: image).deletingLastPathComponent().path)
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let done = try Programs.run(Programs.installed(program), arguments)
    guard done.status == 0 else { throw TestFault("\(program): \(done.errors)") }
  }

  /// Leaves `count` bytes free.
  func fill(leaving count: Int = 0) throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw TestFault("the filler") }
    defer { close(file) }
    var size = 0
    for piece in [64 * 1024, 2048] {
      let bytes = [UInt8](repeating: 0x55, count: piece)
      while true {
        let written = write(file, bytes, piece)
        guard written > 0 else { break }
        size += written
        // Blocks are only promised until then.
        fsync(file)
      }
    }
    guard errno == ENOSPC, ftruncate(file, off_t(size - count)) == 0, fsync(file) == 0 else {
      throw TestFault("the disk is not full: errno \(errno)")
    }
  }

  /// Removes the file that fills it.
  func empty() { unlink(filler) }
}

extension KioskWorld {
  /// A world with its state on a disk of its own, and two messages waiting there; the kiosk has ended.
  static func stranded(on disk: SmallDisk, by signal: Int32) throws -> KioskWorld {
    let world = try KioskWorld()
    try world.moveState(to: disk)
    try world.start()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    for _ in 0...1 { _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "queued") }
    #expect(world.kiosk?.end(signal) == true)
    return world
  }

  /// Has a new state folder on the disk, with the same secrets.
  func moveState(to disk: SmallDisk) throws {
    let text = try String(contentsOfFile: configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "state: state", with: "state: \(disk.path)/state")
      .write(toFile: configPath, atomically: true, encoding: .utf8)
    for index in 0...1 { try importSecret(index: index, key: keys[index]) }
  }
}
