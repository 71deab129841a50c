// Tags written by the real tappet-reader with the real libnfc, and the jobs that order it, at a simulated chip.

import Foundation
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetStore
import TestSupport
import Testing

@Suite(.serialized) struct TagWritingTests {
  @Test func `109 bytes of TLV need at most 32 page writes on an NTAG213, and none if already present`() throws {
    let world = try WritingRig()
    for state in ["", "empty", "url=\(tagURL)"] {
      let reading = try world.place("place ntag213 \(state)")
      try world.rig.tell("reset-counters")
      let message = [0xD1, 0x01, 0x66, 0x55, 0x00] + Array(tagURL.utf8).dropLast() + [UInt8(ascii: "b")]
      #expect(Type2Memory.encode(message: message)?.count == 109)
      for expected in [1...32, 0...0] {
        try world.rig.tell("reset-counters")
        #expect(world.rig.reader?.send(ReaderOrder(uid: reading.uid, task: .write(message))) == true)
        guard case .message(.orderDone(let outcome)) = try world.rig.nextEvent() else {
          throw TestFault("orderDone")
        }
        #expect(outcome.fault == nil && expected.contains(outcome.writes), "\(outcome)")
        #expect(try world.rig.counter("writes") == outcome.writes)
      }
      #expect(try world.content(of: reading).message() == message)
    }
  }

  @Test(arguments: ["ntag213 empty", "type4 empty"])
  func `a disturbed response at any exchange is retried while the tag stays`(_ tag: String) throws {
    let world = try WritingRig()
    for exchange in 1...(tag.hasPrefix("ntag") ? 36 : 12) {
      let reading = try world.place("place " + tag)
      try world.rig.tell("corrupt \(exchange)")
      let (run, outcome) = try world.perform(world.request(), on: reading.uid)
      #expect(run.result?.isDone == true, "\(exchange): \(String(describing: outcome))")
      try world.rig.tell("corrupt 0")
      #expect(try world.works(world.content(of: reading)))
      try world.forgetSecrets()
    }
  }

  @Test(arguments: [
    ("ntag213 readonly", TagWriteFault.readOnly), ("type4 readonly", .readOnly), ("ntag213 locked", .locked),
    ("ntag215 locked", .locked), ("ultralight-ev1-128 locked", .locked), ("ntag203 locked", .locked),
    ("ntag213 password=01020304", .passwordProtected), ("ntag213 blank", .unformatted),
    ("ultralight", .tooSmall(needed: 108, capacity: 48)),
  ])
  func `a tag that cannot be written is detected and left unchanged`(
    _ tag: String, _ fault: TagWriteFault
  ) throws {
    let world = try WritingRig()
    let reading = try world.place("place " + tag)
    let memory = try world.rig.memory()
    let (run, outcome) = try world.perform(world.request(), on: reading.uid)
    #expect(outcome?.fault == fault)
    #expect(run.result?.isDone == false && run.result?.isRefusal == true)
    #expect(try world.rig.memory() == memory)
    #expect(try world.secretStore.usableSecrets().isEmpty)
  }

  @Test func `a URL with its key does not fit an NTAG213, which is reported, but fits an NTAG215`() throws {
    let world = try WritingRig()
    let small = try world.place("place ntag213")
    let (refused, outcome) = try world.perform(world.request(carriesKey: true), on: small.uid)
    // The Lock Control TLV of the factory takes 5 of 144 bytes; the terminator is not needed.
    #expect(outcome?.fault == .tooSmall(needed: 177, capacity: 139))
    #expect(refused.result?.sentence.contains("177") == true && refused.result?.sentence.contains("139") == true)
    try world.rig.take()
    let large = try world.place("place ntag215")
    let (run, _) = try world.perform(world.request(carriesKey: true), on: large.uid)
    #expect(run.result?.isDone == true)
    let reading = try world.content(of: large)
    #expect(try world.works(reading) && reading.tagURL().carriesKey)
    // Written again without it, no piece of the key is left anywhere.
    let key = try #require(TagURL.carriedKey(in: try reading.uri())).revealedHexDigits()
    _ = try world.perform(world.request(), on: reading.uid)
    let left = String(decoding: try world.rig.memory(), as: UTF8.self)
    #expect(!left.contains("&key=") && !left.contains(String(decoding: key.suffix(8), as: UTF8.self)))
  }

