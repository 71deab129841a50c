// 'tappet mqtt monitor' on a terminal of 80 by 24 that tmux keeps.

import Foundation
import TestSupport
import Testing

@Suite(
  .serialized, .enabled(if: Terminal.tmuxPath != nil, "there is no tmux to be the terminal: tools/deps install tests"))
struct MQTTMonitorTests {
  private let broker: TestBroker
  private let folder = TestFolder.make("monitor")
  private let tappet: URL

  init() throws {
    broker = try TestBroker(.plain)
    tappet = try Programs.built("tappet")
  }

  private var url: String { "mqtt://localhost:\(broker.port)" }

  private func publish(_ topic: String, _ text: String) throws {
    #expect(try Programs.run(tappet, ["mqtt", "pub", "--url", url, topic, text, "--retain"]).status == 0)
  }

  @Test func `topics, messages and a publish line are on the screen, and q leaves it as it was`() throws {
    try publish("home/light", "on")
    try publish("home/\u{200B}meter", "\u{1B}[31m12")
    let terminal = try Terminal(tappet, ["mqtt", "monitor", "--url", url], in: folder, columns: 80)
    func lines() -> [String] {
      ((try? terminal.text()) ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    func shows(_ text: String) -> Bool { eventually { lines().contains { $0.contains(text) } } }
    #expect(shows("subscribed to \"#\" with QoS 1"), "\(lines())")
    #expect(lines()[0].hasPrefix(" \(url)  MQTT 3.1.1, up "), "\(lines())")
    #expect(shows("light = on") && shows(#"\u{200b}meter = \u{1b}[31m12"#), "\(lines())")
    #expect(lines()[23] == " q quit  t tree  m messages  s statistics  p publish  space pause", "\(lines())")
    try terminal.type("m")
    #expect(shows("q1r  home/light  on"), "\(lines())")
    try terminal.type("p")
    #expect(shows("publish> home/"), "\(lines())")
    try terminal.type("\u{1B}")
    #expect(eventually { !lines().contains { $0.contains("publish> ") } })
    try terminal.type("t")
    try terminal.type("p")
    try terminal.type("garden/ü wet\r")
    #expect(shows("acknowledged") && shows("ü = wet"), "\(lines())")
    try terminal.resize(columns: 60, rows: 12)
    #expect(eventually { lines().prefix(12).last?.hasPrefix(" q quit  t tree") ?? false }, "\(lines())")
    broker.stop()
    #expect(shows("connecting again in"), "\(lines())")
    try broker.start()
    try terminal.type("s")
    #expect(shows("1 reconnects") && shows("1 × "), "\(lines())")
    try terminal.type("q")
    #expect(eventually { textSoFar(folder + "/written").contains("received 3 messages") })
  }

  @Test func `a terminal that closes ends it`() throws {
    let terminal = try Terminal(tappet, ["mqtt", "monitor", "--url", url], in: folder, columns: 80)
    #expect(eventually { ((try? terminal.text()) ?? "").contains("subscribed to") })
    terminal.close()
    #expect(eventually { broker.log.contains("disconnected") }, "\(broker.log)")
  }

  @Test func `an unknown type of terminal, and no terminal, are named`() throws {
    let session = try TypedSession(
      tappet, ["mqtt", "monitor", "--url", url], log: folder + "/typed", environment: ["TERM": "nonsense"])
    try session.expect(#"the terminal's type "nonsense" is unknown here"#)
    let none = try Programs.run(tappet, ["mqtt", "monitor", "--url", url])
    #expect(none.status == 4 && none.errors.contains("this needs a terminal"), "\(none)")
  }
}
