// The virtual tags against the data sheets: activation (ISO/IEC 14443-3), memory commands, locks, ISO-DEP.

import TestSupport
import Testing

@testable import TappetSimulator

@Suite struct SimulatorTagTests {
  private static let reqa = RFFrame([0x26], lastBits: 7)
  private static let wupa = RFFrame([0x52], lastBits: 7)
  private static let halt = RFFrame.withCRC([0x50, 0x00])

  private func tag(_ model: String, _ content: TagPlacement.Content = .factory) throws -> VirtualTag {
    try TagPlacement(model: model, content: content).makeTag(serial: 1)
  }

  /// Anti-collision as a reader does it; the UID, or nil.
  private func select(_ tag: inout VirtualTag, request: RFFrame = reqa) -> [UInt8]? {
    guard tag.answer(request) != nil else { return nil }
    var uid: [UInt8] = []
    for command: UInt8 in [0x93, 0x95, 0x97] {
      guard let part = tag.answer(RFFrame([command, 0x20]))?.bytes, part.count == 5,
        let sak = tag.answer(.withCRC([command, 0x70] + part))?.withoutCRC?.first
      else { return nil }
      if sak & 0x04 == 0 { return uid + part[0..<4] }
      uid += part[1..<4]
    }
    return nil
  }

  private func selected(_ model: String, _ content: TagPlacement.Content = .factory) throws -> VirtualTag {
    var tag = try tag(model, content)
    #expect(select(&tag) == tag.uid)
    return tag
  }

  private func command(_ tag: inout VirtualTag, _ bytes: [UInt8]) -> [UInt8]? {
    tag.answer(.withCRC(bytes))?.withoutCRC
  }

  /// ISO/IEC 14443-3 Annex B prints both.
  @Test func `CRC_A matches the standard's examples`() {
    #expect(RFFrame.crcA([0x00, 0x00]) == [0xA0, 0x1E])
    #expect(RFFrame.crcA([0x12, 0x34]) == [0x26, 0xCF])
  }

  @Test(arguments: [4, 7, 10]) func `UIDs of every size are sent in their cascade levels`(size: Int) throws {
    let uid = (1...UInt8(size)).map { $0 }
    var tag = try TagPlacement(model: "type4", uid: uid).makeTag(serial: 1)
    #expect(select(&tag) == uid)
  }

  @Test func `a selected tag returns to IDLE at REQA, and answers the next REQA`() throws {
    var tag = try selected("ntag213")
    #expect(tag.answer(Self.reqa) == nil)
    #expect(select(&tag) == tag.uid)
  }

  @Test func `a halted tag wakes only at WUPA, until it loses power`() throws {
    var tag = try selected("ntag213")
    #expect(tag.answer(Self.halt) == nil)
    #expect(tag.answer(Self.reqa) == nil)
    #expect(select(&tag, request: Self.wupa) == tag.uid)
    #expect(tag.answer(Self.halt) == nil)
    tag.powerOff()
    #expect(select(&tag) == tag.uid)
  }

  @Test func `a tag woken from HALT is halted again after a refusal`() throws {
    var tag = try selected("ntag213")
    #expect(tag.answer(Self.halt) == nil)
    #expect(select(&tag, request: Self.wupa) != nil)
    #expect(tag.answer(.withCRC([0x30, 0xFF]))?.lastBits == 4)
    #expect(tag.answer(Self.reqa) == nil)
    #expect(select(&tag, request: Self.wupa) != nil)
  }

  @Test func `a refusal has four bits, and ends the selection`() throws {
    var tag = try selected("ntag213")
    #expect(tag.answer(.withCRC([0x30, 45])) == .nibble(0x00))
    #expect(tag.answer(.withCRC([0x30, 0])) == nil)
  }

  @Test func `a wrong CRC is refused with code 1`() throws {
    var tag = try selected("ntag213")
    #expect(tag.answer(RFFrame([0x30, 0x00, 0x12, 0x34])) == .nibble(0x01))
  }

  @Test func `READ rolls over to page 0 after the last page`() throws {
    var tag = try selected("ntag213")
    let first = try #require(command(&tag, [0x30, 0]))
    let last = try #require(command(&tag, [0x30, 44]))
    #expect(Array(last[4...]) == Array(first[..<12]))
  }

  @Test func `FAST_READ returns a range, and refuses one beyond the memory`() throws {
    var tag = try selected("ntag213")
    #expect(command(&tag, [0x3A, 0, 44])?.count == 180)
    #expect(tag.answer(.withCRC([0x3A, 0, 45])) == .nibble(0x00))
    #expect(select(&tag) != nil)
    #expect(tag.answer(.withCRC([0x3A, 5, 4])) == .nibble(0x00))
  }

