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
  func `a formula is text to a spreadsheet, and a number is a number`(_ field: String, _ written: String) {
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
}
