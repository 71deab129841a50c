// tappet cert request: a key that never leaves the board, and the request for its certificate.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS

extension Command {
  static var certRequest: Command {
    Command(
      words: "cert request", section: .certificates, summary: "make a key, and a request for its certificate",
      options: [
        CommandOption("private-key", "FILE", .file, "the key's file, in place of the configuration's"),
        CommandOption("name", "NAME", "the common name (the client id)"),
        CommandOption("dns", "NAME,…", "further DNS names"),
        CommandOption("out", "FILE", .file, "write the request to this file"), .force,
      ],
      details: """
        Makes a key (P-256, mode 0600) if there is none, and a request for its certificate, for signing and
        client authentication. The key never leaves the board, and an existing one is never replaced; an
        existing request is, after a question. Put the CA's answer in place with 'tappet cert import FILE'.
        """,
      example: "tappet cert request --out kiosk.csr",
      body: .plain { (arguments) throws(CommandFailure) in
        let files = CertificateFiles(arguments)
        let key = try files.keyPath()
        guard let name = arguments.value("name") ?? files.clientID else {
          throw .usage("--name is missing: the client id, which brokers compare with it")
        }
        try CertRequest.make(key: key, name: name, out: arguments.value("out"), arguments)
      })
  }
}

enum CertRequest {
  /// Makes the key if it is missing, and the request into `out`, or as data.
  static func make(key path: String, name: String, out: String?, _ arguments: Arguments) throws(CommandFailure) {
    guard (1...64).contains(name.utf8.count) else {
      // X.520's ub-common-name.
      throw .usage("a common name has 1 to 64 bytes; '\(name)' has \(name.utf8.count)")
    }
    let names = dnsNames(name, arguments.value("dns"))
    if let bad = names.first(where: { !CertificateRequest.isDNSName($0) }) {
      throw .usage("'\(bad)' is not a DNS name")
    }
    if let out { try Prompt.requireReplacement(of: [out], arguments) }
    // An existing key is never replaced: the certificate in use would lose it.
    let exists = access(path, F_OK) == 0
    let pem: [UInt8]
    var key: SecretBytes?
    do throws(CertificateProblem) {
      if exists {
        pem = try CertificateRequest.make(keyFile: path, commonName: name, dnsNames: names)
      } else {
        let made = try CertificateRequest.makeKey()
        pem = try CertificateRequest.make(key: made, keyName: path, commonName: name, dnsNames: names)
        key = made
      }
    } catch { throw .refused(error.sentence) }
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      if let key { try files.add(path, key) }
      if let out { try files.add(out, pem, mode: 0o644) }
      try files.commit()
    } catch { throw error.failure }
    Output.printError(
      exists
        ? "\(path) already exists, and the request is for it; for a new key name another file with --private-key"
        : "\(path): a new P-256 key (mode 0600)")
    guard let out else { return Output.write(String(decoding: pem, as: UTF8.self)) }
    Output.printError("\(out): the request for \(name); send it to your CA, then 'tappet cert import' its answer")
  }

  /// The client id if it can be one, and those asked for.
  private static func dnsNames(_ name: String, _ more: String?) -> [String] {
    var names = CertificateRequest.isDNSName(name) ? [name] : []
    for part in (more ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let text = String(decoding: part, as: UTF8.self)
      if !names.contains(text) { names.append(text) }
    }
    return names
  }
}
