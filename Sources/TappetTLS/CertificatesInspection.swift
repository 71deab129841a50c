// Details of the configured certificate files, as reported by `tappet check`. `tappet cert check` is more thorough: see
// CertificatesReport.

import COpenSSL
import TappetCore

extension Certificates {
  /// Returns details of all certificates and the key in `settings`, including any problems.
  ///
  /// Opens no connection.
  @export(interface)
  package static func inspect(_ settings: BrokerSettings) -> [CertificateFact] {
    var facts: [CertificateFact] = []
    if let path = settings.caFile {
      facts += describe(path) { _ in .authority }
    } else if settings.endpoints.contains(where: { $0.usesTLS }) {
      facts.append(.systemTrustStore)
    }
    if let path = settings.crlFile { facts += describeLists(path) }
    if let path = settings.certificateFile {
      let key = try? CertificateFile(settings.privateKeyFile ?? path).contents().key
      facts += describe(path, key: key) { $0 == 0 ? .client : .clientChain }
    }
    if let key = settings.privateKeyFile { facts += describeKey(key, certificate: settings.certificateFile) }
    if let certificate = settings.certificateFile, settings.privateKeyFile == nil {
      facts += describeOwnKey(of: certificate)
    }
    return facts
  }

  /// Returns those problems with the files of `settings` that prevent a connection and can be detected without one.
  @export(interface)
  package static func mistakes(_ settings: BrokerSettings) -> [CertificateProblem] {
    var mistakes: [CertificateProblem] = []
    for case .problem(let problem) in inspect(settings) { mistakes.append(problem) }
    // OpenSSL itself may refuse files, for example a key that is too short for this system's policy.
    for endpoint in settings.endpoints where endpoint.usesTLS && mistakes.isEmpty {
      do throws(CertificateProblem) { _ = try makeContext(settings, endpoint: endpoint) } catch {
        mistakes.append(error)
      }
    }
    return mistakes
  }

  /// Returns a digest of the files' contents, which changes when a new connection would use different contents.
  @export(interface)
  package static func digest(_ settings: BrokerSettings) -> [UInt8] {
    var digest: [UInt8] = []
    for path in [settings.caFile, settings.crlFile, settings.certificateFile, settings.privateKeyFile] {
      guard let path, let file = try? CertificateFile(path) else { continue }
      digest += file.digest
    }
    return digest
  }

  /// Returns the days until the first certificate expires; `nil` if there are no certificates.
  ///
  /// The broker may use any of several authorities, so only the last one to expire counts.
  @export(interface)
  package static func daysLeft(_ facts: [CertificateFact], atUnixSeconds now: Int64) -> Int64? {
    var least: Int64?
    var authority: Int64?
    for case .certificate(let details) in facts {
      let days = details.daysLeft(atUnixSeconds: now)
      switch details.role {
      case .authority: authority = max(authority ?? days, days)
      case .client, .clientChain: least = min(least ?? days, days)
      }
    }
    guard let authority else { return least }
    return min(least ?? authority, authority)
  }

  /// Returns the facts without expired authorities if at least one authority is valid; otherwise, all facts.
  ///
  /// Expired authorities are not needed: if the broker's chain does use one, the connection attempt reports that.
  @export(interface)
  package static func needed(_ facts: [CertificateFact], atUnixSeconds now: Int64) -> [CertificateFact] {
    func authority(_ fact: CertificateFact) -> CertificateDetails? {
      guard case .certificate(let details) = fact, details.role == .authority else { return nil }
      return details
    }
    guard facts.contains(where: { authority($0)?.isValid(atUnixSeconds: now) == true }) else { return facts }
    return facts.filter { (authority($0)?.daysLeft(atUnixSeconds: now) ?? 0) >= 0 }
  }

  // MARK: Inspection

  private static func describe(
    _ path: String, key: PrivateKey? = nil, _ role: (Int) -> CertificateDetails.Role
  ) -> [CertificateFact] {
    do throws(CertificateProblem) {
      let certificates = try CertificateFile(path).certificates()
      return (key.map { certificates.ordered(for: $0) } ?? certificates).enumerated().map { index, certificate in
        .certificate(certificate.details(role(index), path: path))
      }
    } catch { return [.problem(error)] }
  }

  private static func describeLists(_ path: String) -> [CertificateFact] {
    do throws(CertificateProblem) {
      let lists = try CertificateFile(path).revocationLists()
      let expired = lists.filter { $0.hasExpired }
      if expired.isEmpty { return [.revocationLists(path: path, count: lists.count)] }
      return expired.map { .problem(.crlExpired(path: path, issuer: $0.issuer)) }
    } catch { return [.problem(error)] }
  }

  private static func describeKey(_ path: String, certificate: String?) -> [CertificateFact] {
    var facts: [CertificateFact] = []
    do throws(CertificateProblem) {
      let file = try CertificateFile(path)
      if file.mode & 0o077 != 0 { facts.append(.keyOpenToOthers(path: path, mode: file.mode & 0o7777)) }
      let key = try file.privateKey()
      guard let certificate else { throw .keyWithoutCertificate(key: path) }
      // Problems with the certificate itself are reported where it is described.
      guard let leaf = try? CertificateFile(certificate).certificates().ordered(for: key).first else { return facts }
      facts.append(
        key.fits(leaf)
          ? .keyMatches(certificate: certificate, key: path)
          : .problem(.keyMismatch(certificate: certificate, key: path)))
    } catch { facts.append(.problem(error)) }
    return facts
  }

  /// Describes the key in a file that must contain both certificate and key.
  private static func describeOwnKey(of path: String) -> [CertificateFact] {
    // Problems with the file as a whole are reported where its certificates are described.
    guard let file = try? CertificateFile(path), let contents = try? file.contents(), !contents.certificates.isEmpty
    else { return [] }
    guard let key = contents.key, let leaf = contents.certificates.ordered(for: key).first else {
      return [.problem(.certificateWithoutKey(certificate: path))]
    }
    var facts: [CertificateFact] = []
    if file.mode & 0o077 != 0 { facts.append(.keyOpenToOthers(path: path, mode: file.mode & 0o7777)) }
    facts.append(
      key.fits(leaf) ? .keyMatches(certificate: path, key: path) : .problem(.keyMismatch(certificate: path, key: path)))
    return facts
  }
}
