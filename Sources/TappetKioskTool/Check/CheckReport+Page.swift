// The page of 'tappet check': whether tappet-web is installed, where it serves, and how long its certificate is valid.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

extension CheckReport {
  mutating func checkPage(_ configuration: KioskConfiguration, _ kiosk: RunningKiosk?) {
    guard configuration.web != nil else { return }
    let program = InstalledPrograms.locate("tappet-web")
    guard access(program, X_OK) == 0 else {
      return note("page", .bad, "\(program) is missing: install the package tappet-web")
    }
    guard let kiosk else { return note("page", .note, "not tried: it is served only while the kiosk is running") }
    let host = Command.pageHost(configuration)
    let facts = kiosk.ask(.status)?.json["page"]
    let (verdict, text) = CheckReport.page(
      facts, host: host, atUnixSeconds: SystemClock().now().unixSeconds,
      isServed: { port in
        ["127.0.0.1", "::1", NetworkIdentity.current().ipv4].contains { address in
          ProtocolProbe.firstWords(address: address, port: port, greeting: Array("GET /\r\n\r\n".utf8)) != nil
        }
      })
    note("page", verdict, text, code: verdict == .bad ? facts?["code"]?.text : nil)
  }

  /// Returns the finding about the page from the kiosk's status; `isServed` returns whether a port is open.
  static func page(
    _ facts: JSON?, host: String, atUnixSeconds now: Int64, isServed: (UInt16) -> Bool
  ) -> (CheckResult, String) {
    guard let facts, facts != .null else {
      return (.note, "the running kiosk has no page yet; reload it")
    }
    guard facts["good"] == .bool(true) else { return (.bad, facts["text"]?.text ?? "") }
    guard let port = facts["port"]?.wholeNumber.flatMap({ UInt16(exactly: $0) }) else {
      return (
        .note, "not opened by a browser since the kiosk was started, or behind a proxy: its address is unknown"
      )
    }
    guard isServed(port) else {
      return (.note, "nothing listens at port \(port) now; use 'systemctl status tappet-web.socket' to find out why")
    }
    let place = PageAddress(facts, host: host).address ?? "https://localhost:\(port), on this machine only"
    let end = facts["certificate_ends_at"]?.text.flatMap { WallTime.unixMilliseconds(utc: $0) }
    let days = end.map { ($0 / 1000 - now) / 86_400 }
    guard let days, let end else { return (.good, place) }
    if end / 1000 < now { return (.bad, "\(place); its certificate has expired") }
    return (.good, "\(place); its certificate is valid for \(plural(days, "day"))")
  }
}
