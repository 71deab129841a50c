// One enrolment: the target files, the request, and the installation of the certificate. Shared by all kinds of
// servers.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetTLS

/// A certificate enrolment in progress.
final class Enrolment {
  /// Data that the server returned in addition to the certificate.
  struct Extras {
    var certificateID: String?
    var thingName: String?
    var configuration: [JSON.Member] = []
  }

  let arguments: Arguments
  let target: CertificateTarget
  let clientID: String
  /// Time by which the enrolment must be complete.
  let deadline: Instant
  /// The broker's CA certificates, as configured.
  let brokerCA: String?
  private let newKey: SecretBytes?
  /// The certificate request, in PEM.
  let request: [UInt8]
  /// Whether the request renews the existing certificate, keeping its names.
  let isRenewal: Bool

  /// Reads the existing files and prompts before replacing any; writes nothing.
  init(_ arguments: Arguments) throws(CommandFailure) {
    let files = CertificateFiles(arguments)
    let (certificate, key) = try files.pair()
    guard !Certificates.isBundleName(certificate) else {
      throw .usage("this command writes PEM, but \(certificate) has the name of a .p12 file; specify a different file")
    }
    guard let name = arguments.value("client-id") ?? files.clientID else {
      throw .usage("missing --client-id NAME: the certificate's common name")
    }
    let roots = arguments.has("est") ? arguments.value("roots") : nil
    try Prompt.requireReplacement(of: [certificate] + (roots.map { [$0] } ?? []), arguments)
    self.arguments = arguments
    target = CertificateTarget(certificate: certificate, key: key, ca: roots)
    clientID = name
    brokerCA = files.ca
    deadline = Instant.now() + (arguments.seconds("wait") ?? Limits.enrolmentMax)
    isRenewal = arguments.has("est") && Self.isValid(certificate, key)
    if isRenewal {
      newKey = nil
      do throws(CertificateProblem) {
        request = try CertificateRequest.make(keyFile: key, renewing: certificate)
      } catch { throw .refused(error.sentence) }
    } else {
      let draft = try CertRequest.draft(key: key, name: name, more: arguments.value("dns"))
      newKey = draft.newKey
      // Until the CA decides, it recognizes a repeated request by its exact bytes.
      request = Self.waiting(certificate, key) ?? draft.pem
    }
  }

  /// Whether the certificate in the file is currently valid and matches the key.
  private static func isValid(_ certificate: String, _ key: String) -> Bool {
    guard let identity = try? ClientIdentity.read([certificate, key], ask: { _ in nil }) else { return false }
    return identity.refusal(atUnixSeconds: SystemClock().now().unixSeconds) == nil
  }

  // MARK: A pending request

  private static func waitingPath(_ certificate: String) -> String { certificate + ".csr" }

  /// Returns the request saved by an earlier run, if it matches the key.
  private static func waiting(_ certificate: String, _ key: String) -> [UInt8]? {
    let path = waitingPath(certificate)
    guard case .success(let file) = TextFile.read(path, sizeMax: Limits.certificateFileSizeMax),
      CertificateRequest.isRequest(file.bytes, forKeyIn: key)
    else { return nil }
    return file.bytes
  }

  /// Saves the key and the request for the next run, because the CA's decision will apply to them.
  func keepWaiting() throws(CommandFailure) {
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      if let newKey { try files.add(target.key, newKey) }
      try files.add(Self.waitingPath(target.certificate), request, mode: 0o644)
      try files.commit()
    } catch { throw error.failure }
  }

  // MARK: The certificate

  /// Verifies the certificate against its key; `authorities` is also PEM, and `place` is the server shown in errors.
  func identity(
    _ certificate: [UInt8], authorities: [UInt8] = [], from place: String
  ) throws(CommandFailure) -> ClientIdentity {
    let identity: ClientIdentity
    do throws(CertificateProblem) {
      var pem = certificate + authorities
      identity = try ClientIdentity.read(
        certificate: SecretBytes(taking: &pem), key: try keyText(), names: ("the certificate from " + place, target.key)
      ) { _ in nil }
    } catch { throw .refused("nothing was changed: " + error.sentence, FailureCode.enrolmentUnusable) }
    if !authorities.isEmpty, !identity.hasIssuer {
      throw .refused(
        "nothing was changed: the certificate from \(place) is not signed by its stated issuer; contact "
          + "the operator of the CA",
        FailureCode.enrolmentUnusable)
    }
    if let reason = identity.refusal(atUnixSeconds: time(of: identity)) {
      throw .refused(
        "nothing was changed: the certificate from \(place), or one in its chain, cannot be used: \(reason); check "
          + "the clock here and on the server", FailureCode.enrolmentUnusable)
    }
    return identity
  }

  /// Returns the current time, or the start of the certificate's validity if only clock skew puts it in the future.
  private func time(of identity: ClientIdentity) -> Int64 {
    let now = SystemClock().now().unixSeconds
    let start = identity.details(path: "").notBeforeUnixSeconds
    return (now...(now + Limits.enrolmentClockLeewaySeconds)).contains(start) ? start : now
  }

  private func keyText() throws(CertificateProblem) -> SecretBytes {
    if let newKey { return newKey }
    switch PrivateFile.read(target.key, sizeMax: Limits.certificateFileSizeMax) {
    case .failure(let error): throw .unreadable(path: target.key, SystemCode(error))
    case .success(var bytes): return SecretBytes(taking: &bytes)
    }
  }

  /// Writes the files next to their destinations.
  func draft(_ identity: ClientIdentity) throws(CommandFailure) -> AtomicFiles {
    try target.draft(identity, writesKey: newKey != nil)
  }

  /// Moves the files to their destinations, and prints the next steps.
  func finish(_ files: AtomicFiles, _ identity: ClientIdentity, _ extras: Extras) throws(CommandFailure) {
    do throws(AtomicFilesError) { try files.commit() } catch { throw error.failure }
    unlink(Self.waitingPath(target.certificate))
    if let report = arguments.report { return report.set(json(identity, extras)) }
    target.report(identity, writesKey: newKey != nil, rootsOption: "--roots")
    if let name = extras.thingName { Output.print("thing: " + name.escaped) }
    for member in extras.configuration {
      let text = member.value.text ?? String(decoding: member.value.encoded(), as: UTF8.self)
      Output.print("\(member.name.escaped): \(text.escaped)")
    }
    let isConfigured = CertificateFiles(arguments).isConfigured(target.certificate)
    Output.printError(
      isConfigured
        ? "A running kiosk uses the certificate the next time it connects; use 'tappet check' to test it now."
        : "Next: tappet init --certificate \(target.certificate) --private-key \(target.key)")
  }

  private func json(_ identity: ClientIdentity, _ extras: Extras) -> JSON {
    let details = identity.details(path: target.certificate)
    return .object([
      "method": .string(arguments.has("aws") ? "aws" : "est"), "is_renewal": .bool(isRenewal),
      "certificate_file": .string(target.certificate), "key_file": .string(target.key),
      "is_new_key": .bool(newKey != nil), "subject": .string(details.subject), "issuer": .string(details.issuer),
      "not_after_at": .time(unixSeconds: details.notAfterUnixSeconds),
      "days_left": .number(details.daysLeft(atUnixSeconds: SystemClock().now().unixSeconds)),
      "certificate_id": .optional(extras.certificateID), "thing_name": .optional(extras.thingName),
      "device_configuration": .object(extras.configuration),
    ])
  }
}
