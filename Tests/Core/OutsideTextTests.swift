import TappetCore
import Testing

@Suite struct OutsideTextTests {
  @Test(arguments: [
    ("plain ü ☂ 👩‍🔧 שלום", "plain ü ☂ 👩‍🔧 שלום"), ("\u{1B}[2J", "\\u{1b}[2J"), ("a\u{9B}31m\n", "a\\u{9b}31m\\u{a}"),
    ("\u{7F}\u{200F}\u{202E}\u{2066}\u{2028}\u{61C}", "\\u{7f}\\u{200f}\\u{202e}\\u{2066}\\u{2028}\\u{61c}"),
  ])
  func `characters that control a terminal or turn text around are escaped, and no others`(
    _ text: String, _ escaped: String
  ) {
    #expect(text.escaped == escaped)
    #expect(text.isPrintable == (text == escaped))
    #expect(text.escaped.isPrintable)
  }

  @Test func `characters without width are made visible, and pictures keep their form elsewhere`() {
    #expect("a\u{200B}b\u{FEFF}c\u{AD}\u{E0041}".visible == #"a\u{200b}b\u{feff}c\u{ad}\u{e0041}"#)
    #expect("plain ü ☂ שלום".visible == "plain ü ☂ שלום" && "\u{202E}\n".visible == #"\u{202e}\u{a}"#)
    #expect("👩‍🔧".escaped == "👩‍🔧" && "👩‍🔧".visible == #"👩\u{200d}🔧"#)
  }

  @Test func `quotes cannot be left from within`() {
    #expect("a\" event=b \\".quoted == #""a\" event=b \\""#)
    #expect("a\nb\tc\u{9B}".escapedLines == "a\nb\tc\\u{9b}")
  }
}
