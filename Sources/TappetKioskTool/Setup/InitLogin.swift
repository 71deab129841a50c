// tappet init: the broker user name and password. The password is typed without echo or read from a file; it is never
// passed on the command line, which every user of the machine can read.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform

extension SetupWizard {
  func askLogin() throws(CommandFailure) {
    files.draft.username = nil
    files.password = nil
    try resolve("username", "User name for the broker (or 'none')", default: "none") { answer in
      if answer == "none" || answer.isEmpty { return nil }
      guard answer.utf8.count <= Limits.usernameSizeMax else {
        return "a user name must be at most \(Limits.usernameSizeMax) bytes long"
      }
      files.draft.username = answer
      return nil
    }
    guard let username = files.draft.username else { return }
    if BrokerEndpoint(url: files.draft.url)?.usesTLS != true { try requirePlainPassword() }
    files.password = try password(of: username)
  }

  /// Requires consent to send the password without TLS.
  private func requirePlainPassword() throws(CommandFailure) {
    let fact = "without TLS, everyone on the network can read the password"
    if arguments.has("plain-password") { return }
    guard let prompt else { throw .refused("--username: \(fact): use mqtts://, or add --plain-password") }
    guard let isAllowed = prompt.confirm("  Send it, although \(fact)?", default: false) else {
      throw .reported(.refused)
    }
    if !isAllowed { throw .refused("not done: use mqtts://, or an account without a password") }
  }

  private func password(of username: String) throws(CommandFailure) -> SecretBytes {
    let kept = files.folder + "/" + ConfigTemplate.password
    if let path = arguments.value("password-file") { return try line(of: path) }
    let canKeep = access(kept, R_OK) == 0
    guard let prompt else {
      if canKeep { return try line(of: kept) }
      throw .usage("--password-file is missing")
    }
    while true {
      let question = "Password for \(username) (not shown\(canKeep ? "; Enter keeps the existing one" : ""))"
      guard let typed = prompt.secret(question) else { throw .reported(.refused) }
      if typed.count > 0 { return typed }
      if canKeep { return try line(of: kept) }
      Output.printError("  a password is required")
    }
  }

  private func line(of path: String) throws(CommandFailure) -> SecretBytes {
    let line = try Prompt.privateLine(from: path, question: "", what: "password")
    guard line.count > 0 else { throw .refused("\(path) contains no password in its first line") }
    sources.append(path)
    return line
  }
}
