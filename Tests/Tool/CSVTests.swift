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
}
