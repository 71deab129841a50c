// What `tappet check` can say about certificate files.

import TappetCore

/// One line of what `tappet check` says about the files.
public indirect enum CertificateFact: Hashable, Sendable {
  /// No CA file: the system's trust store decides.
  case systemTrustStore
  case certificate(CertificateDetails)
  case keyMatches(certificate: String, key: String)
  /// The key's mode lets others read it.
  case keyOpenToOthers(path: String, mode: UInt32)
  case problem(CertificateProblem)
}

/// What stands in one certificate.
public struct CertificateDetails: Hashable, Sendable {
  /// What it is there for.
  public enum Role: Hashable, Sendable {
    case authority
    case client
    case clientChain
  }
  /// What it is there for.
  public var role: Role
  /// The file.
  public var path: String
  /// Whose it is, on one line.
  public var subject: String
  /// Who signed it.
  public var issuer: String
  /// Seconds since 1970.
  public var notBeforeUnixSeconds: Int64
  /// Seconds since 1970.
  public var notAfterUnixSeconds: Int64

  /// What stands in one certificate of the file `path`.
  public init(
    role: Role, path: String, subject: String, issuer: String, notBeforeUnixSeconds: Int64, notAfterUnixSeconds: Int64
  ) {
    self.role = role
    self.path = path
    self.subject = subject
    self.issuer = issuer
    self.notBeforeUnixSeconds = notBeforeUnixSeconds
    self.notAfterUnixSeconds = notAfterUnixSeconds
  }

  /// Whole days until it expires, rounded down: negative when it has.
  public func daysLeft(atUnixSeconds now: Int64) -> Int64 {
    let (left, overflow) = notAfterUnixSeconds.subtractingReportingOverflow(now)
    guard !overflow else { return now < 0 ? .max : .min }
    return left >= 0 ? left / 86_400 : (left + 1) / 86_400 - 1
  }
}
