// The questions of a set-up in a browser.

import TappetJSON
import Testing

@testable import TappetCommandLine

@Suite struct DialogueTests {
  @Test func `texts from files are shown with visible control characters, and keep their meaning as an answer`() {
    let evil = "door\u{202E}gnp.\u{1B}[2J"
    let choices = Choices(evil, [(evil, evil)], other: evil)
    let message = Dialogue.message("unused", default: evil, .text, choices)
    let shown = #"door\u{202e}gnp.\u{1b}[2J"#
    #expect(message["default"]?.text == shown && message["question"]?.text == shown && message["other"]?.text == shown)
    let choice = message["choices"]?.elements?.first
    #expect(choice?["answer"]?.text == shown && choice?["text"]?.text == shown)
    #expect(Dialogue.meaning(of: Array(shown.utf8), among: ["none", evil]) == Array(evil.utf8))
    #expect(Dialogue.meaning(of: Array("other".utf8), among: [evil]) == Array("other".utf8))
  }
}
