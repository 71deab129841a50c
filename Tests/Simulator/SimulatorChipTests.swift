// The simulated PN532 by script: bytes in at a time, bytes out at a time. That libnfc believes in it is SystemTests'
// matter.

import TappetCore
import TestSupport
import Testing

@testable import TappetSimulator

/// A host that sends commands and moves the clock to wherever the chip wants it.
private final class Host {
  var chip: PN532Chip
  var now = Instant(nanoseconds: 1_000_000_000)

  init(paced: Bool = false, configured: Bool = true) {
    chip = PN532Chip(pacing: Pacing(isOn: paced))
    guard configured else { return }
    wake()
    #expect(run([0x14, 0x01]) == [0x15])
    #expect(run([0x32, 0x05, 0x00, 0x01, 0x02]) == [0x33])
  }

  func wake() { chip.receive([0x55, 0x55] + [UInt8](repeating: 0, count: 14), at: now) }
  func send(_ command: [UInt8]) { chip.receive(PN532Frame.encode(direction: 0xD4, command), at: now) }

  /// The bytes until the chip has nothing more to send, or `limit` is over.
  func listen(_ limit: Duration = .seconds(10)) -> [UInt8] {
    let end = now + limit
    var heard: [UInt8] = []
    while let deadline = chip.nextDeadline, deadline <= end {
      now = max(now, deadline)
      heard += chip.advance(to: now)
    }
    return heard
  }

  /// The answer behind its acknowledgement, without the frame; nil when there is none, or an error frame.
  func run(_ command: [UInt8]) -> [UInt8]? {
    send(command)
    let heard = listen()
    guard heard.starts(with: PN532Frame.ack) else { return nil }
    let frame = Array(heard.dropFirst(PN532Frame.ack.count))
    guard frame.count > 8, frame != PN532Frame.syntaxError else { return nil }
    let payload = frame[3] == 0xFF ? frame[9..<frame.count - 2] : frame[6..<frame.count - 2]
    #expect(PN532Frame.encodeAnswer(Array(payload)) == frame)
    return Array(payload)
  }

  /// How long a command takes.
  func time(_ command: [UInt8]) -> Duration {
    let start = now
    _ = run(command)
    return now - start
  }

  func place(_ model: String, _ content: TagPlacement.Content = .factory) throws {
    chip.field.place(try TagPlacement(model: model, content: content).makeTag(serial: 1))
    chip.noticeTag(at: now)
  }
}

@Suite struct SimulatorChipTests {
  private static let list: [UInt8] = [0x4A, 0x01, 0x00]

  @Test func `a newly powered chip ignores frames until it is woken`() {
    let host = Host(configured: false)
    host.send([0x02])
    #expect(host.listen().isEmpty)
    host.wake()
    #expect(host.run([0x02]) == [0x03, 0x32, 0x01, 0x06, 0x07])
  }

  @Test func `no tag is found before SAMConfiguration, or after a brown-out`() throws {
    let host = Host(configured: false)
    host.wake()
    try host.place("ntag213")
    #expect(host.run([0x32, 0x05, 0x00, 0x01, 0x02]) == [0x33])
    #expect(host.run(Self.list) == [0x4B, 0x00])
    #expect(host.run([0x14, 0x01]) == [0x15])
    #expect(host.run(Self.list)?.prefix(3) == [0x4B, 0x01, 0x01])
    host.chip.brownOut()
    #expect(host.run([0x02]) != nil)
    #expect(host.run(Self.list) == [0x4B, 0x00])
  }

  @Test func `after PowerDown the chip sleeps until it is woken`() {
    let host = Host()
    #expect(host.run([0x16, 0xF0]) == [0x17, 0x00])
    host.send([0x02])
    #expect(host.listen().isEmpty)
    host.wake()
    #expect(host.run([0x02]) != nil)
  }

