// 'tappet mqtt monitor' on a terminal of 80 by 24 that tmux keeps.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .needsTmux) struct MQTTMonitorTests {
  private let screen: BrokerScreen

  init() throws { screen = try BrokerScreen("monitor") }

  @Test func `topics, messages and a publish line are on the screen, and q restores the terminal`() throws {
    try screen.publish("home/light", "on")
    try screen.publish("home/\u{200B}meter", "\u{1B}[31m12")
    let terminal = try screen.terminal(["mqtt", "monitor"])
    func lines() -> [String] { terminal.lines }
    func shows(_ text: String) -> Bool { terminal.shows(text) }
    #expect(shows("subscribed to \"#\" with QoS 1"), "\(lines())")
    #expect(lines()[0].hasPrefix(" \(screen.url)  MQTT 3.1.1, up "), "\(lines())")
    #expect(shows("light = on") && shows(#"\u{200b}meter = \u{1b}[31m12"#), "\(lines())")
    #expect(lines()[23] == " q quit  t tree  b busiest  m messages  s statistics  p publish  space pause", "\(lines())")
    try terminal.type("b")
    #expect(shows("1  home/light = on"), "\(lines())")
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
    screen.broker.stop()
    #expect(shows("reconnecting in"), "\(lines())")
    try screen.broker.start()
    try terminal.type("s")
    #expect(shows("1 reconnect") && shows("1 × "), "\(lines())")
    try terminal.type("q")
    #expect(eventually { screen.written.contains("received 3 messages") })
  }

  @Test func `closing the terminal ends the command`() throws {
    let terminal = try screen.terminal(["mqtt", "monitor"])
    #expect(eventually { ((try? terminal.text()) ?? "").contains("subscribed to") })
    terminal.close()
    #expect(eventually { screen.broker.log.contains("disconnected") }, "\(screen.broker.log)")
  }

  @Test func `an unknown type of terminal, and a missing terminal, are reported`() throws {
    let session = try TypedSession(
      screen.tappet, ["mqtt", "monitor", "--url", screen.url], log: screen.folder + "/typed",
      environment: ["TERM": "nonsense"])
    try session.expect(#"the terminal's type "nonsense" is unknown here"#)
    let none = try Programs.run(screen.tappet, ["mqtt", "monitor", "--url", screen.url])
    #expect(none.status == 4 && none.errors.contains("this command needs a terminal"), "\(none)")
  }
}
