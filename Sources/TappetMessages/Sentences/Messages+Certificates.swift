// Sentences for findings of a certificate inspection: cause and remedy.

import TappetCore
import TappetJSON
import TappetTLS

extension CertificateFinding {
  /// Returns whether the finding is good at this time.
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
        ? "\(path): \(subject.quoted) is not valid for servers (extended key usage lacks serverAuth); get one that is"
        : "\(path): \(subject.quoted) is not valid for clients (extended key usage lacks clientAuth), and brokers "
          + "refuse it; get one that is"
    case .cannotSign(let subject):
      return
        "\(path): \(subject.quoted) is not allowed to sign (its key usage lacks digitalSignature), as TLS 1.3 "
        + "requires; get one that is"
    case .weakKey(let subject, let key):
      return
        "\(path): \(subject.quoted) has a weak key (\(key)), which OpenSSL refuses here; get one with P-256 or RSA 2048"
    case .unknownKey(let subject):
      return
        "\(path): \(subject.quoted) has a key that this machine's OpenSSL does not support, or that is damaged; "
        + "get one with P-256 or RSA 2048"
    case .weakSignature(let subject):
      return
        "\(path): \(subject.quoted) is signed with a weak digest (SHA-1 or older), which this machine's OpenSSL "
        + "refuses; have it signed with SHA-256"
    case .keyMatches(let subject): return "\(path): the key of \(subject.quoted)"
    case .keyFitsNone:
      return "\(path): the key belongs to none of these certificates; use the pair that was created together"
    case .keyAlone: return "\(path): a private key; to compare them, specify its certificate too"
    case .keyOpenToOthers: return "\(path) can be read by others; run: chmod 600 \(path)"
    case .leafNotFirst(let subject):
      return
        "\(path): \(subject.quoted) must be the first certificate in the file, followed by its chain; "
        + "'tappet cert import' puts them in order"
    case .chain(let subjects): return "\(path): valid chain: " + subjects.map { $0.quoted }.joined(separator: " < ")
    case .chainEnds(let issuer):
      return
        "\(path): its issuer, \(issuer.quoted), is not in these files; fine if the broker knows it, "
        + "otherwise append its certificate"
    case .chainRefused(let text):
      return "\(path): the certificate chain is not valid: \(text); request a new file from its issuer"
    case .hostMatches(let host): return "\(path): it was issued for \(host)"
    case .hostMismatch(let host, let names):
      return names.isEmpty
        ? "\(path): it has no subjectAltName, and the CN is ignored; get one that was issued for \(host)"
        : "\(path): it was issued for " + names.quoted + ", not for \(host)"
    case .problem(let problem): return problem.sentence
    }
  }

  /// Returns the finding for `--json`; docs/json.md documents the names.
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