  @Test(
    arguments: [
      ("ntag213", [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03], 45),
      ("ntag215", [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x11, 0x03], 135),
      ("ntag216", [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x13, 0x03], 231),
      ("ultralight-ev1-48", [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03], 20),
      ("ultralight-ev1-128", [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0E, 0x03], 41),
    ] as [(String, [UInt8], Int)])
  func `GET_VERSION names the model, and the memory has the model's pages`(model: String, version: [UInt8], pages: Int)
    throws
  {
    var tag = try selected(model)
    #expect(command(&tag, [0x60]) == version)
    #expect(tag.memory.count == pages * 4)
    #expect(command(&tag, [0x30, UInt8(pages - 1)]) != nil)
    #expect(tag.answer(.withCRC([0x30, UInt8(pages)]))?.lastBits == 4)
  }

  @Test func `older tags do not support GET_VERSION`() throws {
    var ntag203 = try selected("ntag203")
    #expect(ntag203.answer(.withCRC([0x60])) == .nibble(0x00))
    var ultralight = try selected("ultralight")
    #expect(ultralight.answer(.withCRC([0x60])) == nil)
    #expect(ultralight.answer(.withCRC([0x30, 0])) == nil)
    #expect(select(&ultralight) != nil)
  }

  @Test func `both write commands write one page`() throws {
    var tag = try selected("ultralight")
    #expect(tag.answer(.withCRC([0xA2, 5, 1, 2, 3, 4]))?.bytes == [0x0A])
    #expect(tag.answer(.withCRC([0xA0, 6]))?.bytes == [0x0A])
    #expect(tag.answer(.withCRC([5, 6, 7, 8] + [UInt8](repeating: 9, count: 12)))?.bytes == [0x0A])
    #expect(Array(tag.memory[20..<32]) == [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0])
    #expect(tag.writes == 2)
  }

  @Test func `the UID cannot be written, and bits of the capability container can only be set`() throws {
    var tag = try selected("ntag213")
    #expect(tag.answer(.withCRC([0xA2, 1, 1, 2, 3, 4]))?.bytes == [0x00])
    #expect(select(&tag) != nil)
    #expect(tag.answer(.withCRC([0xA2, 3, 0x00, 0x01, 0x00, 0x0F]))?.bytes == [0x0A])
    #expect(Array(tag.memory[12..<16]) == [0xE1, 0x11, 0x12, 0x0F])
  }

  @Test func `static lock bits lock their pages for good`() throws {
    var tag = try selected("ntag213")
    // Bit 4 of lock byte 0: page 4; bit 1: BL9-4 freezes the bits of pages 4 to 9.
    #expect(tag.answer(.withCRC([0xA2, 2, 0, 0, 0x12, 0]))?.bytes == [0x0A])
    #expect(tag.answer(.withCRC([0xA2, 5, 1, 1, 1, 1]))?.bytes == [0x0A])
    #expect(tag.answer(.withCRC([0xA2, 2, 0xFF, 0xFF, 0x20, 0x04]))?.bytes == [0x0A])
    #expect(Array(tag.memory[10..<12]) == [0x12, 0x04])
    #expect(tag.answer(.withCRC([0xA2, 4, 1, 1, 1, 1]))?.bytes == [0x00])
  }

  @Test(arguments: [("ntag213", 40, 16, 18), ("ntag215", 130, 16, 32), ("ntag216", 226, 31, 32)])
  func `dynamic lock bits lock as many pages as the model specifies`(model: String, page: Int, locked: Int, free: Int)
    throws
  {
    var tag = try selected(model)
    #expect(tag.answer(.withCRC([0xA2, UInt8(page), 0x01, 0, 0, 0]))?.bytes == [0x0A])
    #expect(tag.answer(.withCRC([0xA2, UInt8(free), 1, 1, 1, 1]))?.bytes == [0x0A])
    #expect(tag.answer(.withCRC([0xA2, UInt8(locked), 1, 1, 1, 1]))?.bytes == [0x00])
  }