  @Test func `foreign tags are refused when read`() throws {
    let world = try WritingRig()
    for (name, fault) in [("classic", TagFault.unsupportedModel), ("desfire", .noApplication)] {
      try world.rig.tell("place " + name)
      let run = try world.run(world.request())
      while run.result == nil {
        guard case .message(let message) = try world.rig.nextEvent() else { throw TestFault("a message") }
        if case .tagFaulted(_, _, let told) = message { #expect(told == fault) }
        run.heard(message)
      }
      #expect(run.result?.isRefusal == true && run.result?.isDone == false)
      try world.rig.take()
    }
  }

  @Test(arguments: ["ntag213", "type4"])
  func `with two tags on the reader nothing is written`(_ other: String) throws {
    let world = try WritingRig()
    let reading = try world.place("place ntag213 empty uid=04112233445566")
    try world.rig.tell("beside \(other) uid=04998877665544")
    let (run, outcome) = try world.perform(world.request(), on: reading.uid)
    #expect(outcome?.fault == .notAlone && outcome?.writes == 0)
    #expect(run.result?.sentence.contains("two tags") == true)
    #expect(try world.rig.counter("writes") == 0)
  }

  @Test(arguments: ["ntag213", "ntag215", "ntag216", "ultralight-ev1-128"])
  func `only this kiosk can rewrite and erase a protected tag`(_ model: String) throws {
    let world = try WritingRig()
    let reading = try world.place("place \(model) empty")
    let (run, _) = try world.perform(world.request(protects: true), on: reading.uid)
    #expect(run.result?.isDone == true, "\(run.result?.sentence ?? "")")
    #expect(try world.works(world.content(of: reading)))
    // Another kiosk, and whoever sends plain writes, is refused.
    let order = ReaderOrder(uid: reading.uid, password: nil, task: .write([0xD0, 0, 0]))
    #expect(world.rig.reader?.send(order) == true)
    guard case .message(.orderDone(let foreign)) = try world.rig.nextEvent() else {
      throw TestFault("orderDone")
    }
    #expect(foreign.fault == .passwordProtected && foreign.writes == 0)
    let (again, _) = try world.perform(world.request(), on: reading.uid)
    #expect(again.result?.isDone == true, "\(again.result?.sentence ?? "")")
    let (erased, _) = try world.perform(world.request(.erase), on: reading.uid)
    #expect(erased.result?.isDone == true, "\(erased.result?.sentence ?? "")")
    #expect(world.rig.reader?.send(order) == true)
    guard case .message(.orderDone(let free)) = try world.rig.nextEvent() else {
      throw TestFault("orderDone")
    }
    #expect(free.fault == nil)
  }

  @Test func `the key of the tags' passwords is created once, and each tag has its own password`() throws {
    let world = try WritingRig()
    #expect(try world.secretStore.tagPasswordKey(making: false) == nil)
    let key = try #require(try world.secretStore.tagPasswordKey(making: true))
    #expect(try SecretStore.open(folder: world.configuration.stateFolder).tagPasswordKey(making: true) == key)
    let (one, two) = (try #require(TagUID([4, 1, 2, 3, 4, 5, 6])), try #require(TagUID([4, 1, 2, 3, 4, 5, 7])))
    #expect(try TagPassword(of: one, key: key) == TagPassword(of: one, key: key))
    #expect(try TagPassword(of: one, key: key) != TagPassword(of: two, key: key))
  }

  @Test func `a tag pulled away while it is being protected works, and can be rewritten`() throws {
    let world = try WritingRig()
    for exchanges in 1... {
      let reading = try world.place("place ntag213 empty")
      // Written first, so that what is counted is the protection alone.
      #expect(try world.perform(world.request(), on: reading.uid).0.result?.isDone == true)
      let password = try TagPassword(of: reading.uid, key: #require(try world.secretStore.tagPasswordKey(making: true)))
      try world.rig.tell("take after \(exchanges)")
      #expect(world.rig.reader?.send(ReaderOrder(uid: reading.uid, password: password, task: .protect)) == true)
      guard case .message(.orderDone(let outcome)) = try world.rig.nextEvent() else {
        throw TestFault("orderDone")
      }
      if outcome.fault == nil { break }
      let torn = try world.place("back")
      #expect(try world.works(torn))
      try world.forgetSecrets()
      #expect(try world.perform(world.request(), on: reading.uid).0.result?.isDone == true)
      try world.forgetSecrets()
    }
  }

  @Test(arguments: ["ntag213", "ntag215", "ntag216", "ntag203", "ultralight-ev1-128", "type4"])
  func `a locked tag still works, and is never written again`(_ model: String) throws {
    let world = try WritingRig()
    let reading = try world.place("place \(model) empty")
    _ = try world.perform(world.request(), on: reading.uid)
    let (run, _) = try world.perform(world.request(.lock), on: reading.uid)
    #expect(run.result?.isDone == true, "\(run.result?.sentence ?? "")")
    #expect(try world.works(world.content(of: reading)))
    let memory = try world.rig.memory()
    let (again, outcome) = try world.perform(world.request(), on: reading.uid)
    #expect(again.result?.isDone == false && outcome?.fault == .readOnly)
    #expect(try world.rig.memory() == memory)
    let (twice, nothing) = try world.perform(world.request(.lock), on: reading.uid)
    #expect(twice.result?.isDone == true && nothing?.writes == 0)
  }

  @Test func `a container with foreign bits, or a tag of an unknown model, is not formatted`() throws {
    let world = try WritingRig()
    var memory = bytes(ofHex: "04112BBF33445566" + "44480000" + "FFFF0000")
    memory[3] = 0x88 ^ 0x04 ^ 0x11 ^ 0x2B
    let reading = try world.place("place ntag213 memory=\(hex(memory))")
    let (run, outcome) = try world.perform(world.request(.format), on: reading.uid)
    #expect(outcome?.fault == .foreignContainer && run.result?.isDone == false)
  }

  @Test func `at the limit of secrets a foreign tag is refused, and nothing is written to it`() throws {
    let world = try WritingRig()
    world.configuration.secretsPerActionMax = 3
    for _ in 1...3 {
      let reading = try world.place("place ntag213 empty")
      #expect(try world.perform(world.request(), on: reading.uid).0.result?.isDone == true)
      try world.rig.take()
    }
    let reading = try world.place("place ntag213 empty")
    let (run, outcome) = try world.perform(world.request(), on: reading.uid)
    #expect(run.result?.isDone == false && run.result?.code == "secrets-full" && outcome == nil)
  }

  @Test(arguments: [
    ("ntag213", "E1101300"), ("ntag213", "E1101400"), ("ultralight-ev1-48", "E1100800"),
    ("ultralight-ev1-128", "E1101200"),
  ])
  func `lock and password pages are never written, even if a container counts them as user memory`(
    _ model: String, _ container: String
  ) throws {
    let world = try WritingRig()
    let reading = try world.place("place \(model) memory=\(memory(container, holding: "smp://a"))")
    let before = try world.rig.memory()
    let (run, outcome) = try world.perform(world.request(.erase), on: reading.uid)
    #expect(run.result?.isDone == true, "\(run.result?.sentence ?? "")")
    let end = try #require(outcome?.model.geometry).userPageEnd * Type2Memory.pageSize
    #expect(try world.rig.memory()[end...] == before[end...])
    #expect(throws: TagContentError.empty) { try world.content(of: reading).message() }
  }

  @Test(arguments: [
    ("ntag215", "E1101200", TagModel.ntag215), ("ntag216", "E1103E00", .ntag216),
    ("ultralight-ev1-128", "E1101200", .ultralightEV1Large),
  ])
  func `a tag whose container states another model's size is locked and protected as its real model`(
    _ name: String, _ container: String, _ model: TagModel
  ) throws {
    let world = try WritingRig()
    let memory = memory(container, holding: tagURL)
    let first = try world.place("place \(name) memory=\(memory)")
    let (written, _) = try world.perform(world.request(protects: true), on: first.uid)
    #expect(written.result?.isDone == true, "\(written.result?.sentence ?? "")")
    try world.rig.take()
    let second = try world.place("place \(name) memory=\(memory)")
    let (locked, outcome) = try world.perform(world.request(.lock), on: second.uid)
    #expect(locked.result?.isDone == true && outcome?.model == model, "\(locked.result?.sentence ?? "")")
    let lock = try #require(model.geometry?.dynamicLock)
    #expect(try world.rig.memory()[(lock.page * Type2Memory.pageSize)...].starts(with: lock.allSet))
  }

  /// A Type 2 tag's memory in hex digits: the serial number, this container, and a link.
  private func memory(_ container: String, holding link: String) -> String {
    let message = NDEFMessage(records: [NDEFRecord(uri: Array(link.utf8))]).encode() ?? []
    return "04112BB633445566" + "44480000" + container + hex(Type2Memory.encode(message: message) ?? [])
  }
}
