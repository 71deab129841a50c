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

  init(_ settings: BrokerSettings?) { digest = Self.digest(settings) }

  /// Inspects the files; if the clock is unreliable, the remaining days are unknown.
  mutating func check(_ settings: BrokerSettings?, clockIsGood: Bool, at now: Moment) -> Event {
    facts = settings.map { Certificates.inspect($0) } ?? []
    deadline = facts.isEmpty ? nil : now.instant + Limits.certificateCheckInterval
    let days = clockIsGood ? Certificates.daysLeft(facts, atUnixSeconds: now.unixSeconds) : nil
    return .certificates(daysLeft: days.map { Int($0) })
  }

  /// Switches to the files of the given settings; returns whether their contents differ.
  mutating func replace(by settings: BrokerSettings?) -> Bool {
    let before = digest
    digest = Self.digest(settings)
    return digest != before
  }

  /// Returns the digest of the files; empty if there is no broker.
  private static func digest(_ settings: BrokerSettings?) -> [UInt8] {
    settings.map { Certificates.digest($0) } ?? []
  }
}
