import TappetCore
import Testing

@Suite struct OutsideTextTests {
  @Test(arguments: [
    ("plain ü ☂ 👩 שלום", "plain ü ☂ 👩 שלום"), ("\u{1B}[2J", "\\u{1b}[2J"), ("a\u{9B}31m\n", "a\\u{9b}31m\\u{a}"),
    ("\u{7F}\u{200F}\u{202E}\u{2066}\u{2028}\u{61C}", "\\u{7f}\\u{200f}\\u{202e}\\u{2066}\\u{2028}\\u{61c}"),
  ])
  func `exactly the characters that control a terminal or reverse text are escaped`(
    _ text: String, _ escaped: String
  ) {
    #expect(text.escaped == escaped)
    #expect(text.isPrintable == (text == escaped))
    #expect(text.escaped.isPrintable)
  }

  @Test func `invisible characters are made visible`() {
    #expect("a\u{200B}b\u{FEFF}c\u{AD}\u{E0041}".escaped == #"a\u{200b}b\u{feff}c\u{ad}\u{e0041}"#)
    #expect("\u{202E}\n\u{3164}\u{2800}\u{FE0F}".escapedLines == "\\u{202e}\n" + #"\u{3164}\u{2800}\u{fe0f}"#)
    #expect("👩‍🔧".escaped == #"👩\u{200d}🔧"#)
  }

  @Test func `quoted text cannot end its quotes`() {
    #expect("a\" event=b \\".quoted == #""a\" event=b \\""#)
    #expect("a\nb\tc\u{9B}".escapedLines == "a\nb\tc\\u{9b}")
  }
}
