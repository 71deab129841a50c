// tappet init: from nothing to a kiosk that works. It asks, tries each answer where it is given, writes everything at the end, and
// sees the first tap through. With --yes it takes options and defaults in place of answers.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum InitCommand {
  private static let valued: [StaticString] = [
    "preset", "url", "alpn", "ca", "certificate", "private-key", "passphrase-file", "client-id", "reader", "profile",
    "panel-simulator", "led", "button", "action", "topic", "message", "timestamp-key", "state", "share-file", "tap",
  ]

  static func run(_ words: [String]) -> ExitStatus {
    var options: [CommandOption] = [.config, .force, CommandOption(name: "yes"), CommandOption(name: "untested")]
    options.append(CommandOption(name: "clock-trust"))
    options.append(CommandOption(name: "write-tag"))
    for name in valued { options.append(CommandOption(name: name, takesValue: true)) }
    switch Arguments.parse(words, command: "init", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      let path = arguments.value("config") ?? Settings.defaultPath
      if access(path, F_OK) == 0, arguments.has("yes"), !arguments.has("force") {
        Output.complain("tappet init: \(path) is there already; say by --force that it is to be replaced")
        return .refused
      }
      if let mistake = mistake(arguments) {
        Output.complain("tappet init: " + mistake)
        return .usage
      }
      if path == Settings.defaultPath, FileSet.lacksServiceUser {
        Output.complain(
          "tappet init: there is no user 'tappet' yet; run 'systemd-sysusers' first, or the service cannot read what is written here"
        )
      }
      guard let files = KioskFiles(path: path, command: "init") else { return .failure }
      return Setup(files, arguments).run()
    }
  }

  /// What is wrong with the options that are about the first tap.
  private static func mistake(_ arguments: Arguments) -> String? {
    let wantsTag = arguments.has("write-tag") || arguments.has("tap")
    if wantsTag, arguments.value("reader") == "none" { return "--tap and --write-tag need a reader" }
    guard let text = arguments.value("tap") else { return nil }
    guard let seconds = Int64(decimal: text.utf8), (1...3600).contains(seconds) else {
      return "--tap takes seconds, 1 to 3600, not '\(text)'"
    }
    if arguments.has("yes"), !arguments.has("write-tag"), arguments.value("share-file") == nil {
      return "--tap needs --write-tag or --share-file: without a secret every tag is refused"
    }
    return nil
  }
}

/// One setting up: what is known so far, and whom to ask for the rest.
final class Setup {
  /// How a step ended.
  enum Step {
    case done
    /// There is no going on; it has been complained of.
    case stop(ExitStatus)
  }

  let files: KioskFiles
  var arguments: Arguments
  /// Nil with --yes.
  let interview: Interview?
  var preset: BrokerPreset?
  /// A reader answered.
  var hasReader = false
  /// Files that were read: to write them anew replaces nothing that anybody would miss.
  var sources: [String] = []
  /// A certificate is to be asked for.
  var isRequested = false

  init(_ files: KioskFiles, _ arguments: Arguments) {
    self.files = files
    self.arguments = arguments
    interview = arguments.has("yes") ? nil : files.interview
    files.draft.heading = ["Made by 'tappet init'."]
    // So that the configuration can be tried before the last question.
    files.draft.actions = [KioskDraft.Action(name: "light", topic: "home/light/set", message: "toggle")]
    files.draft.trustsClock = arguments.has("clock-trust")
  }

  func run() -> ExitStatus {
    say(
      "This sets up a kiosk in \(files.path). Enter takes what stands in brackets; Ctrl-C leaves everything as it was.")
    for step in [askBroker, askIdentity, tryBroker, askReader, askPanel, askAction, askState, write] {
      if case .stop(let status) = step() {
        if files.interview.isOver { Output.complain("Stopped; nothing was written.") }
        return status
      }
    }
    return provision()
  }

  func say(_ text: String) { if interview != nil { Output.complain(text) } }

  /// A heading between the steps.
  func begin(_ title: String) { say("\n" + title) }

  /// Settles one thing: by its option, else by asking, until `accept` finds nothing wrong with it.
  ///
  /// `accept` answers with a sentence on what is wrong. With --yes a missing answer is `usual`.
  func settle(
    _ option: String, _ question: String, usual: String?, _ accept: (String) -> String?
  ) -> Step {
    var given = arguments.value(option)
    while true {
      let answer: String
      if let value = given {
        answer = value
      } else if let interview {
        guard let typed = interview.ask(question, usual: usual) else { return .stop(.refused) }
        answer = typed
      } else if let usual {
        answer = usual
      } else {
        Output.complain("tappet init: --\(option) is needed")
        return .stop(.usage)
      }
      guard let wrong = accept(answer) else { return .done }
      if files.interview.wasInterrupted() { return .stop(.refused) }
      // The answer is not at fault, and nothing can be written down.
      if files.trialStatus == .failure { return .stop(.failure) }
      guard interview != nil else {
        Output.complain("tappet init: --\(option): " + wrong)
        return .stop(.refused)
      }
      Output.complain("  " + wrong)
      given = nil
    }
  }

  /// Whether to go on though something did not work: asked, or said by --untested.
  func goesOn(_ what: String) -> Bool {
    if arguments.has("untested") { return true }
    return interview?.confirm("Go on without \(what)?", usual: false) ?? false
  }
}
