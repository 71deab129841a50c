// The files that 'tappet cert import' and 'cert enrol' write: all of them, or none.

import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS

/// The files for a certificate, its key and, if requested, its roots.
struct CertificateTarget {
  let certificate: String
  let key: String
  let ca: String?

  /// Writes a certificate for the existing key, which is not changed.
  func writeForKey(_ arguments: Arguments) throws(CommandFailure) {
    try Prompt.requirePassphraseFile(arguments)
    let identity: ClientIdentity
    do throws(CertificateProblem) {
      identity = try ClientIdentity.read(arguments.operands + [key]) { Prompt.passphrase(of: $0, arguments) }
    } catch { throw .refused(error.promptSentence) }
    try write(identity, arguments, writesKey: false)
  }

  func write(_ identity: ClientIdentity, _ arguments: Arguments, writesKey: Bool) throws(CommandFailure) {
    let details = identity.details(path: arguments.operands[0])
    let now = SystemClock().now().unixSeconds
    // One that is not valid yet is accepted, because the board's clock may not have been set.
    if details.daysLeft(atUnixSeconds: now) < 0 { throw .refused(details.sentence(at: now) + "; nothing was changed") }
    if let ca, identity.authorityPEM() == nil {
      throw .refused("these files contain no root certificate to write to \(ca)")
    }
    try Prompt.requireReplacement(of: [certificate] + (writesKey ? [key] : []) + (ca.map { [$0] } ?? []), arguments)
    let files = try draft(identity, writesKey: writesKey)
    do throws(AtomicFilesError) { try files.commit() } catch { throw error.failure }
    report(identity, writesKey: writesKey, rootsOption: "--ca")
  }

  /// Writes the files next to their destinations; existing files are not replaced until `commit` is called.
  func draft(_ identity: ClientIdentity, writesKey: Bool) throws(CommandFailure) -> AtomicFiles {
    let keyPEM: SecretBytes
    do throws(CertificateProblem) { keyPEM = try identity.keyPEM() } catch { throw .refused(error.sentence) }
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      if writesKey { try files.add(key, keyPEM) }
      try files.add(certificate, identity.certificatePEM(), mode: 0o644)
      if let ca, let pem = identity.authorityPEM() { try files.add(ca, pem, mode: 0o644) }
      return files
    } catch { throw error.failure }
  }

  /// Lists the files written; `rootsOption` is the option that would also write the root certificates.
  func report(_ identity: ClientIdentity, writesKey: Bool, rootsOption: String) {
    Output.print(identity.details(path: certificate).sentence(at: SystemClock().now().unixSeconds))
    if writesKey { Output.print("\(key): the certificate's key (mode 0600)") }
    let roots = identity.rootSubjects.joined(separator: ", ")
    if let ca {
      Output.print("\(ca): " + roots)
    } else if !roots.isEmpty {
      Output.printError(
        "Left out: \(roots), a root certificate; if it is the broker's CA, write it with \(rootsOption) FILE")
    }
    if !identity.strangers.isEmpty {
      let strangers = identity.strangers.joined(separator: ", ")
      Output.printError("Left out: \(strangers), which the certificate's chain does not need")
    }
  }
}
