// A kiosk's status as Prometheus metrics. docs/fleet.md lists the metrics; docs/alerts.yaml contains alerts.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetPlatform

/// The metrics of one kiosk.
struct Metrics {
  private typealias Label = MetricsText.Label
  private typealias Sample = MetricsText.Sample

  private var metrics = MetricsText()

  /// The metrics as text, with a trailing line feed.
  var text: String { metrics.text }

  /// Creates the metrics from a kiosk's status; `nil` means that the kiosk did not respond.
  init(_ status: JSON?) {
    metrics.add("tappet_up", .gauge, "Whether the kiosk responds.", Sample(value: status == nil ? 0 : 1))
    guard let status else { return }
    metrics.add(
      "tappet_info", .gauge, "The kiosk's version and client id.",
      Sample(Label("client_id", status["client_id"]?.text), Label("version", status["version"]?.text), value: 1))
    metrics.add(
      "tappet_uptime_seconds", .gauge, "Time since the kiosk was started.",
      Sample(value: status["uptime_seconds"].number))
    addParts(status)
    addTaps(status)
    addPanel(status)
    addCertificates(status)
  }

  private mutating func addParts(_ status: JSON) {
    metrics.add(
      "tappet_part_good", .gauge, "Whether a part of the kiosk works.",
      Command.statusParts(of: status).map { part in
        Sample(Label("part", part.rawValue), value: (status[part.rawValue]?["good"]).number)
      })
    metrics.add(
      "tappet_light", .gauge, "The lasting light that the kiosk shows.",
      Sample(Label("light", status["light"]?.text), value: 1))
    metrics.add(
      "tappet_clock_missed", .gauge, "Whether messages are pending because the clock was never set.",
      Sample(value: status["clock"]?["good"] == .bool(false) && status["clock"]?["needed"] == .bool(true) ? 1 : 0))
    if let reload = status["reload"], reload != .null {
      metrics.add(
        "tappet_reload_good", .gauge, "Whether the current configuration file is in effect.",
        Sample(value: reload["good"].number))
    }
  }

  private mutating func addTaps(_ status: JSON) {
    metrics.add("tappet_outbox_entries", .gauge, "Number of pending messages.", Sample(value: status["outbox"].number))
    metrics.add(
      "tappet_outbox_set_aside", .gauge, "Messages that cause the broker to close the connection.",
      Sample(value: status["set_aside"].number))
    if case .object(let counts)? = status["counters"] {
      metrics.add(
        "tappet_taps_total", .counter, "Taps and presses since the start, by outcome.",
        counts.map { Sample(Label("outcome", $0.name), value: $0.value.number) })
    }
    let last = status["taps"]?.elements?.first?["time"]?.text.flatMap { WallTime.unixMilliseconds(utc: $0) }
    if let last {
      metrics.add(
        "tappet_last_tap_timestamp_seconds", .gauge, "When a tap or press was last reported.",
        Sample(value: last / 1000))
    }
  }

  private mutating func addPanel(_ status: JSON) {
    if let locked = status["locked"], locked != .null {
      metrics.add("tappet_panel_locked", .gauge, "Whether the buttons are locked.", Sample(value: locked.number))
    }
    let outputs = status["outputs"]?.elements ?? []
    metrics.add(
      "tappet_output_on", .gauge, "Whether an output is on.",
      outputs.map { Sample(Label("output", $0["name"]?.text), value: $0["on"].number) })
    metrics.add(
      "tappet_output_good", .gauge, "Whether an output's line is available.",
      outputs.map { Sample(Label("output", $0["name"]?.text), value: $0["good"].number) })
    let inputs = status["inputs"]?.elements ?? []
    func add(_ name: String, _ help: String, _ value: (JSON) -> Bool) {
      metrics.add(
        name, .gauge, help,
        inputs.map { Sample(Label("input", $0["name"]?.text), value: JSON.bool(value($0)).number) })
    }
    add("tappet_input_open", "Whether an input is open.") { $0["state"]?.text == "open" }
    add("tappet_input_good", "Whether an input's state is known.") { $0["state"]?.text != "unknown" }
    add("tappet_input_forced", "Whether an input is open by force.") {
      $0["state"]?.text == "open" && $0["cause"]?.text == "forced"
    }
    add("tappet_input_held_open", "Whether an input is open for too long.") { $0["held_open"] == .bool(true) }
  }

  private mutating func addCertificates(_ status: JSON) {
    metrics.add(
      "tappet_certificate_left_seconds", .gauge, "Time until a certificate expires, in whole days.",
      (status["certificates"]?.elements ?? []).map {
        Sample(
          Label("file", $0["file"]?.text), Label("subject", $0["subject"]?.text),
          value: $0["days_left"].number * 86_400)
      })
  }
}

extension JSON? {
  fileprivate var number: Int64 { self?.number ?? 0 }
}

extension JSON {
  /// The number, or 1 for true; 0 for any other value.
  fileprivate var number: Int64 { self == .bool(true) ? 1 : wholeNumber ?? 0 }
}
