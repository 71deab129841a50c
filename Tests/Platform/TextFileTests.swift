// Small files as editors leave them.

import Testing

@testable import TappetPlatform

@Suite struct TextFileTests {
  @Test(arguments: [
    ("word", "word"), ("word\nmore\n", "word"), ("word\r\n", "word"), ("\u{FEFF}word\r\n", "word"), ("\u{FEFF}", ""),
    ("", ""), ("wo\u{FEFF}rd", "wo\u{FEFF}rd"),
  ])
  func `the first line ends where its end begins, and a byte order mark does not belong to it`(
    _ content: String, _ line: String
  ) {
    let file = TextFile(bytes: Array(content.utf8), mode: 0o600)
    #expect(String(decoding: file.firstLine, as: UTF8.self) == line)
  }
}
