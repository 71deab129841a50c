// Log records about the clock and about certificate expiry.

import TappetConfig
import TappetCore
import TappetTLS

extension LogRecord {
  init(_ report: ClockReport, _ configuration: KioskConfiguration) {
    switch report {
    case .good:
      self.init(.notice, "clock-good", "the clock is synchronized: nothing waits for it any longer")
    case .unknown:
      self.init(
        .warning, "clock-unknown",
        "the clock is not synchronized: until it is, "
          + (["entries from before the machine's last start are held"] + configuration.effectsOfUnsetClock())
          .joined(separator: ", and ") + "; start a time service, or set 'clock: trust'")
    case .certificateExpiring(let days):
      self.init(.warning, "certificate-expiring", LogRecord.certificateSentence(days), [("days_left", String(days))])
    case .certificatesGood:
      self.init(.notice, "certificates-good", "the certificates are valid for more than 14 days again")
    }
  }

  /// Creates the record for a clock that was set back.
  package init(clockBehind seconds: Int64) {
    self.init(
      .warning, "clock-behind",
      LogRecord.clockBehind(seconds) + ", so it is treated as not set: check the time service; if the clock is "
        + "correct, set 'clock: trust' and reload once",
      [("seconds", String(seconds))])
  }

  /// Returns a human-readable description of how far the clock is behind.
  package static func clockBehind(_ seconds: Int64) -> String {
    "the clock is " + String(seconds / 3600) + " h behind the latest time that this kiosk recorded"
  }

  private static func certificateSentence(_ days: Int) -> String {
    let when =
      days < 0
      ? "expired " + CertificateDetails.ago(daysLeft: Int64(days))
      : "expires in " + plural(days, "day")
    return "a certificate " + when + "; run 'tappet check' to see which certificate, and replace its file"
  }
}

extension KioskConfiguration {
  /// Effects of a clock that is not synchronized on the actions and commands, as parts of a sentence.
  @export(interface)
  package func effectsOfUnsetClock() -> [String] {
    let holdsMessages = actions.contains { $0.usesTimestamp } || unknownTags?.usesTimestamp == true
    return [
      holdsMessages ? "messages with %T are held" : nil,
      actions.contains { $0.times?.allowsUnknownClock == false } ? "actions with hours are refused" : nil,
      commands.contains { $0.needsClock } ? "commands with a time are refused" : nil,
    ].compactMap { $0 }
  }
}
