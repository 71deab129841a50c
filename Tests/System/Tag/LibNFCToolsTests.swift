// The judges of the simulated reader's faithfulness that nobody here wrote: libnfc's and libfreefare's own tools, and
// ndeflib.

import Foundation
import TestSupport
import Testing

private let actionURL =
  "smp://action?idx=1&ts=1700000000&sig=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/// Lower-case words without the spaces between digits, so that `04  a1  b2` can be looked for.
private func squeezed(_ text: String) -> String { text.lowercased().filter { !$0.isWhitespace } }

@Suite struct LibNFCToolsTests {
  @Test func `nfc-list finds the tag among all types of modulation`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ntag213 uid=04112233445566")
    let list = try world.tool("nfc-list", ["-v"])
    #expect(list.status == 0)
    #expect(list.output.contains("1 ISO14443A passive target(s) found"))
    #expect(squeezed(list.output).contains("uid(nfcid1):04112233445566"))
    #expect(squeezed(list.output).contains("atqa(sens_res):0044"))
    #expect(squeezed(list.output).contains("sak(sel_res):00"))
    #expect(list.output.contains("0 Felica (212 kbps) passive target(s) found"))
    #expect(list.output.contains("0 ISO14443A-2 NFC Barcode passive target(s) found"))
  }

  @Test func `nfc-list finds nothing without a tag`() throws {
    let world = try LibNFCToolsWorld()
    let list = try world.tool("nfc-list", ["-v"])
    #expect(list.status == 0)
    #expect(list.output.contains("0 ISO14443A passive target(s) found"))
  }

  @Test(arguments: [
    ("ntag424", "0344", "20", "ats:7777710280"), ("type4", "0344", "20", "ats:7777710280"),
    ("classic", "0004", "08", ""),
    ("ultralight", "0044", "00", ""),
  ])
  func `nfc-list identifies every kind of tag`(model: String, atqa: String, sak: String, ats: String) throws {
    let world = try LibNFCToolsWorld()
    let uid = try world.tell("place \(model)").lowercased()
    let list = squeezed(try world.tool("nfc-list", ["-v"]).output)
    #expect(list.contains("uid(nfcid1):" + uid))
    #expect(list.contains("atqa(sens_res):" + atqa))
    #expect(list.contains("sak(sel_res):" + sak))
    #expect(list.contains(ats.isEmpty ? "sak" : ats))
  }

  @Test func `nfc-scan-device identifies the chip`() throws {
    let world = try LibNFCToolsWorld()
    let scan = try world.tool("nfc-scan-device", ["-v"])
    #expect(scan.status == 0)
    #expect(scan.output.contains("chip: PN532 v1.6"))
    #expect(scan.output.contains("pn532_uart:" + world.link))
  }

  @Test func `nfc-poll detects the tag and its removal`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ntag215 uid=04112233445566")
    try world.tell("take after 20")
    let poll = try world.tool("nfc-poll")
    #expect(poll.status == 0)
    #expect(squeezed(poll.output).contains("uid(nfcid1):04112233445566"))
    #expect(poll.output.contains("Waiting for card removing...") && poll.errors.contains("Target Released"))
    #expect(try world.counter("command-60") == 1)
  }

  @Test func `nfc-anticol resolves the cascade bit by bit`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ntag213 uid=04112233445566")
    let walk = try world.tool("nfc-anticol")
    #expect(walk.status == 0)
    #expect(!walk.output.contains("BCC check failed"))
    #expect(squeezed(walk.output).contains("foundtagwithuid:04112233445566atqa:0044sak:00"))
    try world.tell("place type4 uid=01020304050607")
    let card = try world.tool("nfc-anticol")
    #expect(squeezed(card.output).contains("foundtagwithuid:01020304050607atqa:0344sak:20ats:067777710280"))
  }

  @Test func `pn53x-diagnose passes its tests of line, ROM and RAM`() throws {
    let world = try LibNFCToolsWorld()
    let diagnosis = try world.tool("pn53x-diagnose")
    #expect(diagnosis.status == 0)
    for test in ["Communication line", "ROM", "RAM"] { #expect(diagnosis.output.contains(test + " test: OK")) }
  }

  @Test(arguments: [
    ("ntag213", 45), ("ntag215", 135), ("ntag216", 231), ("ultralight", 16), ("ultralight-ev1-48", 20),
    ("ultralight-ev1-128", 41),
  ])
  func `nfc-mfultralight reads the tag's content`(model: String, pages: Int) throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place \(model) url=smp://action?idx=7")
    let file = world.folder.appendingPathComponent("dump")
    let read = try world.tool("nfc-mfultralight", ["r", file.path])
    #expect(read.output.contains("Done, \(pages) of \(pages) pages read (0 pages failed)."))
    let digits = try Data(contentsOf: file).map { String(format: "%02x", $0) }.joined()
    #expect(digits.count == pages * 8)
    #expect(try world.tell("dump") == digits)
  }

  @Test func `nfc-mfultralight writes a dump to the tag`() throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place ntag213 url=\(actionURL)")
    let file = world.folder.appendingPathComponent("dump")
    _ = try world.tool("nfc-mfultralight", ["r", file.path])
    let wanted = try world.tell("dump")
    try world.tell("place ntag213 empty")
    #expect(try world.tell("dump") != wanted)
    try world.tell("reset-counters")
    let write = try world.tool("nfc-mfultralight", ["w", file.path], input: "n\nn\nn\nn\n")
    #expect(write.output.contains("Done, 40 of 45 pages written (5 pages skipped, 0 pages failed)."))
    // The first three pages have the other tag's UID; the rest is the same.
    #expect(try world.tell("dump").dropFirst(24) == wanted.dropFirst(24))
    #expect(try world.counter("writes") == 40)
  }

  @Test(arguments: ["ntag213", "ultralight", "ultralight-ev1-48"])
  func `mifare-ultralight-info identifies the family`(model: String) throws {
    let world = try LibNFCToolsWorld()
    let uid = try world.tell("place \(model)").lowercased()
    let info = try world.tool("mifare-ultralight-info")
    #expect(info.output.contains("Tag with UID \(uid) is a Mifare UltraLight"))
  }

  @Test(arguments: ["ntag213", "ntag216", "ntag203", "type4", "ntag424"])
  func `ndeflib decodes the tag's message`(model: String) throws {
    let world = try LibNFCToolsWorld()
    try world.tell("place \(model) url=\(actionURL)")
    let record = try OtherLibraries.records(
      in: try world.tell("dump"), isType4: model == "type4" || model == "ntag424")
    #expect(record == "UriRecord \(actionURL)")
  }

  @Test func `with pacing, a READ takes as long as on a real line and in the air`() throws {
    let world = try LibNFCToolsWorld(paced: true)
    try world.tell("place ultralight")
    #expect(try world.tool("nfc-mfultralight", ["r", world.folder.appendingPathComponent("dump").path]).status == 0)
    let lines = textSoFar(world.trace).split(separator: "\n")
    let entries = lines.map { $0.split(separator: " ") }
    var reads = 0
    for (index, entry) in entries.enumerated() where entry[1] == ">" && entry[2].contains("d4400130") {
      // The acknowledgement follows and then the answer: 26 bytes at 115200 baud take 2.3 ms, 16 and their CRC in
      // the air 1.5 ms, the command's 12 bytes 1 ms. A busy machine only makes it longer.
      let answer = try #require(entries[(index + 1)...].first { $0[1] == "<" && $0[2].contains("d541") })
      let (asked, answered) = (try #require(Int64(entry[0])), try #require(Int64(answer[0])))
      #expect(answered - asked > 5_500_000)
      reads += 1
    }
    #expect(reads == 4)
  }
}
