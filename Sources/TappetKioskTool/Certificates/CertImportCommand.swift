// tappet cert import: imports certificate, chain and key from a .p12 or other files into the configured files.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetTLS

extension Command {
  static var certImport: Command {
    Command(
      words: "cert import", section: .certificates, summary: "install a certificate and its key",
      operands: [Operand("FILE", .file, .oneOrMore)],
      options: [
        .certificate, .privateKey,
        CommandOption("ca", "FILE", .file, "write the root certificates from the input files to this file"),
        .passphraseFile, .force,
      ],
      details: """
        Copies the certificate, its chain and the key from a .p12 file, or from PEM or DER files, to the files
        specified in the configuration, leaf first, with modes 0644 and 0600. Either all files are written or
        none. If the input files contain no key, as after 'tappet cert request', the configuration's key is used
        if it matches. An expired certificate is refused. Certificates that the chain does not need are listed
        and left out; --ca writes any root certificates among the input files' certificates to a file. Prompts
        once for a passphrase, without echo, and for confirmation before replacing files.
        """,
      example: "tappet cert import kiosk.p12",
      body: .plain { (arguments) throws(CommandFailure) in
        let (certificate, key) = try CertificateFiles(arguments).pair()
        guard !Certificates.isBundleName(certificate) else {
          throw .usage(
            "this command writes PEM, but \(certificate) has the name of a .p12 file; set broker.certificate and "
              + "broker.private_key to .pem and .key files")
        }
        try Prompt.requirePassphraseFile(arguments)
        let target = CertificateTarget(certificate: certificate, key: key, ca: arguments.value("ca"))
        let identity: ClientIdentity?
        do throws(CertificateProblem) {
          identity = try ClientIdentity.read(arguments.operands) { Prompt.passphrase(of: $0, arguments) }
        } catch {
          // The CA's response to 'cert request' does not contain the key, which never left the board.
          guard case .bundleWithoutKey = error, access(key, F_OK) == 0 else { throw .refused(error.promptSentence) }
          identity = nil
        }
        guard let identity else { return try target.writeForKey(arguments) }
        try target.write(identity, arguments, writesKey: true)
      })
  }
}
