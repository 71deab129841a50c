// Facts about a tap in a message and a topic of kiosk.yaml.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct MessageConfigurationTests {
  private func parse(_ action: String) -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions:
        - {name: garage, \(action)}
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
  }

  @Test(arguments: [
    "topic: 'home/%{uid}', message: '%{tag} %{time}'", "topic: home, message: '{\"text\": \"%{text}\"}', format: text",
    "topic: 'home/%{uid', message: '%{nobody}', format: literal",
    "message: '%{unix}', webhook: {url: 'https://a.example', body: '%{action}'}",
  ])
  func `a topic, a message and a body may contain facts`(_ action: String) {
    guard case .loaded(let configuration) = parse(action) else {
      Issue.record("\(parse(action))")
      return
    }
    #expect(KioskSettings(configuration).kioskName == "kiosk")
  }

  @Test(arguments: [
    "topic: 'home/%{uid', message: x", "topic: home, message: '%{person'", "topic: home, message: '%{tagg}'",
    "topic: home, message: x, webhook: {url: 'https://a.example', body: '%{bod}'}",
  ])
  func `an unknown fact is an error that lists the known ones`(_ action: String) {
    guard case .refused(let problems) = parse(action) else {
      Issue.record("accepted: \(action)")
      return
    }
    #expect(problems.count == 1)
    let sentence = problems.first?.sentence ?? ""
    #expect(sentence.hasPrefix("k:3:") && sentence.contains("%{uid} %{tag}") && sentence.contains("format: literal"))
  }

  @Test(arguments: ["null", "~", "NULL"]) func `null without quotes is not a message`(_ word: String) {
    guard case .refused(let problems) = parse("topic: t, message: \(word)") else {
      Issue.record("accepted")
      return
    }
    #expect(problems.first?.sentence.hasSuffix("not \(word) (use quotes for this text)") == true)
    guard case .loaded = parse("topic: t, message: '\(word)'") else {
      Issue.record("refused")
      return
    }
  }

  @Test(arguments: [
    ("topic: t, message: , retain: true", "message"), ("topic: t, message: ", "message"),
    ("room: '#a:b', message: ", "message"), ("topic: t, message: m, on_remove: {message: }", "on_remove.message"),
    ("topic: t, message: m, webhook: {url: 'https://a.example', body: }", "webhook.body"),
  ])
  func `a message without a value is an error, not an empty message`(_ action: String, _ key: String) {
    guard case .refused(let problems) = parse(action) else {
      Issue.record("accepted: \(action)")
      return
    }
    let sentence = "actions[0].\(key) must be text, or '' for an empty message, not nothing"
    #expect(problems.contains { $0.sentence.hasSuffix(sentence) })
  }

  @Test(arguments: [
    "topic: t, message: '', retain: true", "topic: t, message: m, on_remove: {message: \"\"}",
    "topic: t, message: m, webhook: {url: 'https://a.example', body: ''}",
  ])
  func `an explicitly empty message is accepted`(_ action: String) {
    guard case .loaded = parse(action) else {
      Issue.record("\(parse(action))")
      return
    }
  }

  @Test func `a topic that its facts could make too long is refused`() {
    let long = "topic: '" + String(repeating: "x", count: 65_500) + "%{tag}', message: x"
    guard case .refused(let problems) = parse(long) else {
      Issue.record("accepted")
      return
    }
    #expect(problems.first?.sentence.contains("so that the values of its placeholders fit") == true)
  }

  @Test(arguments: ["format: json", "format: yaml, topic: home, message: x"])
  func `an unknown format, or one without a message, is refused`(_ action: String) {
    guard case .refused = parse(action) else {
      Issue.record("accepted: \(action)")
      return
    }
  }
}
