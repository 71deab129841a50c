// Tags written by the real tappet-reader with the real libnfc, and the jobs that order it, at a simulated chip from
// which the tag is pulled away at each one of the exchanges.

import Foundation
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetStore
import TestSupport
import Testing

/// A kiosk's state in the rig's folder, and jobs for the tag that lies there.
private final class WritingRig {
  let rig: ReaderRig
  var configuration: KioskConfiguration
  let secretStore: SecretStore

  init() throws {
    rig = try ReaderRig()
    let file = rig.folder.appendingPathComponent("kiosk.yaml")
    try """
    broker: {url: "mqtt://127.0.0.1:1", client_id: k}
    state: \(rig.folder.path)/state
    actions:
      - {name: garage, topic: t, message: m}
    """.write(to: file, atomically: true, encoding: .utf8)
    guard case .loaded(let configuration) = ConfigurationParser.load(path: file.path) else {
      throw TestFault("the configuration")
    }
    self.configuration = configuration
    secretStore = try SecretStore.open(folder: configuration.stateFolder)
    try rig.startReady()
  }

  func request(_ kind: TagJobKind = .write, protects: Bool = false, carriesKey: Bool = false) -> TagJobRequest {
    var request = TagJobRequest(kind)
    if kind == .write { request.action = "garage" }
    request.protects = protects
    request.carriesKey = carriesKey
    return request
  }

  func run(_ request: TagJobRequest) throws -> TagJobRunner {
    let rig = rig
    return try TagJobRunner(
      request, configuration, by: .current(), unixSeconds: 1_800_000_000, send: { rig.reader?.send($0) ?? false },
      tell: { _ in })
  }

  /// The job for the tag that is on the reader and was read already, up to its end or up to the tag's leaving.
  func perform(_ request: TagJobRequest, on uid: TagUID) throws -> (TagJobRunner, OrderOutcome?) {
    let run = try run(request)
    run.tagIsThere(uid)
    var last: OrderOutcome?
    while run.isWorking {
      guard case .message(let message) = try rig.nextEvent() else { throw TestFault("the order's outcome") }
      if case .orderDone(let outcome) = message { last = outcome }
      run.heard(message)
    }
    return (run, last)
  }

  /// Places a tag, in the place of another if there is one, and reads it.
  @discardableResult
  func place(_ words: String) throws -> TagReading {
    try rig.tell(words)
    while true {
      switch try rig.nextEvent() {
      case .message(.tagLeft), .message(.tagArrived): break
      case .message(.tagRead(let reading)): return reading
      case let other: throw TestFault("tagRead; there was \(other)")
      }
    }
  }

  /// The tag's content, as another reader would find it.
  func content(of reading: TagReading) throws -> TagReading {
    var reading = reading
    reading.bytes = try rig.memory()
    if reading.model.layout == .type4 {
      let size = Int(reading.bytes[0]) << 8 | Int(reading.bytes[1])
      reading.bytes = Array(reading.bytes[2..<2 + size])
    }
    return reading
  }

  func works(_ reading: TagReading) throws -> Bool {
    if case .success = KioskSettings(configuration).judge(reading, secrets: try secretStore.usableSecrets()) {
      return true
    }
    return false
  }

  func forgetSecrets() throws {
    for secret in try secretStore.usableSecrets() { _ = try secretStore.remove(id: secret.id) }
  }
}

