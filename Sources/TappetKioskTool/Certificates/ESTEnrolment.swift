// Enrolment over Secure Transport (RFC 7030): fetches the CA certificates, and a new or renewed client certificate.

import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS

enum ESTEnrolment {
  /// Obtains the certificate and installs it.
  static func run(_ enrolment: Enrolment, url: String) throws(CommandFailure) {
    let server = try ESTServer(enrolment, url: url)
    let authorities = try server.certificates(.get, "/cacerts")
    let certificate: [UInt8]
    do throws(CommandFailure) {
      let path = enrolment.isRenewal ? "/simplereenroll" : "/simpleenroll"
      certificate = try server.certificates(.post, path, ESTServer.body(of: enrolment.request))
    } catch {
      if error.status == .pending { try enrolment.keepWaiting() }
      throw error
    }
    let identity = try enrolment.identity(certificate, authorities: authorities, from: server.place)
    if let path = enrolment.target.ca, identity.authorityPEM() == nil {
      throw .refused("nothing was changed: \(server.place) sent no root certificate to write to \(path)")
    }
    try enrolment.finish(try enrolment.draft(identity), identity, Enrolment.Extras())
  }
}

/// Client for an EST server (RFC 7030) that reports errors as human-readable sentences.
struct ESTServer {
  private let requests: HTTPRequests
  private let folder: String
  private let deadline: Instant
  private let hasUser: Bool
  /// Scheme and host of the server's URL.
  let place: String

  init(_ enrolment: Enrolment, url: String) throws(CommandFailure) {
    guard let (origin, folder) = Self.parts(of: url) else { throw .usage("--est must be https://HOST[:PORT][/PATH]") }
    let arguments = enrolment.arguments
    var endpoint = WebhookEndpoint(action: "", url: .text(origin))
    endpoint.caFile = arguments.value("ca").flatMap { $0 == "system" ? nil : $0 }
    endpoint.timeout = max(.seconds(1), min(enrolment.deadline - Instant.now(), Limits.webhookTimeoutMax))
    // RFC 8951 §3 makes this encoding the default; older servers require the header.
    endpoint.headers = [
      .init(name: "Content-Type", value: .text("application/pkcs10")),
      .init(name: "Content-Transfer-Encoding", value: .text("base64")),
    ]
    // A certificate that is still valid authenticates its own renewal (RFC 7030 §4.2.2).
    endpoint.certificateFile = enrolment.isRenewal ? enrolment.target.certificate : arguments.value("claim")
    endpoint.privateKeyFile = enrolment.isRenewal ? enrolment.target.key : arguments.value("claim-key")
    if let name = arguments.value("est-username") {
      endpoint.headers.append(.init(name: "Authorization", value: .text(try Self.basic(name, arguments, origin))))
    }
    place = origin
    self.folder = folder
    deadline = enrolment.deadline
    hasUser = arguments.has("est-username")
    requests = try HTTPRequests(endpoint)
  }

  /// Splits a URL into the origin and the path of the services, with the default path of RFC 7030 §3.2.2.
  static func parts(of url: String) -> (origin: String, folder: String)? {
    guard let parts = WebhookURL(url), parts.usesTLS, !url.utf8.contains(UInt8(ascii: "?")) else { return nil }
    var folder = String(url.dropFirst(parts.origin.count))
    while folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
    return (parts.origin, folder.isEmpty ? "/.well-known/est" : folder)
  }

