// Details of certificate files, as reported by `tappet check`.

import TappetCore

/// One line about certificate files in the report of `tappet check`.
package indirect enum CertificateFact: Hashable, Sendable {
  /// No CA file is configured, so the system's trust store is used.
  case systemTrustStore
  case certificate(CertificateDetails)
  /// Valid revocation lists.
  case revocationLists(path: String, count: Int)
  case keyMatches(certificate: String, key: String)
  /// A private key file whose mode gives other users access.
  case keyOpenToOthers(path: String, mode: UInt32)
  case problem(CertificateProblem)
}

/// The details of one certificate.
package struct CertificateDetails: Hashable, Sendable {
  /// The purpose of a certificate.
  package enum Role: Hashable, Sendable {
    case authority
    case client
    case clientChain
  }
  /// The certificate's purpose.
  package var role: Role
  /// Path of the certificate's file.
  package var path: String
  /// The subject, on one line.
  package var subject: String
  /// The issuer, on one line.
  package var issuer: String
  /// Start of the validity period, in seconds since 1970.
  package var notBeforeUnixSeconds: Int64
  /// End of the validity period, in seconds since 1970.
  package var notAfterUnixSeconds: Int64

  /// Creates the details of one certificate in the file `path`.
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

  /// Returns the whole days until the certificate expires, rounded down; negative once it has expired.
  package func daysLeft(atUnixSeconds now: Int64) -> Int64 {
    let (left, overflow) = notAfterUnixSeconds.subtractingReportingOverflow(now)
    guard !overflow else { return now < 0 ? .max : .min }
    return left >= 0 ? left / 86_400 : (left + 1) / 86_400 - 1
  }

  /// Whether the time is within the certificate's validity period.
  package func isValid(atUnixSeconds now: Int64) -> Bool {
    daysLeft(atUnixSeconds: now) >= 0 && notBeforeUnixSeconds <= now
  }
}
