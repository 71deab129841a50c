// tappet cert import: certificate, chain and key out of a .p12 or whatever there is, into the files that the configuration names.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum CertImportCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, .certificate, .privateKey, CommandOption(name: "ca", takesValue: true), .passphraseFile, .force,
    ]
    switch Arguments.parse(words, command: "cert import", options: options, operandsMax: 16) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard !arguments.operands.isEmpty else {
        Output.complain("tappet cert import: say from which file; a .p12 has all in one")
        return .usage
      }
      guard let target = CertFiles.pair(arguments, command: "cert import") else { return .usage }
      if Certificates.isBundleName(target.certificate) {
        Output.complain(
          "tappet cert import: PEM is written, and \(target.certificate) is named like a .p12; set broker.certificate and broker.private_key to .pem and .key files"
        )
        return .usage
      }
      return take(arguments, certificate: target.certificate, key: target.key)
    }
  }

  private static func take(_ arguments: Arguments, certificate: String, key: String) -> ExitStatus {
    let passphrase = PassphraseSource(arguments)
    do throws(CertificateProblem) {
      return try write(
        ClientIdentity.read(arguments.operands) { passphrase.ask($0) }, arguments, certificate: certificate, key: key)
    } catch {
      // What comes back from a CA after 'cert request' has no key: that one never left the board.
      if case .bundleWithoutKey = error, access(key, F_OK) == 0 {
        return takeForKey(arguments, passphrase, certificate: certificate, key: key)
      }
      Output.complain("tappet cert import: " + PassphraseSource.sentence(for: error))
      return .refused
    }
  }

  /// A certificate for the key that is there, and stays as it is.
  private static func takeForKey(
    _ arguments: Arguments, _ passphrase: PassphraseSource, certificate: String, key: String
  ) -> ExitStatus {
    do throws(CertificateProblem) {
      let identity = try ClientIdentity.read(arguments.operands + [key]) { passphrase.ask($0) }
      return try write(identity, arguments, certificate: certificate, key: nil)
    } catch {
      Output.complain("tappet cert import: " + PassphraseSource.sentence(for: error))
      return .refused
    }
  }

  /// `key`: where its key is to be; nil: it is there.
  private static func write(
    _ identity: ClientIdentity, _ arguments: Arguments, certificate: String, key: String?
  ) throws(CertificateProblem) -> ExitStatus {
    var targets = [certificate]
    if let key { targets.append(key) }
    let ca = arguments.value("ca")
    if let ca {
      guard identity.authorityPEM() != nil else {
        Output.complain("tappet cert import: there is no root certificate in these files that \(ca) could be made of")
        return .refused
      }
      targets.append(ca)
    }
    guard Replacing.isAllowed(targets, arguments, command: "cert import") else { return .refused }
    let keyPEM = try identity.keyPEM()
    do throws(FileSetError) {
      let files = FileSet(isForService: true)
      if let key { try files.add(key, keyPEM) }
      try files.add(certificate, identity.certificatePEM(), mode: 0o644)
      if let ca, let pem = identity.authorityPEM() { try files.add(ca, pem, mode: 0o644) }
      try files.commit()
    } catch {
      Output.complain("tappet cert import: \(error.path) cannot be written: \(error.error.text); nothing was changed")
      return .failure
    }
    let details = identity.details(path: certificate)
    Output.print(details.sentence(at: SystemClock().now().unixSeconds))
    if let key { Output.print("\(key): its key (mode 0600)") }
    if let ca { Output.print("\(ca): " + identity.rootSubjects.joined(separator: ", ")) }
    if ca == nil, !identity.rootSubjects.isEmpty {
      Output.complain(
        "Left out: " + identity.rootSubjects.joined(separator: ", ")
          + ", a root; if it is the broker's CA, write it with --ca FILE")
    }
    if !identity.strangers.isEmpty {
      Output.complain(
        "Left out: " + identity.strangers.joined(separator: ", ") + ", which the certificate's chain does not need")
    }
    return .success
  }
}

/// Files are replaced only when it is meant.
enum Replacing {
  static func isAllowed(_ paths: [String], _ arguments: Arguments, command: String) -> Bool {
    let present = paths.filter { access($0, F_OK) == 0 }
    if present.isEmpty || arguments.has("force") { return true }
    let list = present.joined(separator: ", ")
    guard Interview.isPossible else {
      Output.complain("tappet \(command): \(list) would be replaced; say so by --force")
      return false
    }
    if Interview().confirm("Replace \(list)?", usual: false) == true { return true }
    Output.complain("Nothing was changed.")
    return false
  }
}
