// Comma-separated values for spreadsheets.

import Testing

@testable import TappetCommandLine

@Suite struct CSVTests {
  @Test(arguments: [
    ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""), ("+cmd|calc", "'+cmd|calc"), ("-2+3", "'-2+3"),
    ("@SUM", "'@SUM"),
    ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), ("-12.5", "-12.5"), ("+5", "+5"), ("-", "'-"), ("a=b", "a=b"),
    ("", ""),
  ])
  func `a formula is written as text for spreadsheets, and a number as a number`(_ field: String, _ written: String) {
    #expect(CSV.line([field]) == written)
  }

  @Test func `an exported field is never a formula, and is imported unchanged`() throws {
    let texts = ["=cmd()", "=\"00123\"", "+1-2", "-40 sensor", "-5", "+5.5", "@x", "\tx", "\r\nx", "00123", "it's", ""]
    for field in ["", "'", "''"].flatMap({ start in texts.map { start + $0 } }) {
      let reader = try #require(CSVReader())
      try reader.read(Array(("name,next\r\n" + CSV.line([field, "x"]) + "\r\n").utf8))
      try reader.finish()
      #expect(reader.takeRows().last?.fields == [field, "x"], "\(field)")
      let isFormula = CSV.guarded(field).utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
      #expect(!isFormula || Double(field) != nil, "\(field)")
    }
  }

  @Test(arguments: [("UTF-16", "a,ü,😀\n"), ("UTF-8", "a,ü,😀\n"), ("EUC-JP", "棚,一\n"), ("CP1258", "a,ê\n")])
  func `text is decoded correctly wherever its blocks end`(_ encoding: String, _ text: String) throws {
    let bytes: [UInt8] =
      switch encoding {
      case "UTF-16": [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      case "EUC-JP": [0xC3, 0xAA, 0x2C, 0xB0, 0xEC, 0x0A]
      case "CP1258": [0x61, 0x2C, 0xEA, 0x0A]
      default: Array(text.utf8)
      }
    for end in 0...bytes.count {
      let decoder = try #require(TextDecoder(encoding: encoding == "UTF-16" && end > 1 ? nil : encoding))
      let blocks = [bytes[..<end], bytes[end...]].filter { !$0.isEmpty } + [[]]
      let decoded = try blocks.flatMap { try decoder.decode(Array($0)) }
      #expect(String(decoding: decoded, as: UTF8.self) == text, "\(encoding) \(end)")
    }
  }
}
