// tappet cert import: certificate, chain and key from a .p12 or other files, into the files that the configuration
// names.

import CPlatform
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS

extension Command {
  static var certImport: Command {
    Command(
      words: "cert import", section: .certificates, summary: "put a certificate and its key in place",
      operands: [Operand("FILE", .file, .oneOrMore)],
      options: [
        .certificate, .privateKey, CommandOption("ca", "FILE", .file, "write the roots among them to this file"),
        .passphraseFile, .force,
      ],
      details: """
        Puts certificate, chain and key from a .p12, or from PEM or DER files, into the configuration's
        files: the leaf first, modes 0644 and 0600, all or none. If the files contain no key, as after
        'tappet cert request', the configuration's key is used if it fits. Asks once for a passphrase,
        without showing it, and before it replaces anything.
        """,
      example: "tappet cert import kiosk.p12",
      body: .plain { (arguments) throws(CommandFailure) in
        let (certificate, key) = try CertificateFiles(arguments).pair()
        guard !Certificates.isBundleName(certificate) else {
          throw .usage(
            "this writes PEM, and \(certificate) has the name of a .p12; set broker.certificate and broker.private_key "
              + "to .pem and .key files")
        }
        let target = CertificateTarget(certificate: certificate, key: key, ca: arguments.value("ca"))
        let identity: ClientIdentity?
        do throws(CertificateProblem) {
          identity = try ClientIdentity.read(arguments.operands) { Prompt.passphrase(of: $0, arguments) }
        } catch {
          // The CA's answer to 'cert request' has no key: that one never left the board.
          guard case .bundleWithoutKey = error, access(key, F_OK) == 0 else { throw .refused(error.promptSentence) }
          identity = nil
        }
        guard let identity else { return try target.writeForKey(arguments) }
        try target.write(identity, arguments, writesKey: true)
      })
  }
}

/// The files that an import writes.
private struct CertificateTarget {
  let certificate: String
  let key: String
  let ca: String?

  /// Writes a certificate for the key that exists and stays as it is.
  func writeForKey(_ arguments: Arguments) throws(CommandFailure) {
    let identity: ClientIdentity
    do throws(CertificateProblem) {
      identity = try ClientIdentity.read(arguments.operands + [key]) { Prompt.passphrase(of: $0, arguments) }
    } catch { throw .refused(error.promptSentence) }
    try write(identity, arguments, writesKey: false)
  }

  func write(_ identity: ClientIdentity, _ arguments: Arguments, writesKey: Bool) throws(CommandFailure) {
    if let ca, identity.authorityPEM() == nil {
      throw .refused("there is no root certificate in these files to write to \(ca)")
    }
    let targets = [certificate] + (writesKey ? [key] : []) + (ca.map { [$0] } ?? [])
    try Prompt.requireReplacement(of: targets, arguments)
    let keyPEM: SecretBytes
    do throws(CertificateProblem) { keyPEM = try identity.keyPEM() } catch { throw .refused(error.sentence) }
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      if writesKey { try files.add(key, keyPEM) }
      try files.add(certificate, identity.certificatePEM(), mode: 0o644)
      if let ca, let pem = identity.authorityPEM() { try files.add(ca, pem, mode: 0o644) }
      try files.commit()
    } catch { throw error.failure }
    report(identity, writesKey: writesKey)
  }

  private func report(_ identity: ClientIdentity, writesKey: Bool) {
    Output.print(identity.details(path: certificate).sentence(at: SystemClock().now().unixSeconds))
    if writesKey { Output.print("\(key): its key (mode 0600)") }
    let roots = identity.rootSubjects.joined(separator: ", ")
    if let ca {
      Output.print("\(ca): " + roots)
    } else if !roots.isEmpty {
      Output.printError("Left out: \(roots), a root; if it is the broker's CA, write it with --ca FILE")
    }
    if !identity.strangers.isEmpty {
      let strangers = identity.strangers.joined(separator: ", ")
      Output.printError("Left out: \(strangers), which the certificate's chain does not need")
    }
  }
}

extension AtomicFilesError {
  var failure: CommandFailure { .failed("\(path) cannot be written: \(error.text); nothing was changed") }
}
