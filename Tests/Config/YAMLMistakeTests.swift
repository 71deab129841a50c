// Mistakes that make a file invalid YAML, with the sentence about each.

import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct YAMLMistakeTests {
  private func sentences(_ more: String) -> [String] {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions:
        - {name: light, topic: home/light, message: toggle}
      \(more)
      """
    switch ConfigurationParser.parse(Array(text.utf8), name: "kiosk.yaml", folder: "/etc/tappet") {
    case .loaded: return []
    case .refused(let problems): return problems.map(\.sentence)
    }
  }

  @Test(arguments: [
    ("name: %{uid}", "4:7: a value that starts with % must be in quotes: '%{uid}'"),
    ("name: @ann # her", "4:7: a value that starts with @ must be in quotes: '@ann'"),
    ("pin: @secret", "4:6: a value that starts with @ must be in quotes: '@…'"),
    ("title: Ann's: door", "4:13: a value that contains ': ' must be in quotes: 'Ann''s: door'"),
    ("password: a: b", "4:12: a value that contains ': ' must be in quotes: 'a…'"),
    ("clock: !x y", "4:8: the tag '!x' is not supported; write the value without it, or in quotes"),
  ])
  func `text that needs quotes is shown with them, unless it may be secret`(
    _ line: String, _ sentence: String
  ) {
    #expect(sentences(line) == ["kiosk.yaml:" + sentence])
  }

  @Test(arguments: ["clock: x\n  url: mqtts://h:1", " clock: x", "clock:\n    a: b\n  c: d", "clock: 'x' y"])
  func `a misplaced line is reported with a hint about its indentation`(_ lines: String) {
    let sentence = sentences(lines).first ?? ""
    #expect(sentence.hasSuffix("is this line indented like its neighbours, and each quote closed?"), "\(sentence)")
  }
}
