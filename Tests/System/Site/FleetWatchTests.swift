// 'tappet fleet watch' on a terminal that tmux keeps.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .needsTmux) struct FleetWatchTests {
  private let screen: BrokerScreen

  init() throws { screen = try BrokerScreen("fleet-watch") }

  private func state(_ light: String, reader: String = "ready", days: Double = 200) -> String {
    let time = ISO8601DateFormatter()
    time.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let ends = time.string(from: Date(timeIntervalSinceNow: days * 86_400 + 3600))
    return """
      {"version":"0.1.0","time":"\(time.string(from: Date()))","light":"\(light)",
       "reader":{"good":\(reader == "ready"),"code":"\(reader)"},"clock":{"good":true,"needed":true},"outbox":0,
       "certificate_ends_at":"\(ends)"}
      """
  }

  @Test func `problems are on top, keys search and sort, changes are shown, and q restores the terminal`() throws {
    for (name, status) in [("attic", "online"), ("barn", "online"), ("cellar", "offline"), ("x\u{200B}y", "online")] {
      try screen.publish("tappet/\(name)/status", status)
    }
    try screen.publish("tappet/attic/state", state("ready"))
    try screen.publish("tappet/barn/state", state("reader-lost", reader: "device-missing"))
    let terminal = try screen.terminal(["fleet", "watch"], variables: ["-u", "NO_COLOR"])
    func lines() -> [String] { terminal.lines }
    func shows(_ text: String) -> Bool { terminal.shows(text) }
    #expect(shows("4 kiosks, 2 with problems, 1 not connected  \(screen.url)"), "\(lines())")
    // Half a picture may be in tmux yet.
    func line(_ number: Int) -> String { lines().dropFirst(number).first ?? "" }
    let head = ["kiosk", "light", "version", "seen", "queue", "cert", "reader", "clock", "trouble"]
    #expect(eventually { line(1).split(separator: " ").map(String.init) == head }, "\(lines())")
    let names = { lines().dropFirst(2).prefix(4).map { String($0.prefix { $0 != " " }) } }
    #expect(eventually { names() == ["cellar", "barn", "attic", #"x\u{200b}y"#] }, "\(lines())")
    #expect(eventually { line(3).contains(" bad ") && line(3).contains("reader: device-m") }, "\(lines())")
    #expect(eventually { line(4).contains("200 d") } && lines().allSatisfy { $0.count <= 80 }, "\(lines())")
    #expect(try eventually { try terminal.colouredText().contains("\u{1B}[31m") })
    try screen.publish("tappet/cellar/status", "online")
    try screen.publish("tappet/cellar/state", state("certificate-expiring", days: 6))
    #expect(shows(" 6 d ") && eventually { names() == ["barn", "cellar", "attic", #"x\u{200b}y"#] }, "\(lines())")
    try terminal.type("n")
    #expect(eventually { names() == ["attic", "barn", "cellar", #"x\u{200b}y"#] }, "\(lines())")
    try terminal.type("p")
    #expect(eventually { !lines().contains { $0.hasPrefix("attic") } } && shows("barn"), "\(lines())")
    try terminal.type("p/dev")
    #expect(shows("find> dev") && eventually { !lines().contains { $0.hasPrefix("cellar") } }, "\(lines())")
    try terminal.type("\u{1B}")
    #expect(shows("cellar"), "\(lines())")
    try terminal.type("?")
    #expect(shows("only kiosks with problems, or all"), "\(lines())")
    try terminal.type("?")
    try terminal.resize(columns: 120, rows: 8)
    #expect(eventually { lines().prefix(8).last?.hasPrefix(" q quit  ? help") ?? false }, "\(lines())")
    screen.broker.stop()
    #expect(shows("reconnecting in"), "\(lines())")
    try screen.broker.start()
    #expect(eventually { !lines().contains { $0.contains("reconnecting in") } }, "\(lines())")
    try terminal.type("q")
    #expect(eventually { restored() }, "\(screen.written)")
  }

  /// The terminal was given back: the alternate screen is left, and the cursor is there.
  private func restored() -> Bool {
    let written = screen.written
    guard let left = written.range(of: "\u{1B}[?1049l", options: .backwards) else { return false }
    return written.range(of: "\u{1B}[?1049h", options: .backwards).map { $0.lowerBound < left.lowerBound } ?? false
  }

  @Test func `a signal restores the terminal, and NO_COLOR disables colours`() throws {
    try screen.publish("tappet/cellar/status", "offline")
    let terminal = try screen.terminal(["fleet", "watch"], variables: ["NO_COLOR=1"])
    #expect(eventually { ((try? terminal.text()) ?? "").contains("cellar") })
    #expect(try !terminal.colouredText().contains("\u{1B}[31m"))
    try terminal.type("\u{3}")
    #expect(eventually { restored() }, "\(screen.written)")
  }
}
