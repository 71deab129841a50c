// `tags:` and `unknown_tags:` of kiosk.yaml.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct ForeignTagConfigurationTests {
  private func parse(_ more: String) -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions:
        - {name: play, topic: music/play, message: '%{tag}'}
        - {name: open, topic: home/open, message: x, unlock: true}
      \(more)
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
  }

  @Test func `tags are read by UID, text and URI`() throws {
    let outcome = parse(
      """
      tags:
        - {uid: '04:A1:b2:c3:d4:e5:f6', action: play, label: Abbey Road, trust: uid}
        - {uid: 04 11 22 33, action: play, trust: uid}
        - {text: box 7, action: play, trust: uid}
        - {uri: "https://boxes.example/8", action: play, trust: uid}
      unknown_tags: {topic: 'tags/%{uid}', message: '{"text": "%{text}"}', offline: drop}
      """)
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let long = try #require(TagUID([4, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]))
    let short = try #require(TagUID([4, 0x11, 0x22, 0x33]))
    #expect(
      configuration.foreignTags == [
        ExternalTag(mark: .uid(long), action: "play", label: "Abbey Road"),
        ExternalTag(mark: .uid(short), action: "play"),
        ExternalTag(mark: .text("box 7"), action: "play"),
        ExternalTag(mark: .uri("https://boxes.example/8"), action: "play"),
      ])
    #expect(configuration.unknownTags?.name == "unknown_tags" && configuration.unknownTags?.offline == .drop)
    let settings = KioskSettings(configuration)
    #expect(settings.foreignTags.count == 4 && settings.unknownTags != nil && settings.actions.count == 2)
    guard case .loaded(let silent) = parse("") else { return }
    #expect(silent.foreignTags.isEmpty && silent.unknownTags == nil)
  }

  @Test(arguments: [
    ("tags: [{uid: 04112233, action: play}]", "trust: uid"),
    ("tags: [{uid: 04112233, action: play, trust: yes}]", "must be 'uid'"),
    ("tags: [{uid: 08112233, action: play, trust: uid}]", "that start with 08"),
    ("tags: [{uid: 0411223344, action: play, trust: uid}]", "8, 14 or 20 hex digits"),
    (
      "tags: [{uid: 0563537489, action: play, trust: uid}]",
      "which in decimal is 2196e651 or 51e69621, not '0563537489'"
    ),
    ("tags: [{uid: 04112233, text: a, action: play, trust: uid}]", "must be used without 'uid'"),
    ("tags: [{action: play, trust: uid}]", "'uid' is missing"),
    ("tags: [{uid: 04112233, trust: uid}]", "'action' is missing"),
    ("tags: [{uid: 04112233, action: pla, trust: uid}]", "did you mean 'play'?"),
    ("tags: [{uid: 04112233, action: open, trust: uid}]", "external tags cannot do that"),
    (
      "tags: [{uid: 04112233, action: play, trust: uid}, {uid: '04:11:22:33', action: play, trust: uid}]",
      "already in the list"
    ),
    ("unknown_tags: {topic: 'tags/#', message: x}", "topic"), ("unknown_tags: {topic: tags}", "'message' is missing"),
    ("unknown_tags: {topic: tags, message: '%{wrong}'}", "%{wrong}"), ("unknown_tags: true", "mapping"),
  ])
  func `each error in a tag is reported`(_ text: String, _ reason: String) {
    guard case .refused(let problems) = parse(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(problems.contains { $0.sentence.contains(reason) || reason == "%{wrong}" }, "\(problems.map(\.sentence))")
    #expect(problems.allSatisfy { $0.sentence.hasPrefix("k:5:") }, "\(problems.map(\.sentence))")
  }
}
