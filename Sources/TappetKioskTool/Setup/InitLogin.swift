// tappet init: the broker user name and password. The password is typed without echo or read from a file; it is never
// passed on the command line, which every user of the machine can read.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform

extension SetupWizard {
  func askUsername() throws(CommandFailure) {
    if isWithoutBroker { return }
    let choices = Choices("Does the broker want a user name?", [("none", "No")], other: "User name")
    try resolve("username", "User name for the broker (or 'none')", default: "none", choices) {
      (answer) throws(CommandFailure) in
      files.draft.username = nil
      if answer == "none" || answer.isEmpty { return nil }
      guard answer.utf8.count <= Limits.usernameSizeMax else {
        return "a user name must be at most \(Limits.usernameSizeMax) bytes long"
      }
      files.draft.username = answer
      if usesTLS || allowsPlainPassword { return nil }
      return prompt == nil
        ? "without TLS, \(Self.passwordRisk); use mqtts://, or add --plain-password"
        : "use mqtts://, or an account without a password"
    }
  }

  private static var passwordRisk: String { "everyone on the network can read the password" }

  /// Whether the password may be sent without TLS; prompts for consent.
  private var allowsPlainPassword: Bool {
    arguments.has("plain-password")
      || prompt?.confirm("  Without TLS, \(Self.passwordRisk). Send it anyway?", default: false) == true
  }

  func askPassword() throws(CommandFailure) {
    files.password = nil
    guard !isWithoutBroker, let username = files.draft.username else { return }
    files.password = try password(of: username)
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
