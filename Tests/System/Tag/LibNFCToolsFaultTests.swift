// tappet-sim's planted faults, as the tools and the kiosk's end of the panel see them.

import Foundation
import TestSupport
import Testing

@Suite struct LibNFCToolsFaultTests {
  @Test func `an unplugged reader cannot be opened until it is plugged in again`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ntag213")
    try world.tell("unplug")
    #expect(!FileManager.default.fileExists(atPath: world.link))
    #expect(try world.tool("nfc-list").output.contains("passive target") == false)
    try world.tell("plug")
    // nfc-list looks once, for milliseconds, which a busy machine may take away.
    #expect(try eventually { try world.tool("nfc-list").output.contains("1 ISO14443A passive target(s) found") })
  }

  @Test func `a program that has the line open is notified when the reader is unplugged`() throws {
    let world = try LibNFCToolsWorld()
    let line = open(world.link, O_RDWR | O_NOCTTY)
    defer { close(line) }
    #expect(line >= 0)
    try world.tell("unplug")
    var entry = pollfd(fd: line, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, Int32(patience * 1000)) == 1)
    #expect(Int32(entry.revents) & POLLHUP != 0)
    var byte: UInt8 = 0
    #expect(write(line, &byte, 1) == -1 && errno == EIO)
  }

  @Test func `a stalled reader is not found, and is found again afterwards`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("stall on")
    #expect(try world.tool("nfc-list").errors.contains("Unable to open NFC device"))
    try world.tell("stall off")
    #expect(try world.tool("nfc-list", ["-v"]).output.contains("0 ISO14443A passive target(s) found"))
  }

  @Test func `reading stops when the tag leaves half-way`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ntag215")
    try world.tell("take after 6")
    let read = try world.tool("nfc-mfultralight", ["r", world.folder.appendingPathComponent("dump").path])
    #expect(read.output.contains("Read failed"))
    #expect(throws: TestFault.self) { try world.tell("dump") }
  }

  @Test func `one wrong bit spoils one response`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ultralight")
    // GET_VERSION is the first exchange; nobody answers it, and it does not count.
    try world.tell("corrupt 2")
    let read = try world.tool("nfc-mfultralight", ["r", world.folder.appendingPathComponent("dump").path])
    #expect(read.output.contains("Read failed"))
    #expect(try world.counter("selects") >= 2)
  }

  @Test func `a damaged frame of the chip fails only one attempt to open the reader`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("chip-corrupt checksum")
    #expect(try world.tool("nfc-list").errors.contains("checksum"))
    #expect(try world.tool("nfc-list", ["-v"]).output.contains("0 ISO14443A passive target(s) found"))
  }

  @Test func `an impossible request is refused with a message`() throws {
    let world = try LibNFCToolsWorld()
    let program = try Programs.built("tappet-sim")
    for command in [
      "", "dance", "place", "place ntag999", "place ntag213 uid=0102", "place ntag213 uid=xyz", "take",
      "take after many",
      "dump", "press light", "plug", "lights wait ready 1", "place ntag213 ndef=" + String(repeating: "00", count: 145),
    ] {
      let refused = try Programs.run(program, ["ctl", world.control, command])
      #expect(refused.status == 1, "\(command)")
      #expect(refused.errors.hasPrefix("error "), "\(command)")
    }
    #expect(try Programs.run(program, ["ctl", world.control]).status == 2)
    #expect(try Programs.run(program, ["--link", "x"]).status == 2)
    #expect(try Programs.run(program, ["--no-such"]).status == 2)
    #expect(try Programs.run(program, ["ctl", "/nowhere/at/all", "take"]).status == 3)
    #expect(try Programs.run(program, ["--help"]).output.contains("Exit codes"))
    #expect(try Programs.run(program, ["--version"]).output.hasPrefix("tappet-sim "))
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `the simulator leaves nothing behind when it ends`(signal: Int32) throws {
    let world = try LibNFCToolsWorld()
    world.process.send(signal)
    #expect(world.process.ends(within: patience) && world.process.status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path).sorted() == ["out", "trace"])
  }

  @Test func `an existing file is not overwritten with the simulator's link`() throws {
    let world = try LibNFCToolsWorld()
    let file = world.folder.appendingPathComponent("precious")
    try Data("x".utf8).write(to: file)
    let other = world.folder.appendingPathComponent("other").path
    let refused = try Programs.run(try Programs.built("tappet-sim"), ["--link", file.path, "--control", other])
    #expect(refused.status == 3)
    #expect(try Data(contentsOf: file) == Data("x".utf8))
  }

  // MARK: The panel

  /// Connects as the kiosk does.
  private func connectPanel(_ world: LibNFCToolsWorld) throws -> Int32 {
    let number = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(world.panel.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw TestFault("the panel's socket does not accept: errno \(errno)") }
    return number
  }

  private func say(_ text: String, to kiosk: Int32) {
    _ = Array(text.utf8).withUnsafeBytes { send(kiosk, $0.baseAddress, $0.count, 0) }
  }

  @Test func `the simulated panel keeps the lights in order and with their times`() throws {
    let world = try LibNFCToolsWorld()
    let kiosk = try connectPanel(world)
    defer { close(kiosk) }
    say("light ready 1000", to: kiosk)
    say("nonsense", to: kiosk)
    say("light delivered-by-tag 2000", to: kiosk)
    let seen = try world.tell("lights wait delivered-by-tag 60000").split(separator: " ")
    #expect(seen.count == 3 && seen[0] == "delivered-by-tag" && seen[2] == "2000")
    let lights = try world.tell("lights").split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lights.map { $0[0] } == ["ready", "delivered-by-tag", "."])
    #expect(Int64(lights[0][1]) ?? 0 <= Int64(lights[1][1]) ?? 0)
    try world.tell("lights clear")
    #expect(try world.tell("lights") == ".")
    #expect(throws: TestFault.self) { try world.tell("lights wait ready 10") }
  }

  @Test func `the simulator can wait for a future light`() throws {
    let world = try LibNFCToolsWorld()
    let kiosk = try connectPanel(world)
    defer { close(kiosk) }
    let output = world.folder.path + "/waiter"
    let waiter = try TestProcess(
      try Programs.built("tappet-sim"), ["ctl", world.control, "lights", "wait", "queued", "60000"], output: output)
    say("light queued 5", to: kiosk)
    #expect(waiter.ends(within: patience) && waiter.status == 0)
    #expect(textSoFar(output).hasPrefix("ok queued "))
  }

  @Test func `presses reach the kiosk that connected last`() throws {
    let world = try LibNFCToolsWorld()
    let first = try connectPanel(world)
    say("light ready 1", to: first)
    try world.tell("lights wait ready 60000")
    close(first)
    let second = try connectPanel(world)
    defer { close(second) }
    say("button light", to: second)
    say("light starting 2", to: second)
    try world.tell("lights wait starting 60000")
    #expect(try world.tell("panel") == "connected")
    try world.tell("press light")
    try world.tell("release light")
    var buffer = [UInt8](repeating: 0, count: 64)
    for expected in ["pressed", "released"] {
      let count = recv(second, &buffer, buffer.count, 0)
      let words = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
      #expect(words.count == 3 && words[0] == expected && words[2] == "light" && Int64(words[1]) != nil, "\(words)")
    }
  }
}
