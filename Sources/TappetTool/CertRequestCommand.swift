// tappet cert request: a key that never leaves the board, and the request for its certificate.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum CertRequestCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, .privateKey, CommandOption(name: "name", takesValue: true), CommandOption(name: "dns", takesValue: true),
      CommandOption(name: "out", takesValue: true), .force,
    ]
    switch Arguments.parse(words, command: "cert request", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      let path = arguments.value("config") ?? Settings.defaultPath
      let files = ConfigFile.brokerFiles(path: path)
      guard let key = arguments.value("private-key") ?? files?.privateKey else {
        Output.complain(
          "tappet cert request: \(path) does not name 'private_key' in 'broker'; say by --private-key where the key is to be"
        )
        return .usage
      }
      guard let name = arguments.value("name") ?? files?.clientID else {
        Output.complain("tappet cert request: say by --name for whom: the client id, which brokers compare it with")
        return .usage
      }
      return request(key: key, name: name, out: arguments.value("out"), arguments)
    }
  }

  /// Makes the key where it is missing, and the request into `out`, or as data.
  static func request(key path: String, name: String, out: String?, _ arguments: Arguments) -> ExitStatus {
    guard (1...64).contains(name.utf8.count) else {
      // X.520's ub-common-name.
      Output.complain("tappet cert request: a common name has 1 to 64 bytes; '\(name)' has \(name.utf8.count)")
      return .usage
    }
    let names = dnsNames(name, arguments.value("dns"))
    if let bad = names.first(where: { !CertificateRequest.isDNSName($0) }) {
      Output.complain("tappet cert request: '\(bad)' is no DNS name")
      return .usage
    }
    if let out, !Replacing.isAllowed([out], arguments, command: "cert request") { return .refused }
    // A key that is there already is never replaced: the certificate in use would lose it.
    let isThere = access(path, F_OK) == 0
    let pem: [UInt8]
    var key: SecretText?
    do throws(CertificateProblem) {
      if isThere {
        pem = try CertificateRequest.make(keyFile: path, commonName: name, dnsNames: names)
      } else {
        let made = try CertificateRequest.makeKey()
        pem = try CertificateRequest.make(key: made, keyName: path, commonName: name, dnsNames: names)
        key = made
      }
    } catch {
      Output.complain("tappet cert request: \(error.sentence)")
      return .refused
    }
    do throws(FileSetError) {
      let files = FileSet()
      if let key { try files.add(path, key) }
      if let out { try files.add(out, pem, mode: 0o644) }
      try files.commit()
    } catch {
      Output.complain("tappet cert request: \(error.path) cannot be written: \(error.error.text); nothing was changed")
      return .failure
    }
    Output.complain(
      isThere
        ? "\(path) is there already, and the request is for it; for a new key name another file by --private-key"
        : "\(path): a new P-256 key (mode 0600)")
    if let out {
      Output.complain("\(out): the request for \(name); send it to your CA, then 'tappet cert import' what comes back")
    } else {
      Output.write(String(decoding: pem, as: UTF8.self))
    }
    return .success
  }

  /// The client id where it can stand as one, and those asked for.
  private static func dnsNames(_ name: String, _ more: String?) -> [String] {
    var names = CertificateRequest.isDNSName(name) ? [name] : []
    for part in (more ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let text = String(decoding: part, as: UTF8.self)
      if !names.contains(text) { names.append(text) }
    }
    return names
  }
}
