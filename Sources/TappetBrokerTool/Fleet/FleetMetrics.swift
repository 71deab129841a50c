// The kiosks of a broker as Prometheus metrics. docs/fleet.md lists the metrics.

import TappetCommandLine
import TappetCore

/// The metrics of all kiosks.
struct FleetMetrics {
  private typealias Label = MetricsText.Label
  private typealias Sample = MetricsText.Sample

  private var metrics = MetricsText()

  /// The metrics as text, with a trailing line feed.
  var text: String { metrics.text }

  /// Creates the metrics of the given kiosks.
  init(_ rows: [FleetRow], at unixMilliseconds: Int64) {
    metrics.add("tappet_fleet_kiosks", .gauge, "Kiosks known to the broker.", Sample(value: Int64(rows.count)))
    metrics.add(
      "tappet_fleet_online", .gauge, "Whether the kiosk is connected.",
      rows.map { Sample(Self.kiosk($0), value: $0.board.isOnline == true ? 1 : 0) })
    metrics.add(
      "tappet_fleet_trouble", .gauge, "The kiosk's worst problem; absent if there is none.",
      rows.compactMap { row in row.trouble.map { Sample(Self.kiosk(row), Label("code", $0.code), value: 1) } })
    metrics.add(
      "tappet_fleet_info", .gauge, "The kiosk's version.",
      Self.samples(rows) { Sample(Self.kiosk($0), Label("version", $1.version), value: 1) })
    metrics.add(
      "tappet_fleet_light", .gauge, "The lasting light that the kiosk shows.",
      Self.samples(rows) { Sample(Self.kiosk($0), Label("light", $1.light), value: 1) })
    metrics.add(
      "tappet_fleet_state_timestamp_seconds", .gauge, "When the kiosk last published its state.",
      Self.samples(rows) { Sample(Self.kiosk($0), value: $1.unixMilliseconds / 1000) })
    metrics.add(
      "tappet_fleet_waiting_messages", .gauge, "Pending messages on the kiosk.",
      Self.samples(rows) { Sample(Self.kiosk($0), value: $1.waiting) })
    metrics.add(
      "tappet_fleet_certificate_left_seconds", .gauge, "Time until the kiosk's first certificate expires.",
      Self.samples(rows) { row, state in
        state.certificateEnd.map { Sample(Self.kiosk(row), value: ($0 - unixMilliseconds) / 1000) }
      })
  }

  /// Returns a sample for each kiosk that has published its state.
  private static func samples(_ rows: [FleetRow], _ sample: (FleetRow, FleetBoard.State) -> Sample?) -> [Sample] {
    rows.compactMap { row in row.board.state.flatMap { sample(row, $0) } }
  }

  private static func kiosk(_ row: FleetRow) -> Label { Label("client_id", row.board.clientID) }
}