  /// Returns a PEM request without its delimiter lines, as required in the request body (RFC 7030 §4.2.1).
  static func body(of pem: [UInt8]) -> [UInt8] {
    let lines = pem.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "-") }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
  }

  private static func basic(_ name: String, _ arguments: Arguments, _ place: String) throws(CommandFailure) -> String {
    let password = try Prompt.privateLine(
      from: arguments.value("est-password-file"), question: "Password of \(name) at \(place)", what: "password",
      sizeMax: Limits.estPasswordSizeMax)
    var bytes = Array((name + ":").utf8) + password.withBytes { Array($0) }
    defer { LibCrypto.wipe(&bytes) }
    return "Basic " + String(decoding: Base64.encode(bytes), as: UTF8.self)
  }

  // MARK: Requests

  /// Polls the server until it decides or the time limit expires; returns the certificates that it sends, as PEM.
  func certificates(
    _ method: WebhookEndpoint.Method, _ service: String, _ body: [UInt8] = []
  ) throws(CommandFailure) -> [UInt8] {
    while true {
      let answer = try ask(method, service, body)
      switch answer.status {
      case 200:
        guard let pem = Self.certificates(in: answer.body) else { throw malformed(service) }
        return pem
      case 202, 429, 503:
        let pause = max(answer.retryAfter ?? Limits.estRetryDefault, .seconds(1))
        guard Instant.now() + pause < deadline else { throw undecided(answer.status, pause) }
        Output.printError("\(place) responded with \(answer.status); retrying in \(pause.wholeMilliseconds / 1000) s")
        requests.pause(pause)
      default: throw refusal(answer, service)
      }
    }
  }

  private func ask(
    _ method: WebhookEndpoint.Method, _ service: String, _ body: [UInt8]
  ) throws(CommandFailure) -> HTTPRequests.Answer {
    do throws(HTTPRequests.Failure) { return try requests.send(method, folder + service, body) } catch {
      switch error {
      case .helper(let failure): throw failure
      case .trouble(.certificateRefused, _):
        throw .failed(
          "the certificate of \(place) is not trusted, has expired, or was issued for a different name; specify its CA "
            + "with --ca, and check the clock", WebhookFault.trouble(.certificateRefused, code: 0).code)
      case .trouble(.handshakeFailed, let code), .trouble(.fileUnusable, let code):
        throw .failed(
          "no TLS connection to \(place): the server may require a different certificate; "
            + "specify it with --claim and --claim-key (PEM)",
          WebhookFault.trouble(.handshakeFailed, code: code).code)
      case .trouble(.timedOut, _): throw .timerFired("\(place) did not respond in time")
      case .trouble(let trouble, let code):
        let fault = WebhookFault.trouble(trouble, code: code)
        throw .failed(fault.sentence(place), fault.code)
      }
    }
  }

  /// Parses Base64-encoded certificates, with or without line breaks; returns `nil` for any other body.
  static func certificates(in body: [UInt8]) -> [UInt8]? {
    let digits = body.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return Base64.decode(digits).flatMap {
      CertificateAnswer.certificates(ofPKCS7: $0)
    }
  }

  // MARK: Failures

  private func malformed(_ service: String) -> CommandFailure {
    .failed(
      "nothing was changed: the response from \(place) to \(folder)\(service) contains no certificates; check that "
        + "this is an EST server", FailureCode.malformedAnswer)
  }

  private func undecided(_ status: Int, _ pause: Duration) -> CommandFailure {
    let seconds = pause.wholeMilliseconds / 1000
    guard status == 202 else {
      return .failed(
        "nothing was changed: \(place) is busy (\(status)); try again in \(seconds) s",
        FailureCode.timedOut)
    }
    return CommandFailure(
      status: .pending,
      sentence:
        "\(place) has not decided yet, so the key and the request are kept; run the same command again in \(seconds) s",
      code: FailureCode.enrolmentPending)
  }

  private func refusal(_ answer: HTTPRequests.Answer, _ service: String) -> CommandFailure {
    let reason =
      switch answer.status {
      case 401 where hasUser: "the user name or password is not accepted"
      case 401: "it requires a user name and a password (--est-username), or a certificate (--claim)"
      case 403: "this client is not allowed to enrol"
      case 204, 404: "there is no such service; check the path in --est"
      case 300...399: "it redirects; pass the URL that it redirects to with --est"
      default: Self.words(in: answer.body)
      }
    return .refused(
      "nothing was changed: \(place) responded with \(answer.status) to \(folder)\(service)"
        + (reason.isEmpty ? "" : ": " + reason), FailureCode.enrolmentRefused)
  }

  /// Returns the first line of a body, which may state a reason (RFC 7030 §4.2.3); empty for an HTML page.
  private static func words(in body: [UInt8]) -> String {
    let line = body.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(Limits.estReasonSizeMax)
    return line.isEmpty || line.first == UInt8(ascii: "<") ? "" : String(decoding: line, as: UTF8.self).quoted
  }
}
