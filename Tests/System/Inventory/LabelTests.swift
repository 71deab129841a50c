// Labels of boxes as they ship: on paper, and in the languages of printers. zbarimg reads their codes.

import Foundation
import TestSupport
import Testing

@Suite struct LabelTests {
  private let world: KioskWorld

  init() throws {
    world = try KioskWorld(withBroker: false)
    for words in [
      ["building", "add", "House"], ["room", "add", "Cellar", "--in", "House"],
      ["spot", "add", "Shelf", "--in", "Cellar"], ["spot", "add", "Rack", "--in", "Cellar"],
      ["box", "add", "Schrauben & <Muttern>", "--in", "Shelf", "--code", "B-17"],
      ["box", "add", "Größe ^XA~", "--in", "Shelf", "--code", "B_18^"], ["box", "add", "Ropes", "--in", "Rack"],
    ] { #expect(try world.tappet(words).status == 0) }
  }

  /// The codes in a picture, sorted.
  private func codes(in svg: String) throws -> [String] {
    let picture = svg + ".png"
    let drawn = try Programs.run(
      try Programs.installed("rsvg-convert"), ["-d", "300", "-p", "300", "-b", "white", svg, "-o", picture])
    #expect(drawn.status == 0, "\(drawn)")
    let read = try Programs.run(
      try Programs.installed("zbarimg"), ["--quiet", "--raw", "--set", "disable", "--set", "qrcode.enable", picture])
    return read.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test func `a label with a link opens its box on the page, and find recognizes it`() throws {
    let link = ["--link", "https://door.example:8443"]
    let file = world.folder + "/links.svg"
    #expect(
      try world.tappet(["label", "--in", "Shelf", "--format", "svg", "--sheet", "a4-3x8", "--out", file] + link).status
        == 0)
    let codes = try codes(in: file)
    #expect(codes.count == 2 && codes.contains("https://door.example:8443/s/B-17"), "\(codes)")
    // A code with other characters would have to be encoded: the link has the id.
    for code in codes { #expect(try world.tappet("find", code).output.hasPrefix("box "), "\(code)") }
    for address in ["door", "http://door", "https://", "https://door/x", "https://door/"] {
      #expect(try world.tappet("label", "B-17", "--link", address).status == 2, "\(address)")
    }
  }

  @Test(arguments: ["roll-62x29", "tape-12", "tape-18", "tape-24", "a4-3x8", "a4-3x7", "a4-2x7", "letter-3x10"])
  func `a sheet contains each box's code, and its text as XML`(sheet: String) throws {
    let file = world.folder + "/\(sheet).svg"
    let done = try world.tappet("label", "--in", "Shelf", "--format", "svg", "--sheet", sheet, "--out", file)
    #expect(done.status == 0, "\(done)")
    let isRoll = sheet.hasPrefix("roll") || sheet.hasPrefix("tape")
    guard isRoll else {
      #expect(done.errors == "wrote \(file)\n")
      #expect(try codes(in: file) == ["B-17", "B_18^"])
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("&amp;") && text.contains("&lt;Mutter") && text.contains("Cellar →"), "\(text)")
      return
    }
    let stem = world.folder + "/\(sheet)-"
    #expect(done.errors == "wrote \(stem)1.svg\nwrote \(stem)2.svg\n")
    #expect(try codes(in: stem + "1.svg") == ["B-17"] && codes(in: stem + "2.svg") == ["B_18^"])
    #expect(try world.tappet("label", "B-17", "--format", "svg").output.hasPrefix("<svg "))
    let many = try world.tappet("label", "--all", "--format", "svg")
    #expect(many.status == 1 && many.errors.contains("3 labels need 3 sheets of roll-62x29"), "\(many)")
  }

  @Test func `labels of spots, rooms and items contain ids that find and a scanner recognize`() throws {
    #expect(try world.tappet("item", "add", "M4", "--in", "B-17").status == 0)
    for (words, kind, path) in [
      ("Cellar / Rack", "spot", "House → Cellar"), ("Cellar", "room", "House"),
      ("M4", "item", "House → Cellar → Shelf → Schrauben & <Muttern>"),
    ] {
      let file = world.folder + "/\(kind).svg"
      let label = ["label", words, "--format", "svg", "--sheet", "tape-12", "--out", file]
      #expect(try world.tappet(label).status == 0)
      let code = try #require(try codes(in: file).first)
      let found = try world.tappet("find", code)
      #expect(found.status == 0 && found.output.hasPrefix(kind) && found.output.contains(path), "\(found)")
      let shown = try world.tappet("label", code).output
      #expect(shown.contains("[\(kind.capitalized)]  \(path)"), "\(shown)")
    }
  }

  @Test func `labels for numbers of pieces are made, with or without labels of entries`() throws {
    let file = world.folder + "/numbers.svg"
    let words = ["label", "--number", "1,5,25,100,25", "--format", "svg", "--sheet", "a4-3x8", "--out", file]
    #expect(try world.tappet(words).status == 0)
    #expect(try codes(in: file) == [1, 100, 25, 5].map { "smp://number?n=\($0)" })
    let shown = try world.tappet("label", "B-17", "--number", "0,1")
    #expect(shown.output.contains("0  [pieces]") && shown.output.contains("1  [piece]"), "\(shown)")
    #expect(shown.output.contains("[B-17]"), "\(shown)")
    for numbers in ["", "x", "10000", "-1", "1,,2", "01", "1 2"] {
      let refused = try world.tappet("label", "--number", numbers)
      #expect(refused.status == 2 && refused.errors.contains("numbers from 0 to 9999"), "\(refused)")
    }
  }

  @Test func `used labels of a sheet stay empty, and an existing file is kept`() throws {
    let file = world.folder + "/labels.svg"
    let words = ["label", "--all", "--format", "svg", "--sheet", "a4-3x8", "--skip", "22", "--out", file]
    #expect(try world.tappet(words).status == 0)
    let counts = try ["1", "2"].map { try codes(in: world.folder + "/labels-\($0).svg").count }
    #expect(counts == [2, 1])
    let again = try world.tappet(words)
    #expect(again.status == 4 && again.errors.contains("labels-1.svg already exists"), "\(again)")
    let nowhere = try world.tappet("label", "B-17", "--format", "svg", "--out", world.folder + "/none/x.svg")
    #expect(nowhere.status == 4 && nowhere.errors.contains("none/x.svg"), "\(nowhere)")
  }

  @Test func `a label cannot inject commands into a printer's language`() throws {
    let zpl = try world.tappet("label", "B_18^", "--format", "zpl").output
    #expect(zpl.hasPrefix("^XA^CI28\n") && zpl.hasSuffix("^XZ\n"), "\(zpl)")
    #expect(zpl.contains("^FDHA,B_5f18_5e^FS") && zpl.contains("^FDGr_c3_b6_c3_9fe _5eXA_7e^FS"), "\(zpl)")
    let file = world.folder + "/printed"
    let tappet = try Programs.built("tappet").path
    let line = "'\(tappet)' label B_18^ --format escpos --config '\(world.configPath)' >\(file)"
    #expect(try Programs.run(URL(fileURLWithPath: "/bin/sh"), ["-c", line]).status == 0)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    let code: [UInt8] = [0x1D, 0x28, 0x6B, 8, 0, 0x31, 0x50, 0x30] + Array("B_18^".utf8)
    // Page 850: ö is 0x94, ß 0xE1; the arrow is written with what there is.
    let words: [UInt8] = [0x47, 0x72, 0x94, 0xE1] + Array("e ^XA~\n".utf8)
    #expect(bytes.contains(code) && bytes.contains(words), "\(bytes)")
    #expect(bytes.contains(Array("House -> Cellar -> Shelf\n".utf8)), "\(bytes)")
  }

  @Test func `a label on the terminal is readable by a phone, and each error has its own message`() throws {
    let shown = try world.tappet("label", "B-17", "B-17")
    #expect(shown.output.contains("█") && shown.output.hasSuffix("<Muttern>  [B-17]  House → Cellar → Shelf\n"))
    #expect(shown.output.split(separator: "\n").count { $0.contains("B-17") } == 1, "each box once")
    for (words, sentence) in [
      ([], "specify the things to label"), (["B-17", "--format", "pdf"], "--format must be"),
      (["B-17", "--sheet", "a4-3x8"], "--sheet requires --format svg"),
      (["B-17", "--format", "svg", "--sheet", "a5"], "--sheet must be one of roll-62x29, a4-3x8"),
      (["B-17", "--format", "svg", "--out", "labels.pdf"], "ends in .svg"),
    ] {
      let refused = try world.tappet(["label"] + words)
      #expect(refused.status == 2 && refused.errors.contains(sentence), "\(words): \(refused)")
    }
    let unknown = try world.tappet("label", "B-99")
    #expect(unknown.status == 1 && unknown.errors.contains("No box found with QR code: B-99"), "\(unknown)")
    #expect(try world.tappet("label", "--in", "Attic").errors.contains("there is no spot 'Attic'"))
  }
}

extension Array where Element == UInt8 {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: part) }
  }
}
