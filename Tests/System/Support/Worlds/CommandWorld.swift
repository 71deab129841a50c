// A kiosk that takes commands, published by Debian's own clients and proved by openssl.

import Foundation
import TestSupport

final class CommandWorld {
  let world: KioskWorld
  /// When the kiosk had started, by the wall clock.
  private(set) var startedAt = 0

  /// `expires` is that of the topics that want a proof: 120 s are enough for a slow machine to make and deliver one.
  init(expires: String = "120 s") throws {
    world = try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: """
          panel:
            simulator: panel
            outputs:
              - {name: gate, line: GPIO20, pulse: 300 ms}
              - {name: pump, line: GPIO21}
          commands:
            - {topic: home/lobby/command, trust: trusted, outputs: [gate], actions: [bell], reply: home/lobby/reply}
            - {topic: home/lobby/sealed, trust: token, expires: \(expires), outputs: [gate], reply: home/lobby/reply}
            - {topic: home/lobby/signed, trust: signed, expires: \(expires), key: {file: signing.key},
               outputs: [gate], actions: [light], reply: home/lobby/reply}
            - {topic: home/lobby/pump, trust: trusted, outputs: [pump], per_minute: 600}
            - {topic: home/lobby/device, role: esp32, open: gate, stop: pump, close: gate}
          """))
    try Data("\(world.keys[0])\n".utf8).write(to: URL(fileURLWithPath: world.folder + "/signing.key"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: world.folder + "/signing.key")
  }

  /// Starts, waits for the broker's answers to all subscriptions, and forgets the levels so far.
  func start() throws {
    func readyCount() -> Int { world.log.components(separatedBy: "event=commands-ready").count - 1 }
    let before = readyCount()
    try world.start()
    guard eventually({ readyCount() == before + 5 }) else { throw TestFault(world.log) }
    startedAt = Int(Date().timeIntervalSince1970)
    try world.tell("levels clear")
  }

  /// Waits until a proof that is dated `ahead` seconds ahead may act; `window` is the longest `expires` of all topics.
  ///
  /// Its date has to be more than that window after the start. With `ahead` two seconds less, only these two are waited
  /// for.
  func awaitStart(window: Int, ahead: Int) throws {
    guard eventually({ Int(Date().timeIntervalSince1970) + ahead > self.startedAt + window }) else {
      throw TestFault("the clock stands still")
    }
  }

  func client(_ program: String, _ arguments: [String], input: String = "") throws -> Finished {
    try Programs.run(
      try Programs.installed(program),
      [
        "-h", "localhost", "-p", "\(world.broker.port)", "-q", "1", "--cafile", try Certificates.path("ca.pem"),
        "--cert", try Certificates.path("second-client.pem"), "--key", try Certificates.path("second-client.key"),
      ] + arguments, input: input)
  }

  func publish(_ topic: String, _ message: String, isRetained: Bool = false) throws {
    let done = try client(
      "mosquitto_pub", ["-t", "home/lobby/" + topic, "-s"] + (isRetained ? ["-r"] : []), input: message)
    guard done.status == 0 else { throw TestFault(done.errors) }
  }

  /// The replies so far: their `id` and `result`, and `code` where there is one.
  var replies: [String] {
    (world.witness?.all ?? []).filter { $0.topic == "home/lobby/reply" }.map { reply in
      let json = (try? JSONSerialization.jsonObject(with: Data(reply.payload.utf8))) as? [String: Any]
      let words = ["id", "result", "code"].compactMap { json?[$0] as? String }
      return words.joined(separator: " ")
    }
  }

  /// The first reply to the command of this id.
  func reply(to id: String) throws -> String {
    func found() -> String? { replies.first { $0.hasPrefix(id + " ") } }
    guard eventually({ found() != nil }), let reply = found() else {
      throw TestFault("no reply to '\(id)': \(replies); log:\n\(world.log.suffix(2000))")
    }
    return reply
  }

  func levels(of output: String) throws -> [Bool] {
    try world.tell("levels").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 4 && words[0] == output ? words[1] == "1" : nil
    }
  }

  /// A token as the ESP32 project makes it (docs/formats.md, "%T"), by openssl; a forged one has a wrong checksum.
  func token(ahead: Int = 0, isForged: Bool = false) throws -> String {
    let seconds = UInt32(Int(Date().timeIntervalSince1970) + ahead)
    var block = (0..<4).map { _ in UInt8.random(in: 0...255) }
    block += (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
    block += (0..<7).map { _ in UInt8.random(in: 0...255) }
    block.append(block.reduce(isForged ? 1 : 0) { $0 &+ $1 })
    let file = world.folder + "/block"
    try Data(block).write(to: URL(fileURLWithPath: file))
    let sealed = try Programs.run(
      try Programs.installed("openssl"),
      ["enc", "-aes-128-ecb", "-nopad", "-K", world.timestampKey, "-in", file, "-out", file + ".sealed"])
    guard sealed.status == 0 else { throw TestFault(sealed.errors) }
    return try Data(contentsOf: URL(fileURLWithPath: file + ".sealed")).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }.joined()
  }
}
