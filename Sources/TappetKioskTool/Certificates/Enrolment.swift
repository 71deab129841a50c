// One enrolment: the files that it is for, the request, and the way of the certificate into its place. It is the same
// for every kind of server.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetTLS

/// A certificate that is asked for.
final class Enrolment {
  /// The server's facts besides the certificate.
  struct Extras {
    var certificateID: String?
    var thingName: String?
    var configuration: [JSON.Member] = []
  }

  let arguments: Arguments
  let target: CertificateTarget
  let clientID: String
  /// The time by which all must be done.
  let deadline: Instant
  /// The broker's CA certificates, as the configuration has them.
  let brokerCA: String?
  private let newKey: SecretBytes?
  /// The request in PEM.
  let request: [UInt8]
  /// Whether the request is for the certificate that is there, with its names.
  let isRenewal: Bool

  /// Reads what is there, and asks a person whether it may be replaced; writes nothing.
  init(_ arguments: Arguments) throws(CommandFailure) {
    let files = CertificateFiles(arguments)
    let (certificate, key) = try files.pair()
    guard !Certificates.isBundleName(certificate) else {
      throw .usage("this writes PEM, and \(certificate) has the name of a .p12; name another file")
    }
    guard let name = arguments.value("client-id") ?? files.clientID else {
      throw .usage("--client-id is missing: the certificate's common name")
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
      // A CA that has not decided yet knows the request by its bytes.
      request = Self.waiting(certificate, key) ?? draft.pem
    }
  }

  /// Whether the certificate in the file is valid now, and for this key.
  private static func isValid(_ certificate: String, _ key: String) -> Bool {
    guard let identity = try? ClientIdentity.read([certificate, key], ask: { _ in nil }) else { return false }
    return identity.refusal(atUnixSeconds: SystemClock().now().unixSeconds) == nil
  }

  // MARK: A request that waits

  private static func waitingPath(_ certificate: String) -> String { certificate + ".csr" }

  /// The request that an earlier run left, if it is for this key.
  private static func waiting(_ certificate: String, _ key: String) -> [UInt8]? {
    let path = waitingPath(certificate)
    guard case .success(let file) = TextFile.read(path, sizeMax: Limits.certificateFileSizeMax),
      CertificateRequest.isRequest(file.bytes, forKeyIn: key)
    else { return nil }
    return file.bytes
  }

  /// Keeps key and request for the next run: the CA will decide about these.
  func keepWaiting() throws(CommandFailure) {
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      if let newKey { try files.add(target.key, newKey) }
      try files.add(Self.waitingPath(target.certificate), request, mode: 0o644)
      try files.commit()
    } catch { throw error.failure }
  }

  // MARK: The certificate

  /// The certificate with its key, checked; `authorities` are PEM, too, and `place` says whose answer it is.
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
        "nothing was changed: the certificate from \(place) is not signed by the CA that it names; ask whoever runs it",
        FailureCode.enrolmentUnusable)
    }
    if let reason = identity.refusal(atUnixSeconds: time(of: identity)) {
      throw .refused(
        "nothing was changed: the certificate from \(place), or one above it, cannot be used: \(reason); is the clock "
          + "right here, and there?", FailureCode.enrolmentUnusable)
    }
    return identity
  }

  /// Now, or the certificate's beginning if that is only the difference of two clocks.
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

  /// Writes the files next to their places.
  func draft(_ identity: ClientIdentity) throws(CommandFailure) -> AtomicFiles {
    try target.draft(identity, writesKey: newKey != nil)
  }

  /// Puts the files in place, and says what to do next.
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
        ? "A running kiosk uses it from its next connect on; 'tappet check' tries it now."
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