  @Test func `a selected tag is reported as the manual specifies`() throws {
    let host = Host()
    try host.place("ntag213")
    #expect(
      host.run(Self.list) == [0x4B, 0x01, 0x01, 0x00, 0x44, 0x00, 0x07, 0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0x01, 0x80])
    try host.place("ntag424")
    let answer = try #require(host.run(Self.list))
    #expect(answer[3...6] == [0x03, 0x44, 0x20, 0x07])
    #expect(Int(answer[14]) == answer.count - 14)
  }

  @Test func `refusals, corrupt responses and removed tags have the status bytes of real chips`() throws {
    let host = Host()
    try host.place("ntag213")
    _ = host.run(Self.list)
    #expect(host.run([0x40, 0x01, 0x30, 0xF0]) == [0x41, 0x13])
    _ = host.run(Self.list)
    #expect(host.run([0x40, 0x01, 0xA2, 0x00, 1, 2, 3, 4]) == [0x41, 0x14])
    _ = host.run(Self.list)
    #expect(host.run([0x42, 0x30, 0xF0]) == [0x43, 0x02])
    _ = host.run(Self.list)
    host.chip.field.corrupt(answer: 2)
    #expect(host.run([0x40, 0x01, 0x30, 0x00])?.count == 18)
    #expect(host.run([0x40, 0x01, 0x30, 0x00]) == [0x41, 0x02])
    host.chip.field.take(afterExchanges: 1)
    #expect(host.run([0x40, 0x01, 0x30, 0x00])?.count == 18)
    #expect(host.run([0x40, 0x01, 0x30, 0x00]) == [0x41, 0x01])
  }

  @Test func `commands unknown to MIFARE tags cause error frames with InDataExchange`() throws {
    let host = Host()
    try host.place("ntag213")
    _ = host.run(Self.list)
    for command: [UInt8] in [[0x60], [0x3A, 0x00, 0x04], [0x1B, 1, 2, 3, 4]] {
      host.send([0x40, 0x01] + command)
      #expect(host.listen() == PN532Frame.ack + PN532Frame.syntaxError)
    }
  }

  @Test func `a frame holds 65 pages, but not 66`() throws {
    let host = Host()
    try host.place("ntag216")
    _ = host.run(Self.list)
    #expect(host.run([0x42, 0x3A, 0, 64])?.count == 262)
    #expect(host.run([0x42, 0x3A, 0, 65]) == [0x43, 0x07])
  }

  @Test func `waiting takes as long as on a real chip, with or without pacing`() throws {
    for paced in [true, false] {
      let host = Host(paced: paced)
      let none = host.time(Self.list)
      #expect(none > .milliseconds(12) && none < .milliseconds(18))
      try host.place("ntag213")
      _ = host.run(Self.list)
      host.chip.field.take()
      let gone = host.time([0x40, 0x01, 0x30, 0x00])
      #expect(gone > .milliseconds(51) && gone < .milliseconds(56))
    }
  }

  /// Field notes §5.2 and §8: select 8 ms, 100 bytes by FAST_READ about 26 ms in two exchanges, by READ 46 ms in seven.
  @Test func `with pacing, a message takes as long as on a real line and in the air`() throws {
    let host = Host(paced: true)
    try host.place("ntag213")
    let select = host.time(Self.list)
    #expect(select > .milliseconds(7) && select < .milliseconds(10))
    var fast = Duration.zero
    for first: UInt8 in [4, 17] { fast += host.time([0x42, 0x3A, first, first + 12]) }
    #expect(fast > .milliseconds(22) && fast < .milliseconds(30))
    var slow = Duration.zero
    for page: UInt8 in [4, 8, 12, 16, 20, 24, 28] { slow += host.time([0x40, 0x01, 0x30, page]) }
    #expect(slow > .milliseconds(42) && slow < .milliseconds(50))
    let unpaced = Host()
    try unpaced.place("ntag213")
    #expect(unpaced.time(Self.list) == .zero)
  }

  @Test func `an endless search finds a tag placed later, and ends at the host's ACK`() throws {
    let host = Host()
    _ = host.run([0x32, 0x05, 0xFF, 0xFF, 0xFF])
    host.send(Self.list)
    #expect(host.listen() == PN532Frame.ack)
    #expect(host.chip.nextDeadline == nil)
    try host.place("ntag213")
    #expect(host.listen().count == 22)
    host.chip.field.take()
    host.send(Self.list)
    _ = host.listen()
    host.chip.receive(PN532Frame.ack, at: host.now)
    try host.place("ntag213")
    #expect(host.listen().isEmpty)
  }

  @Test func `InAutoPoll reports the type, and ends after its rounds`() throws {
    let host = Host()
    let start = host.now
    #expect(host.run([0x60, 0x02, 0x02, 0x20, 0x10]) == [0x61, 0x00])
    #expect(host.now - start >= .milliseconds(600))
    try host.place("ntag213")
    #expect(host.run([0x60, 0x02, 0x02, 0x20, 0x10])?.prefix(4) == [0x61, 0x01, 0x10, 0x0C])
    try host.place("type4")
    #expect(host.run([0x60, 0x02, 0x02, 0x20, 0x10])?.prefix(3) == [0x61, 0x01, 0x20])
  }

  @Test func `NACK repeats the last response`() {
    let host = Host()
    let answer = host.run([0x02])
    host.chip.receive([0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00], at: host.now)
    #expect(host.listen() == PN532Frame.encodeAnswer(answer ?? []))
  }

  @Test func `a deselected tag is found again by InSelect, but not by InListPassiveTarget`() throws {
    for model in ["ntag213", "type4"] {
      let host = Host()
      try host.place(model)
      _ = host.run(Self.list)
      #expect(host.run([0x44, 0x00]) == [0x45, 0x00])
      #expect(host.run([0x54, 0x01]) == [0x55, 0x00])
      #expect(host.run([0x44, 0x00]) == [0x45, 0x00])
      #expect(host.run(Self.list) == [0x4B, 0x00])
      #expect(host.run([0x32, 0x01, 0x00]) == [0x33])
      #expect(host.run(Self.list)?.prefix(2) == [0x4B, 0x01])
    }
  }

  @Test func `an ISO-DEP card is found again while selected`() throws {
    let host = Host()
    try host.place("type4")
    for _ in 0..<3 { #expect(host.run(Self.list)?.prefix(2) == [0x4B, 0x01]) }
  }

  @Test func `a command and a response of several blocks pass through ISO-DEP completely`() throws {
    let host = Host()
    try host.place("type4")
    _ = host.run(Self.list)
    for select: [UInt8] in [
      [0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00],
      [0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04],
    ] { #expect(host.run([0x40, 0x01] + select) == [0x41, 0x00, 0x90, 0x00]) }
    // Frames of the card hold 128 bytes, the chip's 64: two blocks out, four back; the short answer at the end
    // makes the next round begin with the other block number.
    for start: UInt8 in [0, 7, 14] {
      let data = (0..<240).map { UInt8(truncatingIfNeeded: $0) &+ start }
      #expect(host.run([0x40, 0x01, 0x00, 0xD6, 0x00, start, 240] + data) == [0x41, 0x00, 0x90, 0x00])
      #expect(host.run([0x40, 0x01, 0x00, 0xB0, 0x00, start, 240]) == [0x41, 0x00] + data + [0x90, 0x00])
      #expect(host.run([0x40, 0x01, 0x00, 0xB0, 0x00, start, 1]) == [0x41, 0x00, start, 0x90, 0x00])
    }
    // The host may cut its command, too (UM0701-02 §7.3.8, MI in Tg).
    #expect(host.run([0x40, 0x41, 0x00, 0xB0]) == [0x41, 0x00])
    #expect(host.run([0x40, 0x01, 0x00, 14, 1]) == [0x41, 0x00, 14, 0x90, 0x00])
  }

  @Test func `a simulated fault of the chip occurs once`() throws {
    let host = Host()
    try host.place("ntag213")
    _ = host.run(Self.list)
    host.chip.fault = .statusBit7
    #expect(host.run([0x02]) != nil)
    #expect(host.run([0x40, 0x01, 0x30, 0x00])?[1] == 0x80)
    host.chip.fault = .checksum
    host.send([0x02])
    #expect(host.listen() != PN532Frame.ack + PN532Frame.encodeAnswer([0x03, 0x32, 0x01, 0x06, 0x07]))
    #expect(host.run([0x02]) == [0x03, 0x32, 0x01, 0x06, 0x07])
  }

  @Test func `a stalled chip sends nothing, and continues afterwards`() {
    let host = Host()
    host.chip.commandsUntilDeaf = 1
    #expect(host.run([0x02]) != nil)
    host.send([0x02])
    #expect(host.listen().isEmpty)
    host.chip.stall(false)
    #expect(host.run([0x02]) != nil)
  }

  @Test func `random bytes never stop the chip`() throws {
    for seed in 1...20 {
      var random = SeededGenerator(seed: UInt64(seed))
      let host = Host()
      try host.place(["ntag213", "type4", "ultralight", "classic"][seed % 4])
      for _ in 0..<500 {
        let codes: [UInt8] = [
          0x00, 0x04, 0x06, 0x08, 0x0C, 0x0E, 0x10, 0x12, 0x14, 0x16, 0x32, 0x40, 0x42, 0x44, 0x4A, 0x52, 0x54, 0x60,
          0x8C,
        ]
        var command = [codes.randomElement(using: &random) ?? 0]
        for _ in 0..<Int.random(in: 0...20, using: &random) {
          command.append(Bool.random(using: &random) ? 1 : UInt8.random(in: 0...255, using: &random))
        }
        host.wake()
        host.send(command)
        _ = host.listen(.milliseconds(50))
        host.now = host.now + .milliseconds(Int.random(in: 0...200, using: &random))
      }
      host.chip.receive(PN532Frame.ack, at: host.now)
      host.now = host.now + .seconds(60)
      _ = host.listen()
      host.wake()
      #expect(host.run([0x02]) == [0x03, 0x32, 0x01, 0x06, 0x07])
    }
  }
}
