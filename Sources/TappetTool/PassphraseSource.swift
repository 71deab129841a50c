// The passphrases of certificates and keys that others made.

import TappetCore
import TappetDevices

/// Where a passphrase comes from: `--passphrase-file`, else the terminal.
struct PassphraseSource {
  /// Its first line.
  var file: String?

  init(_ arguments: Arguments) { file = arguments.value("passphrase-file") }

  /// The passphrase of `path`; nil: nobody can be asked, which has been complained of where it has a reason of its own.
  func ask(_ path: String) -> SecretText? {
    if let file { return read(file) }
    guard Interview.isPossible else { return nil }
    return Interview().secret("Passphrase of \(path)")
  }

  /// A passphrase for something new: typed twice.
  func askNew(_ path: String) -> SecretText? {
    if let file { return read(file) }
    guard Interview.isPossible else { return nil }
    let interview = Interview()
    while let first = interview.secret("New passphrase for \(path)"), let second = interview.secret("Once more") {
      if first.isEqual(to: second), first.count > 0 { return first }
      Output.complain(first.count == 0 ? "  It must not be empty." : "  The two are not the same; again.")
    }
    return nil
  }

  private func read(_ path: String) -> SecretText? {
    do throws(SecretRefusal) {
      var line = try QuietInput.privateLine(path: path == "-" ? nil : path, prompt: "Passphrase: ", what: "passphrase")
      return SecretText.taking(&line)
    } catch {
      Output.complain("tappet: \(error.sentence)")
      return nil
    }
  }

  /// What to say of a file whose passphrase nobody gave.
  static func sentence(for problem: CertificateProblem) -> String {
    switch problem {
    case .keyEncrypted(let path), .bundleEncrypted(let path):
      "\(path) has a passphrase: run this on a terminal, or give --passphrase-file"
    default: problem.sentence
    }
  }
}
