// The files that `tappet cert` works with.

import TappetCommandLine
import TappetConfig

/// The certificate files named in the configuration, even if other parts of it are invalid.
struct CertificateFiles {
  private let path: String
  private let files: BrokerFiles?
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
    path = KioskAccess.path(arguments)
    files = ConfigurationParser.brokerFiles(path: path)
  }

  var clientID: String? { files?.clientID }

  /// The broker's CA certificates.
  var ca: String? { files?.ca }

  /// Whether the configuration names this file as the kiosk's certificate.
  func isConfigured(_ certificate: String) -> Bool { files?.certificate == certificate }

  var privateKey: String? { arguments.value("private-key") ?? files?.privateKey }

  /// Returns every file that the configuration names, without duplicates.
  func all() throws(CommandFailure) -> [String] {
    guard let files else { throw .usage("specify the files; \(path) has no 'broker' section with files") }
    var paths: [String] = []
    for path in [files.certificate, files.privateKey, files.ca] {
      if let path, !paths.contains(path) { paths.append(path) }
    }
    guard !paths.isEmpty else { throw .usage("specify the files; \(path) names none") }
    return paths
  }

  /// Returns the paths of certificate and key.
  func pair() throws(CommandFailure) -> (certificate: String, key: String) {
    guard let certificate = arguments.value("certificate") ?? files?.certificate, let privateKey else {
      throw .usage(
        "\(path) does not name 'certificate' and 'private_key' in 'broker'; specify the files with --certificate and "
          + "--private-key")
    }
    try requireWritable(certificate, "certificate")
    try requireWritable(privateKey, "private-key")
    return (certificate, privateKey)
  }

  /// Returns the path of the key, which may not exist yet.
  func keyPath() throws(CommandFailure) -> String {
    guard let privateKey else {
      throw .usage("\(path) does not name 'private_key' in 'broker'; specify the key's path with --private-key")
    }
    try requireWritable(privateKey, "private-key")
    return privateKey
  }

  private func requireWritable(_ file: String, _ option: String) throws(CommandFailure) {
    if arguments.value(option) == nil { try KioskAccess.requireWritable(file, namedBy: path, orGiven: option) }
  }
}