  @Test func `a password protects the pages from AUTH0 on, and is never readable`() throws {
    var tag = try selected("ntag213")
    for (page, data) in [
      (0x2B, [1, 2, 3, 4]), (0x2C, [0xAA, 0xBB, 0, 0]), (0x2A, [0x80, 5, 0, 0]), (0x29, [4, 0, 0, 4]),
    ] {
      #expect(tag.answer(.withCRC([0xA2, UInt8(page)] + data.map { UInt8($0) }))?.bytes == [0x0A])
    }
    tag.powerOff()
    #expect(select(&tag) != nil)
    #expect(tag.answer(.withCRC([0xA2, 4, 0, 0, 0, 0]))?.bytes == [0x00])
    #expect(select(&tag) != nil)
    #expect(tag.answer(.withCRC([0x30, 4]))?.lastBits == 4)
    #expect(select(&tag) != nil)
    #expect(tag.answer(.withCRC([0x1B, 0, 0, 0, 0]))?.lastBits == 4)
    #expect(select(&tag) != nil)
    #expect(command(&tag, [0x1B, 1, 2, 3, 4]) == [0xAA, 0xBB])
    #expect(command(&tag, [0x30, 0x2B])?.prefix(8) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(tag.answer(.withCRC([0xA2, 4, 0, 0, 0, 0]))?.bytes == [0x0A])
  }

  @Test func `a URL is written after the factory's Lock Control TLV`() throws {
    let tag = try tag("ntag213", .url("smp://a"))
    #expect(
      Array(tag.memory[16..<40])
        == [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x0C, 0xD1, 0x01, 0x08, 0x55, 0x00] + Array("smp://a".utf8)
        + [0xFE, 0, 0, 0, 0])
  }

  @Test func `a long message has a length of three bytes, and one that does not fit is refused`() throws {
    let message = [UInt8](repeating: 0x2A, count: 300)
    let tag = try tag("ntag215", .message(message))
    #expect(Array(tag.memory[16..<20]) == [0x03, 0xFF, 0x01, 0x2C])
    #expect(throws: TagPlacement.Fault.doesNotFit(size: 304, capacity: 144)) {
      try self.tag("ntag213", .message(message))
    }
    // 142 bytes and their TLV fill an NTAG213, without room for the Lock Control TLV or a terminator.
    #expect(try self.tag("ntag213", .message([UInt8](repeating: 1, count: 142))).memory[16] == 0x03)
  }

  @Test func `ISO-DEP chains in both directions, and repeats a block on request`() throws {
    var tag = try selected("type4", .message([UInt8](repeating: 0x41, count: 100)))
    let ats = try #require(command(&tag, [0xE0, 0x50]))
    #expect(ats[0] == UInt8(ats.count))
    // SELECT in two parts.
    #expect(command(&tag, [0x12, 0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2]) == [0xA2])
    #expect(command(&tag, [0x03, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00]) == [0x03, 0x90, 0x00])
    #expect(command(&tag, [0x02, 0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x04]) == [0x02, 0x90, 0x00])
    let first = try #require(command(&tag, [0x03, 0x00, 0xB0, 0x00, 0x00, 0x66]))
    #expect(first.count == 62 && first[0] == 0x13)
    #expect(command(&tag, [0xB3]) == first)
    let second = try #require(command(&tag, [0xA2]))
    let whole = Array(first.dropFirst()) + Array(second.dropFirst())
    #expect(whole.count == 104)
    #expect(whole == [0x00, 100] + [UInt8](repeating: 0x41, count: 100) + [0x90, 0x00])
    #expect(tag.answer(Self.reqa) == nil)
    #expect(command(&tag, [0xC2]) == [0xC2])
    #expect(tag.answer(Self.reqa) == nil)
    #expect(select(&tag, request: Self.wupa) != nil)
  }

  @Test func `random frames never stop a tag`() throws {
    var random = SeededGenerator(seed: 7)
    for model in ["ntag213", "ntag216", "ultralight", "ultralight-ev1-128", "type4", "ntag424", "classic"] {
      var tag = try tag(model)
      for _ in 0..<3_000 {
        if select(&tag) == nil { tag.powerOff() }
        if model.hasPrefix("type4"), Bool.random(using: &random) { _ = command(&tag, [0xE0, 0x50]) }
        let size = Int.random(in: 0...20, using: &random)
        var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let codes: [UInt8] = [0x30, 0x3A, 0xA2, 0xA0, 0x1B, 0x39, 0x3C, 0xA5, 0x60, 0x02, 0x12, 0xA2, 0xB2]
        if !bytes.isEmpty { bytes[0] = codes.randomElement(using: &random) ?? 0 }
        let bits = UInt8.random(in: 0...7, using: &random)
        _ = tag.answer(Bool.random(using: &random) ? .withCRC(bytes) : RFFrame(bytes, lastBits: bits))
      }
      #expect(tag.uid.count >= 4)
    }
  }
}
