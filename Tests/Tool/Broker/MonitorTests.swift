// The screen and the keys of 'mqtt monitor', without a terminal.

import TappetCore
import TappetPlatform
import Testing

@testable import TappetBroker
@testable import TappetBrokerTool

@Suite struct MonitorTests {
  private func model(_ messages: [(String, String)]) -> MonitorModel {
    var model = MonitorModel(url: "mqtts://broker.example:8883", version: "5", filters: ["#"], brokerWords: [])
    model.statistics.connected(at: Instant(nanoseconds: 0))
    for (topic, text) in messages {
      let payload = Array(text.utf8)
      model.take(
        LinkMessage(topic: topic, payload: payload, size: payload.count, qos: 1, isRetained: false),
        unixMilliseconds: 0, atSecond: 4)
    }
    return model
  }

  private func screen(_ model: inout MonitorModel, columns: Int = 80, rows: Int = 24) -> [String] {
    model.rows(columns: columns, rows: rows, now: Instant(nanoseconds: 5_000_000_000), second: 5).map { row in
      String(row.text.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test func `the tree fills a screen of 80 by 24, with the keys on the last line`() {
    var model = model([("home/light", "on"), ("home/\u{200B}meter", "\u{1B}[31m12"), ("garden", "dry")])
    model.notice = "subscribed"
    let screen = screen(&model)
    #expect(screen.count == 24)
    #expect(screen[0] == " mqtts://broker.example:8883  MQTT 5, up 5 s  #")
    #expect(screen[1] == " 3 msg/s  received 3, 12 bytes  published 0  3 topics")
    #expect(
      screen[2...6] == [
        "  msg/s   messages  topic", "      1          1  garden = dry", "      2          2  home",
        "      1          1    light = on", #"      1          1    \u{200b}meter = \u{1b}[31m12"#,
      ])
    #expect(screen[7..<22].allSatisfy { $0.isEmpty } && screen[22] == "subscribed")
    #expect(screen[23] == " q quit  t tree  b busiest  m messages  s statistics  p publish  space pause")
    #expect(self.screen(&model, columns: 20, rows: 3).count == 6)
  }

  @Test func `a message is selected and shown completely with its time, and its topic is subscribed to`() {
    var model = model((0..<60).map { ("home/\($0)", "text \($0)") })
    #expect(model.press(.character("m"), page: 19) == nil)
    #expect(screen(&model)[3].hasSuffix("q1   home/59  text 59"))
    for _ in 0..<3 { _ = model.press(.down, page: 19) }
    _ = model.press(.pageDown, page: 19)
    #expect(model.selected?.message.topic == "home/37")
    #expect(screen(&model).contains { $0.hasSuffix("home/37  text 37") })
    _ = model.press(.enter, page: 19)
    let time = WallTime.timeOfDay(unixMilliseconds: 0)
    #expect(screen(&model)[3...5] == [" home/37", " \(time), QoS 1, 7 bytes", " text 37"])
    let keys = screen(&model)[23]
    #expect(keys.hasSuffix("f follow  enter whole") && keys.count <= 80, "\(keys)")
    #expect(model.press(.character("f"), page: 19) == .subscribe(topic: "home/37"))
    for _ in 0..<9 { _ = model.press(.pageDown, page: 19) }
    #expect(model.selected?.message.topic == "home/10")
    #expect(model.press(.character("q"), page: 19) == .quit)
  }

  @Test func `a line is published, and an error in it is reported`() {
    var model = model([])
    func type(_ text: String) { for scalar in text.unicodeScalars { _ = model.press(.character(scalar), page: 9) } }
    _ = model.press(.character("p"), page: 9)
    type("home/+ q")
    #expect(model.press(.enter, page: 9) == nil && model.notice.contains("cannot contain wildcards"))
    for _ in 0..<20 { _ = model.press(.backspace, page: 9) }
    type("home/light it's  on ü\u{1B}\u{202E}")
    #expect(screen(&model)[22] == "publish> home/light it's  on ü" && model.cursor(rows: 24)?.column == 30)
    #expect(model.press(.enter, page: 9) == .publish(topic: "home/light", message: "it's  on ü"))
    #expect(model.line == nil)
    _ = model.press(.character("p"), page: 9)
    #expect(model.press(.enter, page: 9) == nil && model.notice == "type TOPIC MESSAGE")
    type(String(repeating: "x", count: Limits.monitorLineSizeMax + 9))
    #expect(model.line?.utf8.count == Limits.monitorLineSizeMax)
    _ = model.press(.escape, page: 9)
    #expect(model.line == nil)
  }

  @Test func `a pause freezes the tree, and the statistics list the reasons of lost connections`() {
    var model = model([("a", "1")])
    _ = model.press(.character(" "), page: 9)
    model.take(
      LinkMessage(topic: "b", payload: [0x31], size: 1, qos: 0, isRetained: false), unixMilliseconds: 0, atSecond: 5)
    #expect(model.tree.count == 1 && model.statistics.received == 2 && model.recent.entries.count == 1)
    model.statistics.lost(.keepaliveExpired)
    _ = model.press(.character("s"), page: 9)
    let screen = screen(&model)
    #expect(screen[0].hasSuffix("not connected  #  PAUSED") && screen[3] == " not connected", "\(screen)")
    #expect(screen.contains { $0.hasPrefix("   1 × ") }, "\(screen)")
    _ = model.press(.tab, page: 9)
    #expect(model.view == .tree)
  }
}
