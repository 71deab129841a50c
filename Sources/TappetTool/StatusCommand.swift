// tappet status: what the running kiosk says of itself.

import TappetCore
import TappetDevices
import TappetRuntime

enum StatusCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "status", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let kiosk = RunningKiosk(configuration) else {
        Output.complain("tappet status: " + RunningKiosk.absence(configuration))
        return .failure
      }
      guard let status = kiosk.ask("status") else {
        Output.complain("tappet status: the kiosk does not answer; look at its log")
        return .failure
      }
      return show(status, asJSON: arguments.has("json"))
    }
  }

  private static func show(_ status: JSON, asJSON: Bool) -> ExitStatus {
    let parts = ["reader", "broker", "disk", "panel"]
    let isGood = parts.allSatisfy { status[$0]?["good"] == .bool(true) } && status["clock_good"] != .bool(false)
    if asJSON {
      Output.print(status)
    } else {
      Output.print("kiosk     \(status["client_id"]?.text ?? ""), up \(status["uptime_seconds"]?.wholeNumber ?? 0) s")
      Output.print("light     \(status["light"]?.text ?? "")")
      for name in parts { Output.print(padded(name) + (status[name]?["text"]?.text ?? "")) }
      for certificate in status["certificates"]?.elements ?? [] {
        let days = certificate["days_left"]?.wholeNumber ?? 0
        Output.print(
          "expires   \(days < 0 ? "expired" : "\(days) days left"): \(certificate["subject"]?.text ?? ""), \(certificate["file"]?.text ?? "")"
        )
      }
      Output.print("clock     " + (status["clock_good"] == .bool(true) ? "good" : "not synchronised"))
      Output.print("outbox    \(status["outbox"]?.wholeNumber ?? 0) waiting")
      if case .object(let counts)? = status["counters"] {
        Output.print("counters  " + counts.map { "\($0.name) \($0.value.wholeNumber ?? 0)" }.joined(separator: ", "))
      }
      for tap in status["taps"]?.elements ?? [] { Output.print("tap       \(tap["text"]?.text ?? "")") }
    }
    return isGood ? .success : .refused
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(1, 10 - name.utf8.count))
  }
}
