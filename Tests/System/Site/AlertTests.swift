// docs/alerts.yaml as Prometheus' own tool judges it: each alert with figures that set it off, and figures that do not.

import Foundation
import TestSupport
import Testing

@Suite struct AlertTests {
  /// Figures of one series, a minute apart.
  private struct Story {
    var alert: String
    var series: String
    var bad: String
    var good: String
    /// Series that do not change.
    var others: [String] = []
  }

  private let stories = [
    Story(alert: "TappetDown", series: "tappet_up", bad: "0x60", good: "1x60"),
    Story(
      alert: "TappetMetricsStale", series: "node_textfile_mtime_seconds{file=\"/x/tappet.prom\"}", bad: "0x60",
      good: "0+60x60"),
    Story(alert: "TappetPartBroken", series: "tappet_part_good{part=\"reader\"}", bad: "0x60", good: "0 1x60"),
    Story(alert: "TappetClockMissed", series: "tappet_clock_missed", bad: "1x60", good: "1x5 0x60"),
    Story(alert: "TappetReloadRejected", series: "tappet_reload_good", bad: "0x60", good: "1x60"),
    Story(alert: "TappetOutboxGrows", series: "tappet_outbox_entries", bad: "0+10x60", good: "1000-10x60"),
    Story(alert: "TappetRefusals", series: "tappet_taps_total{outcome=\"refused\"}", bad: "0+9x60", good: "0+1x60"),
    Story(alert: "TappetOutputLost", series: "tappet_output_good{output=\"gate\"}", bad: "0x60", good: "1x60"),
    Story(
      alert: "TappetCertificateExpires", series: "tappet_certificate_left_seconds{file=\"a.pem\"}", bad: "86400x60",
      good: "8640000x60"),
    Story(alert: "TappetFleetOffline", series: "tappet_fleet_online{client_id=\"a\"}", bad: "0x60", good: "1 0 1x60"),
    Story(
      alert: "TappetFleetMany", series: "tappet_fleet_online{client_id=\"a\"}", bad: "0x60", good: "1x60",
      others: ["tappet_fleet_kiosks: 8x60"] + ["b", "c", "d"].map { "tappet_fleet_online{client_id=\"\($0)\"}: 0x60" }),
    Story(
      alert: "TappetFleetSilent", series: "tappet_fleet_state_timestamp_seconds{client_id=\"a\"}", bad: "0x60",
      good: "0+60x60", others: ["tappet_fleet_online{client_id=\"a\"}: 1x60"]),
    Story(
      alert: "TappetFleetTrouble", series: "tappet_fleet_trouble{client_id=\"a\",code=\"faults\"}", bad: "1x60",
      good: "1 stale 1 stale"),
    Story(
      alert: "TappetFleetCertificateExpires", series: "tappet_fleet_certificate_left_seconds{client_id=\"a\"}",
      bad: "86400x60", good: "8640000x60"),
  ]

  @Test func `each alert fires when it should, and stays silent when all is well`() throws {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let promtool = try Programs.installed("promtool")
    let rules = Repository.path("docs/alerts.yaml")
    let judged = try Programs.run(promtool, ["check", "rules", rules])
    #expect(judged.status == 0 && judged.output.contains("\(stories.count) rules found"), "\(judged)")
    // promtool prints what fired where something else was expected: nothing is, so each bad story has to fail.
    var (quiet, loud) = ([Story](), [Story]())
    for story in stories {
      if try fires(story, story.good, rules, folder, promtool) { loud.append(story) }
      if try !fires(story, story.bad, rules, folder, promtool) { quiet.append(story) }
    }
    #expect(loud.map(\.alert) == [], "these fire although nothing is wrong")
    #expect(quiet.map(\.alert) == [], "these do not fire")
  }

  private func fires(_ story: Story, _ values: String, _ rules: String, _ folder: URL, _ promtool: URL) throws -> Bool {
    let series = [story.series + ": " + values] + story.others
    let lines = series.map { line -> String in
      let parts = line.components(separatedBy: ": ")
      return "      - {series: '\(parts[0])', values: '\(parts[1])'}"
    }
    let test = folder.appendingPathComponent("test.yaml")
    try """
    rule_files: [\(rules)]
    tests:
      - interval: 1m
        input_series:
    \(lines.joined(separator: "\n"))
        alert_rule_test:
          - {eval_time: 30m, alertname: \(story.alert), exp_alerts: []}

    """.write(to: test, atomically: true, encoding: .utf8)
    let done = try Programs.run(promtool, ["test", "rules", test.path])
    let words = done.output + done.errors
    #expect(words.contains("SUCCESS") || words.contains("alertname: \(story.alert)"), "\(words)")
    return done.status != 0
  }
}
