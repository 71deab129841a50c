// Monitors the expiry of the certificates, which are checked after each connect, when the files are read, and once a
// day.

import TappetCore
import TappetTLS

/// The certificates that the link uses.
struct CertificateMonitor {
  /// Contents of the files at the last check.
  private(set) var facts: [CertificateFact] = []
  /// Time of the next check.
  private(set) var deadline: Instant?
  /// Digest of the certificates last passed to the link.
  private(set) var digest: [UInt8]

  init(_ settings: BrokerSettings) { digest = Certificates.digest(settings) }

  /// Inspects the files; if the clock is unreliable, the remaining days are unknown.
  mutating func check(_ settings: BrokerSettings, clockIsGood: Bool, at now: Moment) -> Event {
    facts = Certificates.inspect(settings)
    deadline = facts.isEmpty ? nil : now.instant + Limits.certificateCheckInterval
    let days = clockIsGood ? Certificates.daysLeft(facts, atUnixSeconds: now.unixSeconds) : nil
    return .certificates(daysLeft: days.map { Int($0) })
  }

  /// Switches to the files of the given settings; returns whether their contents differ.
  mutating func replace(by settings: BrokerSettings) -> Bool {
    let before = digest
    digest = Certificates.digest(settings)
    return digest != before
  }
}
