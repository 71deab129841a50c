// The list of all kiosks, from what a broker keeps.

import TappetCore
import TappetJSON
import Testing

@testable import TappetBroker
@testable import TappetBrokerTool
@testable import TappetPlatform

@Suite struct FleetTests {
  /// The second of the state messages in these tests, in milliseconds since 1970.
  private let told: Int64 = 1_795_400_000_000

  private func message(_ topic: String, _ payload: String) -> LinkMessage {
    LinkMessage(topic: topic, payload: Array(payload.utf8), size: payload.utf8.count, qos: 1, isRetained: true)
  }

  private func state(
    reader: String = "ready", outbox: Int = 0, clockIsGood: Bool = true, ends: String = "2027-11-23T00:00:00.000Z"
  ) -> String {
    """
    {"version":"0.1.0","time":"2026-11-23T02:13:20.000Z","uptime_seconds":9,"light":"ready",
     "reader":{"good":\(reader == "ready"),"code":"\(reader)"},"broker":{"good":true,"code":"connected"},
     "webhooks":null,"disk":{"good":true,"code":"good"},"panel":{"good":true,"code":"good"},"locked":null,
     "clock":{"good":\(clockIsGood),"needed":true},"outbox":\(outbox),"webhooks_waiting":1,
     "certificate_ends_at":"\(ends)"}
    """
  }

  private func fleet(_ kiosks: KeyValuePairs<String, String?>, offline: [String] = []) -> Fleet {
    var fleet = Fleet()
    for (name, state) in kiosks {
      fleet.take(message("tappet/\(name)/status", offline.contains(name) ? "offline" : "online"))
      if let state { fleet.take(message("tappet/\(name)/state", state)) }
    }
    return fleet
  }

  private func words(_ rows: [FleetRow]) -> [String] {
    rows.map { $0.board.clientID + " " + ($0.trouble?.code ?? "good") }
  }

