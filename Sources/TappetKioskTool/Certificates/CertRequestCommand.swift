// tappet cert request: creates a key that never leaves the board, and a certificate request for it.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS

extension Command {
  static var certRequest: Command {
    Command(
      words: "cert request", section: .certificates, summary: "create a key and a certificate request for it",
      options: [
        CommandOption("private-key", "FILE", .file, "private key file (default: the configuration's)"),
        CommandOption("name", "NAME", "common name (default: the configuration's client id)"),
        CommandOption("dns", "NAME,…", "additional DNS names"),
        CommandOption("out", "FILE", .file, "write the request to this file"),
        CommandOption("output", "FOLDER", .folder, "write the request to this folder, as COMMON-NAME.csr"), .force,
      ],
      details: """
        Creates a key (P-256, mode 0600) if none exists, and a certificate request for it, for signing and
        client authentication. The key never leaves the board, and an existing key is never replaced; an
        existing request is replaced after confirmation. With --output, many boards can share one folder.
        Install the certificate that the CA issues with 'tappet cert import FILE'.
        """,
      example: "tappet cert request --out kiosk.csr",
      usageError: { $0.has("out") && $0.has("output") ? "--out and --output cannot be combined" : nil },
      body: .plain { (arguments) throws(CommandFailure) in
        let files = CertificateFiles(arguments)
        let key = try files.keyPath()
        guard let name = arguments.value("name") ?? files.clientID else {
          throw .usage("missing --name NAME: the client id, which brokers compare with the common name")
        }
        let out = try outFile(name, arguments)
        let draft = try CertRequest.draft(key: key, name: name, more: arguments.value("dns"))
        if let out { try Prompt.requireReplacement(of: [out], arguments) }
        try CertRequest.write(draft, key: key, name: name, out: out, isShared: arguments.has("output"))
      })
  }

  /// Returns the path of the request; in a shared folder, the file is named after the board.
  private static func outFile(_ name: String, _ arguments: Arguments) throws(CommandFailure) -> String? {
    guard let folder = arguments.value("output") else { return arguments.value("out") }
    guard BrokerSettings.isClientID(name), name.isPrintable else {
      throw .usage("--output names the file after the common name, but \(name.quoted) cannot be a file name")
    }
    return folder + "/" + name + ".csr"
  }
}

enum CertRequest {
  /// A certificate request, and its key if the key is new.
  struct Draft {
    var pem: [UInt8]
    var newKey: SecretBytes?
  }

  /// Writes the key if it is new, and writes the request to `out` or prints it.
  static func write(
    _ draft: Draft, key path: String, name: String, out: String?, isShared: Bool = false
  ) throws(CommandFailure) {
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      if let made = draft.newKey { try files.add(path, made) }
      if let out { try files.add(out, draft.pem, mode: 0o644, isShared: isShared) }
      try files.commit()
    } catch { throw error.failure }
    Output.printError(
      draft.newKey == nil
        ? "\(path) already exists, so the request uses this key; to create a new key, specify a different file with "
          + "--private-key"
        : "\(path): a new P-256 key (mode 0600)")
    guard let out else { return Output.write(String(decoding: draft.pem, as: UTF8.self)) }
    Output.printError(
      "\(out): the request for \(name); send it to your CA, then run 'tappet cert import' with the issued certificate")
  }

  /// Creates a request for the key in the file or, if there is no file, for a new key; `more` lists further DNS names.
  ///
  /// Writes nothing. An existing key is never replaced, because its certificate would become unusable.
  static func draft(key path: String, name: String, more: String?) throws(CommandFailure) -> Draft {
    guard (1...64).contains(name.utf8.count) else {
      // X.520 limits a common name to 64 characters (ub-common-name).
      throw .usage("a common name must be 1 to 64 bytes long, but '\(name)' is \(name.utf8.count) bytes long")
    }
    let names = dnsNames(name, more)
    if let bad = names.first(where: { !CertificateRequest.isDNSName($0) }) {
      throw .usage("'\(bad)' is not a DNS name")
    }
    do throws(CertificateProblem) {
      guard access(path, F_OK) != 0 else {
        let pem = try CertificateRequest.make(keyFile: path, commonName: name, dnsNames: names)
        return Draft(pem: pem, newKey: nil)
      }
      let made = try CertificateRequest.makeKey()
      let pem = try CertificateRequest.make(key: made, keyName: path, commonName: name, dnsNames: names)
      return Draft(pem: pem, newKey: made)
    } catch { throw .refused(error.sentence) }
  }

  /// Returns the requested DNS names, preceded by the common name if it is a valid DNS name.
  private static func dnsNames(_ name: String, _ more: String?) -> [String] {
    var names = CertificateRequest.isDNSName(name) ? [name] : []
    for part in (more ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let text = String(decoding: part, as: UTF8.self)
      if !names.contains(text) { names.append(text) }
    }
    return names
  }
}
