// The facts about certificate files that `tappet check` reports.

import TappetCore

/// One line in the report of `tappet check` about the files.
package indirect enum CertificateFact: Hashable, Sendable {
  /// There is no CA file, so the system's trust store decides.
  case systemTrustStore
  case certificate(CertificateDetails)
  /// Valid revocation lists.
  case revocationLists(path: String, count: Int)
  case keyMatches(certificate: String, key: String)
  /// The key's mode lets others read it.
  case keyOpenToOthers(path: String, mode: UInt32)
  case problem(CertificateProblem)
}

/// The contents of one certificate.
package struct CertificateDetails: Hashable, Sendable {
  /// The purpose of a certificate.
  package enum Role: Hashable, Sendable {
    case authority
    case client
    case clientChain
  }
  /// The certificate's purpose.
  package var role: Role
  /// Path of its file.
  package var path: String
  /// Its subject, on one line.
  package var subject: String
  /// Its issuer, on one line.
  package var issuer: String
  /// When it becomes valid, in seconds since 1970.
  package var notBeforeUnixSeconds: Int64
  /// When it expires, in seconds since 1970.
  package var notAfterUnixSeconds: Int64

  /// The contents of one certificate of the file `path`.
  @export(interface)
  package init(
    role: Role, path: String, subject: String, issuer: String, notBeforeUnixSeconds: Int64, notAfterUnixSeconds: Int64
  ) {
    self.role = role
    self.path = path
    self.subject = subject
    self.issuer = issuer
    self.notBeforeUnixSeconds = notBeforeUnixSeconds
    self.notAfterUnixSeconds = notAfterUnixSeconds
  }

  /// Whole days until it expires, rounded down; negative when it has expired.
  package func daysLeft(atUnixSeconds now: Int64) -> Int64 {
    let (left, overflow) = notAfterUnixSeconds.subtractingReportingOverflow(now)
    guard !overflow else { return now < 0 ? .max : .min }
    return left >= 0 ? left / 86_400 : (left + 1) / 86_400 - 1
  }

  /// Whether it has begun, and has not expired.
  package func isValid(atUnixSeconds now: Int64) -> Bool {
    daysLeft(atUnixSeconds: now) >= 0 && notBeforeUnixSeconds <= now
  }
}
