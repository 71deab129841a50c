// tappet cert check: certificate and key files looked at together, whatever their form.

import TappetCore
import TappetDevices
import TappetRuntime

enum CertCheckCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, .json, CommandOption(name: "host", takesValue: true), .passphraseFile,
    ]
    switch Arguments.parse(words, command: "cert check", options: options, operandsMax: 64) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      var paths = arguments.operands
      if paths.isEmpty {
        guard let files = CertFiles.named(arguments) else { return .usage }
        paths = files
      }
      return check(paths, arguments)
    }
  }

  private static func check(_ paths: [String], _ arguments: Arguments) -> ExitStatus {
    let passphrase = PassphraseSource(arguments)
    let report = CertificatesReport(paths, host: arguments.value("host")) { passphrase.ask($0) }
    let now = SystemClock().now().unixSeconds
    var isGood = true
    for finding in report.findings where !finding.isGood(at: now) { isGood = false }
    if arguments.has("json") {
      Output.print(.array(report.findings.map { $0.json(at: now) }))
    } else {
      for finding in report.findings {
        var text = finding.sentence(at: now)
        if case .problem(let problem) = finding.remark { text = PassphraseSource.sentence(for: problem) }
        Output.print((finding.isGood(at: now) ? "ok    " : "FAIL  ") + text)
      }
    }
    return isGood ? .success : .refused
  }
}

/// The files that a command is about.
enum CertFiles {
  /// Those of the configuration, each once; nil after a complaint.
  static func named(_ arguments: Arguments) -> [String]? {
    let path = arguments.value("config") ?? Settings.defaultPath
    guard let files = ConfigFile.brokerFiles(path: path) else {
      Output.complain("tappet cert check: name the files; there is no broker's part in \(path) that would")
      return nil
    }
    var paths: [String] = []
    for path in [files.certificate, files.privateKey, files.ca] {
      if let path, !paths.contains(path) { paths.append(path) }
    }
    guard !paths.isEmpty else {
      Output.complain("tappet cert check: name the files; \(path) names none")
      return nil
    }
    return paths
  }

  /// Where certificate and key are, by options, else by the configuration; nil after a complaint.
  static func pair(_ arguments: Arguments, command: String) -> (certificate: String, key: String, clientID: String?)? {
    let path = arguments.value("config") ?? Settings.defaultPath
    let files = ConfigFile.brokerFiles(path: path)
    guard let certificate = arguments.value("certificate") ?? files?.certificate,
      let key = arguments.value("private-key") ?? files?.privateKey
    else {
      Output.complain(
        "tappet \(command): \(path) does not name 'certificate' and 'private_key' in 'broker'; name the files by --certificate and --private-key"
      )
      return nil
    }
    return (certificate, key, files?.clientID)
  }
}

extension CommandOption {
  static let passphraseFile = CommandOption(name: "passphrase-file", takesValue: true)
  static let certificate = CommandOption(name: "certificate", takesValue: true)
  static let privateKey = CommandOption(name: "private-key", takesValue: true)
  static let force = CommandOption(name: "force")
}
