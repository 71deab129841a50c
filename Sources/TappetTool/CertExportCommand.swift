// tappet cert export: the configuration's certificate, chain and key as one .p12.

import TappetCore
import TappetDevices
import TappetRuntime

enum CertExportCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, .certificate, .privateKey, .passphraseFile, CommandOption(name: "no-passphrase"), .force,
    ]
    switch Arguments.parse(words, command: "cert export", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let path = arguments.operands.first else {
        Output.complain("tappet cert export: say into which file")
        return .usage
      }
      guard let source = CertFiles.pair(arguments, command: "cert export") else { return .usage }
      return export(to: path, [source.certificate, source.key], name: source.clientID, arguments)
    }
  }

  private static func export(to path: String, _ sources: [String], name: String?, _ arguments: Arguments) -> ExitStatus
  {
    do throws(CertificateProblem) {
      let identity = try ClientIdentity.read(sources) { _ in nil }
      guard Replacing.isAllowed([path], arguments, command: "cert export") else { return .refused }
      guard let passphrase = passphrase(for: path, arguments) else { return .usage }
      let bytes = try identity.bundle(passphrase, name: name ?? identity.commonName ?? "tappet")
      do throws(FileSetError) {
        let files = FileSet()
        try files.add(path, bytes, mode: 0o600)
        try files.commit()
      } catch {
        Output.complain("tappet cert export: \(error.path) cannot be written: \(error.error.text)")
        return .failure
      }
      Output.print(identity.details(path: path).sentence(at: SystemClock().now().unixSeconds) + " (mode 0600)")
      return .success
    } catch {
      Output.complain("tappet cert export: " + error.sentence)
      return .refused
    }
  }

  private static func passphrase(for path: String, _ arguments: Arguments) -> SecretText? {
    var none: [UInt8] = []
    if arguments.has("no-passphrase") {
      guard arguments.value("passphrase-file") == nil else {
        Output.complain("tappet cert export: --no-passphrase and --passphrase-file contradict each other; give one")
        return nil
      }
      return SecretText.taking(&none)
    }
    guard let passphrase = PassphraseSource(arguments).askNew(path) else {
      Output.complain(
        "tappet cert export: a passphrase is needed: run this on a terminal, or give --passphrase-file or --no-passphrase"
      )
      return nil
    }
    guard passphrase.count > 0, !passphrase.hasNUL else {
      Output.complain(
        "tappet cert export: the passphrase must not be empty or hold NUL; --no-passphrase makes a file without")
      return nil
    }
    return passphrase
  }
}
