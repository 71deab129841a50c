// Sentences for the findings of a certificate check: cause and remedy.

import TappetCore
import TappetJSON
import TappetTLS

extension CertificateFinding {
  /// Returns whether the finding is good at the given time.
  @export(interface)
  package func isGood(at now: Int64) -> Bool {
    switch remark {
    case .certificate(let details, _, _, _): details.isValid(atUnixSeconds: now)
    case .keyMatches, .keyAlone, .chain, .chainEnds, .hostMatches: true
    case .wrongPurpose, .cannotSign, .weakKey, .unknownKey, .weakSignature, .keyFitsNone, .keyOpenToOthers,
      .leafNotFirst,
      .chainRefused, .hostMismatch, .problem:
      false
    }
  }

  /// Machine-readable kind, one word.
  package var kind: String {
    @export(interface) get {
      switch remark {
      case .certificate: "certificate"
      case .wrongPurpose, .cannotSign: "usage"
      case .weakKey, .unknownKey, .weakSignature: "strength"
      case .keyMatches, .keyFitsNone, .keyAlone, .keyOpenToOthers: "key"
      case .leafNotFirst, .chain, .chainEnds, .chainRefused: "chain"
      case .hostMatches, .hostMismatch: "host"
      case .problem: "file"
      }
    }
  }

  /// Returns a human-readable message, one sentence.
  @export(interface)
  package func sentence(at now: Int64) -> String {
    switch remark {
    case .certificate(let details, let isAuthority, let key, let names):
      return details.sentence(at: now) + " (" + (isAuthority ? "CA certificate, " : "") + key
        + (names.isEmpty ? "" : ", for " + names.quoted) + ")"
    case .wrongPurpose(let subject, let isServer):
      return isServer
        ? "\(path): \(subject.quoted) is not valid for servers (extended key usage lacks serverAuth); "
          + "get a server certificate"
        : "\(path): \(subject.quoted) is not valid for clients (extended key usage lacks clientAuth), so brokers "
          + "refuse it; get a client certificate"
    case .cannotSign(let subject):
      return
        "\(path): \(subject.quoted) cannot be used to sign, which TLS 1.3 requires (its key usage lacks "
        + "digitalSignature); get a certificate with this usage"
    case .weakKey(let subject, let key):
      return
        "\(path): \(subject.quoted) has a weak key (\(key)), which OpenSSL refuses here; get a certificate with a "
        + "P-256 or RSA 2048 key"
    case .unknownKey(let subject):
      return
        "\(path): \(subject.quoted) contains a damaged key, or a key type that this machine's OpenSSL does not "
        + "support; get a certificate with a P-256 or RSA 2048 key"
    case .weakSignature(let subject):
      return
        "\(path): \(subject.quoted) is signed with a weak digest (SHA-1 or older), which this machine's OpenSSL "
        + "refuses; have it signed with SHA-256"
    case .keyMatches(let subject): return "\(path): the key of \(subject.quoted)"
    case .keyFitsNone:
      return
        "\(path): the key does not match any of these certificates; use a certificate and key that were created "
        + "together"
    case .keyAlone: return "\(path): a private key; to check that it matches, specify its certificate too"
    case .keyOpenToOthers: return "\(path) can be read by others; run: chmod 600 \(path)"
    case .leafNotFirst(let subject):
      return
        "\(path): \(subject.quoted) must be the first certificate in the file, followed by its chain; "
        + "use 'tappet cert import' to put them in order"
    case .chain(let subjects): return "\(path): valid chain: " + subjects.map { $0.quoted }.joined(separator: " < ")
    case .chainEnds(let issuer):
      return
        "\(path): the certificate of the issuer, \(issuer.quoted), is not in these files; append it unless the broker "
        + "already has it"
    case .chainRefused(let text):
      return "\(path): the certificate chain is not valid: \(text); request a new file from its issuer"
    case .hostMatches(let host): return "\(path): the certificate was issued for \(host)"
    case .hostMismatch(let host, let names):
      return names.isEmpty
        ? "\(path): the certificate has no subjectAltName, and the CN is ignored; get a certificate issued for \(host)"
        : "\(path): the certificate was issued for " + names.quoted + ", not for \(host)"
    case .problem(let problem): return problem.sentence
    }
  }

  /// Returns the finding for `--json`; docs/json.schema.json documents the names.
  @export(interface)
  package func json(at now: Int64) -> JSON {
    var members = [
      JSON.Member(name: "file", value: .string(path)), JSON.Member(name: "kind", value: .string(kind)),
      JSON.Member(name: "good", value: .bool(isGood(at: now))),
      JSON.Member(name: "text", value: .string(sentence(at: now))),
    ]
    var facts: JSON = .null
    if case .certificate(let details, let isAuthority, let key, let names) = remark {
      facts = .object([
        "subject": .string(details.subject), "issuer": .string(details.issuer),
        "not_before_at": .time(unixSeconds: details.notBeforeUnixSeconds),
        "not_after_at": .time(unixSeconds: details.notAfterUnixSeconds),
        "days_left": .number(details.daysLeft(atUnixSeconds: now)), "is_ca": .bool(isAuthority), "key": .string(key),
        "names": .string(names),
      ])
    }
    members.append(JSON.Member(name: "certificate", value: facts))
    return .object(members)
  }
}