  @Test func `the worst problem is first, and each kiosk is listed with one problem`() {
    let calm = state().replacing("\"webhooks_waiting\":1", with: "\"webhooks_waiting\":0")
    var fleet = fleet(
      [
        "good": calm, "gone": calm, "bare": nil, "waits": state(outbox: 2), "broken": state(reader: "device-missing"),
        "odd": "[1, 2", "ends": state(ends: "2026-11-30T00:00:00.000Z"), "late": state(clockIsGood: false),
      ], offline: ["gone"])
    #expect(
      words(fleet.sorted(at: told + 60_000)) == [
        "gone offline", "odd unreadable", "broken faults", "ends certificate-expiring", "late clock-unknown",
        "waits waiting", "bare good", "good good",
      ])
    #expect(words(fleet.sorted(at: told + 151_000)).filter { $0.hasSuffix("silent") }.count == 5)
    #expect(words(fleet.silent(for: .seconds(300), at: told + 60_000)) == ["gone offline"])
    #expect(fleet.silent(for: .seconds(300), at: told + 301_000).count == 6)
  }

  @Test func `a table shows each kiosk's light, its age and its problem`() {
    var fleet = fleet(["lobby": state(reader: "device-missing"), "x\u{1B}[2J": nil])
    let rows = fleet.sorted(at: told + 12_000)
    let lines = FleetTable(rows, at: told + 12_000).lines()
    #expect(lines.count == 3 && lines[1].hasPrefix("lobby") && lines[1].hasSuffix("reader: device-missing"))
    #expect(
      lines[1].split(separator: " ").prefix(10) == [
        "lobby", "ready", "0.1.0", "12", "s", "1", "364", "d", "bad", "ok",
      ], "\(lines)")
    #expect(!lines[2].contains("\u{1B}") && lines[2].hasSuffix("none"), "\(lines)")
    #expect(fleet.summary(at: told + 12_000) == "2 kiosks, 1 with problems, 0 not connected")
  }

  @Test(arguments: ["webhooks", "rooms", "inventory", "site", "disk", "panel"])
  func `a kiosk's faulty part is named`(part: String) {
    let state = #"{"version":"0.1.0","time":"2026-11-23T02:13:20.000Z","light":"ready",""#
    var fleet = fleet(["lobby": state + part + #"":{"good":false,"code":"odd"}}"#])
    #expect(fleet.sorted(at: told).first?.board.state?.faults == ["\(part): odd"])
  }

  @Test(arguments: [80, 100]) func `all columns fit on a terminal, whatever a kiosk reports`(columns: Int) {
    var fleet = fleet(
      [
        "kiosk-cellar": state(reader: "device-missing"), "gone": state(),
        String(repeating: "k", count: 60): state().replacing("0.1.0", with: String(repeating: "9", count: 9000)),
      ], offline: ["gone"])
    let lines = FleetTable(fleet.sorted(at: told), at: told, columns: columns).lines()
    #expect(lines.allSatisfy { $0.unicodeScalars.count <= columns }, "\(lines)")
    #expect(lines[0].contains("trouble") && lines[1].hasPrefix("gone") && lines[1].contains("not connect"), "\(lines)")
    #expect(lines[2].contains("reader: de"), "\(lines)")
  }

  @Test func `states of other versions are read as far as possible, and no number is too large`() {
    var fleet = fleet([
      "old": #"{"version":"0.0.9","time":"2026-11-23T02:13:20.000Z","light":"ready"}"#,
      "new": #"{"version":"9.0","time":"2026-11-23T02:13:20.000Z","light":"ready","mood":{"depth":0.5},"clock":7,"#
        + #""outbox":9e18,"webhooks_waiting":9e18,"reader":{"good":"yes"},"certificate_ends_at":"soon"}"#,
      "bare": #"{"version":"0.1.0","light":"ready"}"#,
    ])
    let rows = fleet.sorted(at: told)
    #expect(words(rows) == ["bare unreadable", "new waiting", "old good"])
    #expect(rows[1].board.state?.waiting == .max && rows[1].board.state?.reader == nil)
    #expect(FleetTable(rows, at: told).lines()[2].contains("many"))
  }

  @Test func `a state with less than no messages is refused`() {
    for number in ["-1", "-9223372036854775808"] {
      let evil = state().replacing("\"webhooks_waiting\":1", with: "\"webhooks_waiting\":\(number)")
      var fleet = fleet(["evil": evil])
      #expect(words(fleet.sorted(at: told)) == ["evil unreadable"])
    }
  }

  @Test func `the page lists its own kiosk first, however many others are ill, and however many there are`() {
    var fleet = Fleet(own: "own")
    for number in 0...Limits.fleetBoardsMax { fleet.take(message("tappet/k\(number)/status", "offline")) }
    fleet.take(message("tappet/own/status", "online"))
    let page = FleetCommand.page(of: fleet.sorted(at: told), own: "own", at: told)
    #expect(page["kiosks"]?.elements?.first?["client_id"]?.text == "own")
    #expect(page.encoded().count < Limits.webMessageSizeMax && (page["more"]?.wholeNumber ?? 0) > 9000)
  }

  @Test func `a list by problem or by name follows kiosks that appear and vanish`() {
    var fleet = fleet(["b": state(), "a": nil, "c": nil], offline: ["c"])
    func names(_ list: [(place: Int, rank: Int)]) -> [String] { list.map { fleet.clientID($0.place) } }
    var ranked = fleet.ranked(at: told)
    #expect(names(ranked) == ["c", "b", "a"])
    fleet.take(message("tappet/a/status", ""))
    fleet.take(message("tappet/0/status", "online"))
    ranked = fleet.ranked(at: told)
    #expect(names(ranked) == ["c", "b", "0"])
    let named = fleet.named(at: told)
    #expect(names(named) == ["0", "b", "c"])
  }

  @Test func `metrics contain each kiosk, its problem and its figures`() {
    var fleet = fleet(["lobby": state(reader: "device-missing", outbox: 2), "x\"\n": nil], offline: ["x\"\n"])
    let text = FleetMetrics(fleet.sorted(at: told), at: told).text
    for line in [
      "tappet_fleet_kiosks 2", "tappet_fleet_online{client_id=\"lobby\"} 1",
      "tappet_fleet_online{client_id=\"x\\\"\\n\"} 0",
      "tappet_fleet_trouble{client_id=\"lobby\",code=\"faults\"} 1",
      "tappet_fleet_trouble{client_id=\"x\\\"\\n\",code=\"offline\"} 1",
      "tappet_fleet_info{client_id=\"lobby\",version=\"0.1.0\"} 1",
      "tappet_fleet_light{client_id=\"lobby\",light=\"ready\"} 1",
      "tappet_fleet_state_timestamp_seconds{client_id=\"lobby\"} 1795400000",
      "tappet_fleet_waiting_messages{client_id=\"lobby\"} 3",
      "tappet_fleet_certificate_left_seconds{client_id=\"lobby\"} 31528000",
    ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line) in \(text)") }
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("tappet_fleet_info{client_id=\"x") })
  }

  @Test func `a stranger's state of a megabyte, or of a different kind, affects no kiosk`() {
    var fleet = fleet(["a": String(repeating: "[", count: 1 << 20), "b": "{\"light\":1}", "c": "", "d": "\u{0}\u{1}"])
    #expect(words(fleet.sorted(at: told)) == ["a unreadable", "b unreadable", "d unreadable", "c good"])
    fleet.take(message("tappet/c/status", ""))
    fleet.take(message("tappet", "x"))
    #expect(fleet.count == 3)
  }

  @Test func `kiosks beyond the limit are counted as too many`() {
    var fleet = Fleet()
    for number in 0...Limits.fleetBoardsMax { fleet.take(message("tappet/k\(number)/status", "online")) }
    #expect(fleet.isFull && fleet.count == Limits.fleetBoardsMax)
  }
}
