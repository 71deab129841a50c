// The part `web:` of kiosk.yaml: what is read, and the sentence for each mistake.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

private func parse(_ web: String) -> ConfigurationParser.Outcome {
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: front}
    control: /run/kiosk/control
    panel:
      buttons: [{line: GPIO5, press: bell}]
      outputs: [{name: lamp, line: GPIO6}]
    \(web)
    actions:
      - {name: garage, topic: home/garage, message: in, confirm: 5 s}
      - {name: bell, topic: home/bell, message: ring}
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
}

private func settings(_ web: String) throws -> PageSettings {
  guard case .loaded(let configuration) = parse(web) else { throw YAMLMistake() }
  return try #require(configuration.web)
}

private struct YAMLMistake: Error {}

@Suite struct WebConfigurationTests {
  @Test func `without details, the page has the buttons' actions first, and strangers see nothing`() throws {
    #expect(
      try settings("web: {}")
        == PageSettings(
          name: "front", names: [], panel: ["bell", "garage"], open: nil, socket: "/run/kiosk/web"))
  }

  @Test func `everything may be specified`() throws {
    let text = """
      web:
        {name: Front door, names: [Door.Example.], panel: [garage], outputs: [lamp], open: look, publish: true,
        socket: /run/tappet/web}
      """
    #expect(
      try settings(text)
        == PageSettings(
          name: "Front door", names: ["door.example"], panel: ["garage"], outputs: ["lamp"], open: .look,
          publishes: true, socket: "/run/tappet/web"))
  }

  @Test(arguments: [
    ("web: {panel: [gate]}", "gate"), ("web: {open: press}", "'nothing' or 'look'"),
    ("web: {names: ['door:8443']}", "a host name without a port"), ("web: {nmae: Door}", "did you mean 'name'?"),
    ("web: {publish: maybe}", "'true' or 'false'"), ("web: {outputs: [lmap]}", "did you mean 'lamp'?"),
    ("web: {socket: /run/kiosk/control}", "another path than 'control'"),
  ])
  func `a mistake is named`(_ text: String, _ words: String) {
    guard case .refused(let problems) = parse(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(problems.count == 1 && problems[0].sentence.contains(words), "\(problems.map { $0.sentence })")
  }

  @Test(arguments: [
    ("door.example", true), ("DOOR.Example.:8443", true), ("board:443", true), ("board.local", true),
    ("localhost:8443", true), ("192.0.2.7:8443", true), ("[2001:db8::7]:8443", true), ("", false), (":8443", false),
    ("evil.example", false), ("192.0.2.7.evil.example", false), ("door.example.evil.example", false),
    ("xdoor.example", false), ("1.2.3.4x", false),
  ])
  func `the page is served under known names and any address`(_ host: String, _ isServed: Bool) throws {
    let names = try settings("web: {names: [door.example]}").names
    #expect(PageSettings.serves(host: host, as: names, hostName: "Board") == isServed)
  }
}
