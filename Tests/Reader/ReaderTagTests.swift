// The reader with each kind of tag, and the number of exchanges that it needs.

import Foundation
import TappetCore
import TestSupport
import Testing

@Suite(.serialized) struct ReaderTagTests {
  /// A member of the Type 2 family, the URL that fits it, and the model to be reported.
  static let type2: [(name: String, url: String, model: TagModel)] = [
    ("ntag213", tagURL, .ntag213), ("ntag215", tagURL, .ntag215), ("ntag216", tagURL, .ntag216),
    ("ntag203", tagURL, .ntag203), ("ultralight", "smp://action?idx=1", .ultralight),
    ("ultralight-ev1-48", "smp://action?idx=1", .ultralightEV1Small),
    ("ultralight-ev1-128", tagURL, .ultralightEV1Large),
  ]

  @Test(arguments: type2)
  func `a Type 2 tag's message is read completely, and its model is reported`(
    _ tag: (name: String, url: String, model: TagModel)
  ) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    let uid = bytes(ofHex: try rig.tell("place \(tag.name) url=\(tag.url)").first ?? "")
    let reading = try rig.reading()
    #expect(reading.uid.bytes == uid)
    #expect(reading.model == tag.model)
    // The reading equals the tag's memory, and the whole URL is in it.
    #expect(reading.bytes == Array(try rig.memory().prefix(reading.bytes.count)))
    #expect(String(decoding: reading.bytes, as: UTF8.self).contains(tag.url))
    try rig.take()
  }

  @Test(arguments: ["type4", "ntag424"])
  func `a Type 4 tag's file is read without its length field`(_ name: String) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place \(name) url=\(tagURL)")
    let reading = try rig.reading()
    #expect(reading.model == (name == "ntag424" ? .ntag424 : .type4))
    #expect(reading.bytes == [0xD1, 0x01, UInt8(tagURL.utf8.count + 1), 0x55, 0x00] + Array(tagURL.utf8))
    try rig.take()
  }

  @Test func `a tag URL on an NTAG213 is read in three exchanges at most`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    #expect(tagURL.utf8.count == 101)
    try rig.tell("reset-counters")
    try rig.tell("place ntag213 url=\(tagURL)")
    _ = try rig.reading()
    // Counted before the first look whether it is still there, 150 ms later.
    #expect(try rig.counter("exchanges-since-place") <= 3)
    #expect(try rig.counter("selects") == 1)
  }

  @Test func `a message of 800 bytes on an NTAG216 is read in sixteen exchanges at most`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    let expected = message(ofSize: 800)
    try rig.tell("reset-counters")
    try rig.tell("place ntag216 ndef=\(hex(expected))")
    let reading = try rig.reading()
    #expect(try rig.counter("exchanges-since-place") <= 16)
    #expect(reading.bytes.count >= 820)
    #expect(Array(reading.bytes[20..<820]) == expected)
  }

  @Test func `a Type 4 message larger than one response is read in pieces`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    let expected = message(ofSize: 1500)
    try rig.tell("place type4 ndef=\(hex(expected))")
    #expect(try rig.reading().bytes == expected)
  }

  @Test func `a tag without FAST_READ is selected again, and read page by page`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("reset-counters")
    try rig.tell("place ntag203 url=\(tagURL)")
    _ = try rig.reading()
    #expect(try rig.counter("selects") == 2)
  }

  @Test func `a formatted tag without a message and an unformatted tag are read, too`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place ntag213 empty")
    let empty = try rig.reading()
    #expect(empty.model == .ntag213 && empty.bytes[12] == 0xE1)
    try rig.take()
    try rig.tell("place ntag215 blank")
    let blank = try rig.reading()
    #expect(blank.model == .ntag215)
    #expect(blank.bytes.count == 16 && blank.bytes[12] != 0xE1)
    try rig.take()
    try rig.tell("place type4 empty")
    #expect(try rig.reading().bytes == [])
  }

  @Test func `a MIFARE Classic is reported as unsupported`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place classic")
    guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    #expect(try rig.nextEvent() == .message(.tagFaulted(uid, .mifareClassic, .unsupportedModel)))
    try rig.take()
  }

  /// A memory with a container of its own and a message of `size` bytes, of which it holds the beginning.
  private func memory(bytes: Int, container size: UInt8, message: UInt8) -> [UInt8] {
    let header: [UInt8] = [
      0x04, 0x11, 0x22, 0xBF, 0x33, 0x44, 0x55, 0x66, 0x44, 0x48, 0x00, 0x00, 0xE1, 0x10, size, 0x00,
    ]
    let start = header + [0x03, message, 0xD1, 0x01, message - 4, 0x55, 0x00]
    return start + [UInt8](repeating: 0x61, count: bytes - start.count)
  }

  @Test func `a container that claims more than the memory is detected`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    // READ continues at page 0 after an NTAG203's page 41 and an Ultralight's page 15.
    for (name, bytes) in [("ntag203", 168), ("ultralight", 64)] {
      let content = memory(bytes: bytes, container: 0x3E, message: 200)
      try rig.tell("place \(name) memory=\(hex(content))")
      guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
      #expect(try rig.nextEvent() == .message(.tagFaulted(uid, .type2, .malformedAnswer)))
      try rig.take()
    }
  }

  @Test(arguments: [4, 5, 6, 10, 20, 35])
  func `pages behind a password are reported as such, and page 0 is not read instead`(_ first: UInt8) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    var content = memory(bytes: 180, container: 0x12, message: 140)
    // CFG0 and CFG1: AUTH0, and PROT, with which the password is also needed for reading.
    content.replaceSubrange(164..<172, with: [4, 0, 0, first, 0x80, 5, 0, 0])
    try rig.tell("place ntag213 memory=\(hex(content))")
    guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    #expect(try rig.nextEvent() == .message(.tagFaulted(uid, .type2, .passwordProtected)))
  }

  @Test func `a Type 4 file that claims more than its content is detected`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place type4 memory=0FFFD101")
    guard case .message(.tagArrived) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    let event = try rig.nextEvent()
    guard case .message(.tagFaulted(_, .type4, .malformedAnswer)) = event else {
      throw TestFault("tagFaulted(malformedAnswer); there was \(event)")
    }
  }

  @Test func `a Type 4 file without room for its own length is detected`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    for size in [0, 1] {
      try rig.tell("place type4 size=\(size)")
      guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
      #expect(try rig.nextEvent() == .message(.tagFaulted(uid, .type4, .malformedAnswer)))
      try rig.take()
    }
  }

  @Test(arguments: [
    ("no largest answer", "000f20000000ff0406e10408000000"), ("no largest command", "000f2000fb00000406e10408000000"),
    ("its own size wrong", "ffff2000fb00f90406e10408000000"),
    ("a size without the length", "000f2000fb00f90406e104000e0000"),
    ("another block first", "00172000fb00f90506e1050080828304" + "06e10408000000"),
    ("a proprietary condition", "000f2000fb00f90406e10408008000"), ("version 1", "000f1000fb00f90406e10408000000"),
    ("version 3", "00113000fb00f90608e104000008000000"),
  ])
  func `an unambiguous Type 4 container is read despite an error`(_ what: String, _ container: String)
    throws
  {
    let rig = try ReaderRig()
    try rig.startReady()
    let message = "d1010a550461622e63642f6566"
    let length = what == "version 3" ? "0000000d" : "000d"
    try rig.tell("place type4 memory=\(length)\(message) container=\(container)")
    #expect(try rig.reading().bytes == bytes(ofHex: message), "\(what)")
    try rig.take()
  }

  @Test(arguments: [
    ("000f2000fb00f90406e1040800ff00", TagFault.readProtected), ("000f2000fb00f90406e10308000000", .malformedContainer),
    ("000f2000fb00f90506e10408000000", .malformedContainer), ("000f2000fb00f90406e10508000000", .malformedContainer),
    ("000f2000fb00f90406e104000c0000", .malformedAnswer),
  ])
  func `an ambiguous Type 4 container is reported with its error`(_ container: String, _ fault: TagFault) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place type4 memory=000dd1010a550461622e63642f6566 container=\(container)")
    guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    #expect(try rig.nextEvent() == .message(.tagFaulted(uid, .type4, fault)))
    try rig.take()
  }

  @Test func `a card with slow responses times out, and the reader keeps running`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place type4 url=\(tagURL) slow=800")
    guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    #expect(try rig.nextEvent() == .message(.tagFaulted(uid, .type4, .refusedToAnswer)))
    try rig.take()
    try rig.tell("place ntag213 url=\(tagURL)")
    guard case .message(.tagArrived) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    guard case .message(.tagRead) = try rig.nextEvent() else { throw TestFault("tagRead") }
  }

  @Test(arguments: ["ntag213", "ntag203", "type4", "classic"])
  func `a tag that stays is read once`(_ name: String) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place \(name)")
    guard case .message(.tagArrived) = try rig.nextEvent() else { throw TestFault("tagArrived") }
    _ = try rig.nextEvent()
    // Looked at six times more: each look is an exchange or, where that is not possible, a select.
    try rig.tell("reset-counters")
    try rig.until("six looks at the tag") {
      try rig.counter("exchanges-since-place") + rig.counter("selects") >= 6
    }
    #expect(rig.reader?.receive() == .nothing)
    try rig.take()
  }

  @Test func `a swapped tag is reported as removed before the next one arrives`() throws {
    let rig = try ReaderRig()
    try rig.startReady()
    try rig.tell("place ntag213 url=\(tagURL)")
    let first = try rig.reading()
    try rig.tell("place ntag215 url=\(tagURL)")
    #expect(try rig.nextEvent() == .message(.tagLeft(first.uid)))
    #expect(try rig.reading().model == .ntag215)
  }

  @Test func `a tag that was present at the start is still reported so after a torn reading`() throws {
    // On a busy machine, the tag may come back too late, and has left.
    for attempt in 1...20 {
      let rig = try ReaderRig()
      try rig.tell("place ntag213 url=\(tagURL)", "take after 1")
      try rig.startReady()
      guard case .message(.tagArrived(let uid, wasPresent: true)) = try rig.nextEvent() else {
        throw TestFault("tagArrived")
      }
      guard case .message(.tagFaulted(uid, _, .pulledAway)) = try rig.nextEvent() else { throw TestFault("tagFaulted") }
      try rig.tell("back")
      let event = try rig.nextEvent()
      if event == .message(.tagLeft(uid)), attempt < 20 { continue }
      #expect(event == .message(.tagArrived(uid, wasPresent: true)))
      return
    }
  }

  @Test(arguments: ["ntag213", "ntag203", "type4"])
  func `a disturbed response is requested again`(_ name: String) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    for answer in 1...5 {
      try rig.tell("corrupt \(answer)", "place \(name) url=\(tagURL)")
      #expect(String(decoding: try rig.reading().bytes, as: UTF8.self).contains(tagURL), "answer \(answer)")
      try rig.take()
    }
  }
}

@Suite(.serialized) struct ReaderTornTagTests {
  @Test(arguments: ["ntag213", "ntag216", "ntag203", "type4"])
  func `a tag removed after any exchange causes no fault`(_ name: String) throws {
    let rig = try ReaderRig()
    try rig.startReady()
    for exchanges in 1...6 {
      try rig.tell("place \(name) url=\(tagURL)", "take after \(exchanges)")
      guard case .message(.tagArrived(let uid, _)) = try rig.nextEvent() else { throw TestFault("tagArrived") }
      switch try rig.nextEvent() {
      case .message(.tagRead(let reading)):
        #expect(String(decoding: reading.bytes, as: UTF8.self).contains(tagURL))
      case .message(.tagFaulted(uid, _, .pulledAway)): break
      case let other: Issue.record("\(other) after \(exchanges)")
      }
      #expect(try rig.nextEvent() == .message(.tagLeft(uid)))
    }
    try rig.tell("place ntag213 url=\(tagURL)")
    #expect(String(decoding: try rig.reading().bytes, as: UTF8.self).contains(tagURL))
  }
}
