// Doors through the shipped programs: contacts at a virtual panel, whose levels last while the kiosk is killed.

import Foundation
import TestSupport
import Testing

extension KioskWorld {
  fileprivate static func withDoor(heldOpen: String = "1 h") throws -> KioskWorld {
    try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: """
            - {name: enter, output: {latch: pulse}, cooldown: 0 s}
            - {name: sign, topic: home/sign, message: in, requires: {front: closed}}
          panel:
            simulator: panel
            leds: {status: GPIO17}
            lock_after: 1 h
            unlock_code: [GPIO5]
            outputs:
              - {name: latch, line: GPIO20, pulse: 60 s}
              - {name: gate, line: GPIO21, requires: {front: closed}}
            inputs:
              - {name: front, line: GPIO22, of: latch, held_open: \(heldOpen), relock: true}
              - {name: exit, line: GPIO23, kind: exit, of: latch}
            buttons: [{line: GPIO5, press: enter}, {line: GPIO6, press: sign}]
          """))
  }

  fileprivate func input(_ name: String) throws -> [String: Any] {
    try tappet("status", "--json").list("inputs").first { $0["name"] as? String == name } ?? [:]
  }

  /// The levels of the latch since they were cleared.
  fileprivate func openings() throws -> [Bool] { try levels().filter { $0.output == "latch" }.map(\.isOn) }

  /// The rows of the tap log about inputs, oldest first.
  fileprivate func rows() throws -> [String] {
    try tappet("history", "--csv").output.components(separatedBy: "\r\n").compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == 14, fields[11] == "front" else { return nil }
      return String(fields[1]) + (fields[7].isEmpty ? "" : " " + fields[7])
    }
  }
}

@Suite(.serialized) struct InputTests {
  @Test func `a door is forced, held open and closed, in the status, the log and the history`() throws {
    let world = try KioskWorld.withDoor(heldOpen: "1 s")
    try world.start(until: "locked")
    try #require(try eventually { try world.input("front")["state"] as? String == "closed" })
    try world.tell("lights clear")
    try world.tell("open front")
    try #require(try eventually { try world.input("front")["held_open"] as? Bool == true })
    let front = try world.input("front")
    #expect(front["cause"] as? String == "forced" && front["kind"] as? String == "door")
    #expect(try world.tell("lights").contains("forced"))
    let text = try world.tappet("status").output
    #expect(text.contains("input     front: open by force for too long"), "\(text)")
    let metrics = try Prometheus.parse(try world.tappet("status", "--prometheus").output)
    #expect(metrics["tappet_input_forced{input=front}"] == 1 && metrics["tappet_input_open{input=exit}"] == 0)
    try world.tell("close front")
    #expect(eventually { world.log.contains("event=input-closed") }, "\(world.log)")
    #expect(world.log.contains("event=input-forced") && world.log.contains("event=input-held-open"))
    #expect(try world.rows() == ["forced", "held-open", "closed"])
  }

  @Test func `an exit opens the door of a locked panel, and its opening ends the pulse`() throws {
    let world = try KioskWorld.withDoor()
    try world.start(until: "locked")
    try world.tell("levels clear")
    try world.tell("open exit")
    try #require(try eventually { try world.openings() == [true] })
    try world.tell("close exit")
    try world.tell("open front")
    #expect(try eventually { try world.openings() == [true, false] }, "\(world.log)")
    #expect(try world.input("front")["cause"] as? String == "permitted")
    #expect(try world.tappet("history", "--by", "exit").output.hasSuffix("switched-on    latch  input exit\n"))
  }

  @Test func `an action and an output that require a closed door are refused while it is open`() throws {
    let world = try KioskWorld.withDoor()
    try world.start(until: "locked")
    try world.tell("press GPIO5")
    try #require(eventually { world.log.contains("event=unlocked") }, "\(world.log)")
    try world.tell("open front")
    try #require(try eventually { try world.input("front")["state"] as? String == "open" })
    let gate = try world.tappet("output", "on", "gate")
    #expect(gate.status != 0 && gate.errors.contains("it requires that front is closed, but it is open"), "\(gate)")
    try world.tell("press GPIO6")
    #expect(eventually { world.log.contains("'sign' requires that front is closed") }, "\(world.log)")
    #expect(try eventually { try world.tappet("history", "--csv").output.contains(",requirement-unmet,") })
    try world.tell("close front")
    try #require(try eventually { try world.input("front")["state"] as? String == "closed" })
    #expect(try world.tappet("output", "on", "gate").status == 0)
  }

  @Test func `a level outlives a kiosk that is killed, and each change has one row`() throws {
    let world = try KioskWorld.withDoor()
    try world.start(until: "locked")
    try world.tell("open exit")
    try world.tell("close exit")
    try world.tell("open front")
    try #require(try eventually { try world.rows().contains("opened") })
    for isOpen in [true, false] {
      world.kiosk?.end(SIGKILL)
      // Nobody sees it.
      if !isOpen { try world.tell("close front") }
      try world.start(until: "locked")
      let state = isOpen ? "open" : "closed"
      try #require(try eventually { try world.input("front")["state"] as? String == state }, "\(world.log)")
      #expect(try world.input("front")["cause"] as? String == "found")
    }
    #expect(try world.rows() == ["opened", "closed found"])
    #expect(!world.log.contains("event=input-forced"))
  }
}