@Suite(.serialized) struct TagWritingTests {
  @Test func `109 bytes of TLV take at most 32 page writes on an NTAG213, and none when they are there already`() throws
  {
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

  /// A tag, and what is on it before.
  static let tags = ["ntag213 url=\(tagURL)", "ntag215 empty", "ntag203 empty", "type4 url=\(tagURL)", "ntag424 empty"]

  @Test(arguments: tags)
  func `pulled away at any exchange a tag never has a secret that it does not work with, and a second write repairs it`(
    _ tag: String
  ) throws {
    let world = try WritingRig()
    var tears = 0
    for exchanges in 1... {
      let before = try world.place("place " + tag)
      try world.rig.tell("take after \(exchanges)")
      let (run, outcome) = try world.perform(world.request(), on: before.uid)
      if run.result?.isDone == true {
        // It was left alone long enough.
        #expect(try world.secretStore.usableSecrets().count == 1)
        break
      }
      tears += 1
      guard case .pulledAway(let begun)? = outcome?.fault else {
        throw TestFault("pulledAway: \(String(describing: outcome))")
      }
      #expect(try world.secretStore.usableSecrets().isEmpty)
      run.giveUp(.noTag)
      #expect(run.result?.isDone == false)
      #expect(run.result?.sentence.contains(begun ? "write it again" : "nothing was changed") == true)
      let torn = try world.place("back")
      // Empty, as before, or as it was to be.
      let content = try? torn.uri()
      #expect(
        content == nil || content == (try? before.uri())
          || (begun && content?.starts(with: "smp://action?idx=0".utf8) == true))
      if !begun { #expect(torn.bytes == before.bytes) }
      #expect(try !world.works(torn))
      let (second, _) = try world.perform(world.request(), on: torn.uid)
      #expect(second.result?.isDone == true, "\(second.result?.sentence ?? "")")
      #expect(try world.secretStore.usableSecrets().count == 1)
      #expect(try world.works(world.content(of: torn)))
      try world.forgetSecrets()
    }
    #expect(tears > 5)
  }

  @Test(arguments: ["ntag213 empty", "type4 empty"])
  func `a disturbed answer at any exchange is got over while the tag stays`(_ tag: String) throws {
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
  func `a tag that cannot be written is told apart, and nothing is changed on it`(
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

  @Test func `with its key a URL does not fit an NTAG213, and both numbers are reported; an NTAG215 takes it`() throws {
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

  @Test func `foreign tags are refused when they are read`() throws {
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
  func `a protected tag is rewritten and erased by this kiosk only`(_ model: String) throws {
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

  @Test func `the key of the tags' passwords is made once, and each tag has its own password`() throws {
    let world = try WritingRig()
    #expect(try world.secretStore.tagPasswordKey(making: false) == nil)
    let key = try #require(try world.secretStore.tagPasswordKey(making: true))
    #expect(try SecretStore.open(folder: world.configuration.stateFolder).tagPasswordKey(making: true) == key)
    let (one, two) = (try #require(TagUID([4, 1, 2, 3, 4, 5, 6])), try #require(TagUID([4, 1, 2, 3, 4, 5, 7])))
    #expect(try TagPassword(of: one, key: key) == TagPassword(of: one, key: key))
    #expect(try TagPassword(of: one, key: key) != TagPassword(of: two, key: key))
  }

  @Test func `a tag that is pulled away while it is protected works, and can be written again`() throws {
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
  func `a locked tag still works and is never written again`(_ model: String) throws {
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

  @Test(arguments: ["ntag213", "ntag216", "ntag203", "ultralight", "ultralight-ev1-48"])
  func `a tag without capability container gets one, wherever it is pulled away`(_ model: String) throws {
    let world = try WritingRig()
    for exchanges in 1... {
      let reading = try world.place("place \(model) blank")
      try world.rig.tell("take after \(exchanges)")
      let (run, outcome) = try world.perform(world.request(.format), on: reading.uid)
      if run.result?.isDone == true {
        break
      }
      #expect(
        outcome.map { if case .pulledAway? = $0.fault { true } else { false } } == true,
        "\(String(describing: outcome))")
      let torn = try world.place("back")
      let (second, _) = try world.perform(world.request(.format), on: torn.uid)
      #expect(second.result?.isDone == true, "\(second.result?.sentence ?? "")")
      #expect(throws: TagContentError.empty) { try world.content(of: torn).message() }
    }
  }

  @Test func `a container with foreign bits and a tag of no known model are not formatted`() throws {
    let world = try WritingRig()
    var memory = bytes(ofHex: "04112BBF33445566" + "44480000" + "FFFF0000")
    memory[3] = 0x88 ^ 0x04 ^ 0x11 ^ 0x2B
    let reading = try world.place("place ntag213 memory=\(hex(memory))")
    let (run, outcome) = try world.perform(world.request(.format), on: reading.uid)
    #expect(outcome?.fault == .foreignContainer && run.result?.isDone == false)
  }

  @Test func `with as many secrets as allowed a foreign tag is refused, and nothing is written on it`() throws {
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
}
