// How long the certificates last: looked at after each connect, which reads the files, and once a day.

import TappetCore
import TappetTLS

/// The certificates that the link uses.
struct CertificateMonitor {
  /// The files' contents at the last look.
  private(set) var facts: [CertificateFact] = []
  /// When to look again.
  private(set) var deadline: Instant?
  /// Digest of the certificates that the link was given last.
  private(set) var digest: [UInt8]

  init(_ settings: BrokerSettings) { digest = Certificates.digest(settings) }

  /// Looks at the files; a clock that may be wrong cannot tell the days.
  mutating func check(_ settings: BrokerSettings, clockIsGood: Bool, at now: Moment) -> Event {
    facts = Certificates.inspect(settings)
    deadline = facts.isEmpty ? nil : now.instant + Limits.certificateCheckInterval
    let days = clockIsGood ? Certificates.daysLeft(facts, atUnixSeconds: now.unixSeconds) : nil
    return .certificates(daysLeft: days.map { Int($0) })
  }

  /// Remembers the files of other settings; whether their contents are others.
  mutating func replace(by settings: BrokerSettings) -> Bool {
    let before = digest
    digest = Certificates.digest(settings)
    return digest != before
  }
}
