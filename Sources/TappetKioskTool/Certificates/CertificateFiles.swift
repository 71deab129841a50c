// The certificate files that `tappet cert` uses.

import TappetCommandLine
import TappetConfig

/// The certificate files specified in the configuration, even if other parts of the configuration are invalid.
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

  /// Whether the configuration specifies this file as the kiosk's certificate.
  func isConfigured(_ certificate: String) -> Bool { files?.certificate == certificate }

  var privateKey: String? { arguments.value("private-key") ?? files?.privateKey }

  /// Returns all files that the configuration specifies, without duplicates.
  func all() throws(CommandFailure) -> [String] {
    guard let files else { throw .usage("specify the files; \(path) contains no 'broker' section that specifies any") }
    var paths: [String] = []
    for path in [files.certificate, files.privateKey, files.ca] {
      if let path, !paths.contains(path) { paths.append(path) }
    }
    guard !paths.isEmpty else { throw .usage("specify the files; \(path) specifies none") }
    return paths
  }

  /// Returns the paths of the certificate and its key.
  func pair() throws(CommandFailure) -> (certificate: String, key: String) {
    guard let certificate = arguments.value("certificate") ?? files?.certificate, let privateKey else {
      throw .usage(
        "\(path) does not set 'certificate' and 'private_key' in 'broker'; specify the files with --certificate and "
          + "--private-key")
    }
    try requireWritable(certificate, "certificate")
    try requireWritable(privateKey, "private-key")
    return (certificate, privateKey)
  }

  /// Returns the path of the key, which may not exist yet.
  func keyPath() throws(CommandFailure) -> String {
    guard let privateKey else {
      throw .usage("\(path) does not set 'private_key' in 'broker'; specify the key's path with --private-key")
    }
    try requireWritable(privateKey, "private-key")
    return privateKey
  }

  private func requireWritable(_ file: String, _ option: String) throws(CommandFailure) {
    if arguments.value(option) == nil { try KioskAccess.requireWritable(file, namedBy: path, orGiven: option) }
  }
}
