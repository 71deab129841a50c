// tappet init: sets up a working kiosk from nothing. It prompts for settings, tests each answer immediately, writes all
// files at the end, and follows the first tap to the broker. With --yes, options and defaults replace the answers.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform

extension Command {
  // Not named `init`, because that is a keyword.
  static var setUp: Command {
    Command(
      words: "init", section: .setup, summary: "set up a kiosk interactively, up to the first tap",
      options: setUpOptions, abbreviatesOptions: true,
      details: """
        Prompts for broker, certificates, reader, panel, first action and first tag, and tests each answer
        immediately. Only after the last question, it writes a commented kiosk.yaml, its files and the tag, and
        waits until the first tap is delivered. An existing kiosk.yaml provides the defaults, and a copy of it is
        kept as kiosk.yaml.old. Each option answers a question in advance. With the preset or the URL 'none', there is
        no broker, other options about it are ignored, and the first action goes to a room or a web server, or
        with 'none' only to the output of --relay.
        --web prints a code; the browser that types it answers the questions, until the set-up has ended, 30
        minutes at most.
        --answers: the keys are the option names without '--'; set options without a value to true. Paths are
        relative to the file, and an option on the command line replaces its answer. %{board.NAME} stands for
        machine_id, serial, mac, hostname, or a column of this board's row in the CSV file set with 'boards'.
        """,
      example: "tappet init --yes --preset mosquitto --url broker.example --ca ca.pem --certificate kiosk.p12",
      usageError: { usageErrorOfSetUp($0) },
      body: .plain { (arguments) throws(CommandFailure) in
        if arguments.has("web") { return try SetupPage.run(arguments) }
        let arguments = try InitAnswers.added(to: arguments)
        let path = KioskAccess.path(arguments)
        if access(path, F_OK) == 0, arguments.has("yes"), !arguments.has("force") {
          throw .refused("\(path) already exists; use --force to replace it")
        }
        if path == KioskAccess.defaultPath, AtomicFiles.lacksServiceUser {
          Output.printError(
            "tappet init: the user 'tappet' does not exist yet; run 'systemd-sysusers' first, otherwise the service "
              + "cannot read these files")
        }
        try SetupWizard(try KioskFiles.prepare(path), arguments).run()
      })
  }

  private static var setUpOptions: [CommandOption] {
    [
      CommandOption("yes", "do not prompt; use defaults for omitted options"),
      CommandOption("web", "PORT", "prompt in a browser: serve a page for it at PORT, or ADDRESS:PORT"),
      CommandOption("answers", "FILE", .file, "YAML file with the answers by option name; can contain %{board.NAME}"),
      CommandOption(
        "preset", "NAME", .preset, "broker: aws-iot, emqx, hivemq, home-assistant, mosquitto, another or none"),
      CommandOption("url", "HOST|URL", "broker: HOST, HOST:PORT, mqtts://…, mqtt://… or 'none'"),
      CommandOption(
        "send-to", "ROOM|URL", "without a broker: Matrix room or web server of the first action, or 'none'"),
      CommandOption("alpn", "NAME", "ALPN protocol (default for aws-iot on port 443: the preset's)"),
      CommandOption("ca", "FILE|system", .file, "broker's CA certificates, or 'system' for the system's trust store"),
      CommandOption(
        "certificate", "FILE", .file, "client certificate file, 'request' to create a key and a request, or 'none'"),
      CommandOption("private-key", "FILE", .file, "private key of the certificate"),
      CommandOption(
        "passphrase-file", "FILE", .file, "file whose first line is the passphrase of the .p12 or the key"),
      CommandOption("client-id", "NAME", "client id, unique on the broker (default: the certificate's name)"),
      CommandOption("username", "NAME", "user name for the broker, or 'none'"),
      CommandOption("password-file", "FILE", .file, "file whose first line is the user's password"),
      CommandOption(
        "reader", "DEVICE", .word(["find", "any", "none"]),
        "reader: /dev/…, a libnfc connection string, 'find', 'any' or 'none'"),
      CommandOption("profile", "NAME", .profile, "board's header profile; 'virtual' for a panel without hardware"),
      CommandOption("led", "LINE", "line of the status LED"),
      CommandOption("button", "LINE", "line of a button for the first action"),
      CommandOption("relay", "LINE", "line of an output that the first action switches on for a moment, or 'none'"),
      CommandOption("panel-simulator", "SOCKET", .file, "socket of the virtual panel"),
      CommandOption("action", "NAME", "name of the first action (light)"),
      CommandOption("topic", "TOPIC", .topic, "topic of the first action"),
      CommandOption("message", "TEXT", "message of the first action"),
      CommandOption("timestamp-key", "FILE", .file, "file containing the key for %T, or 'new' to create a key"),
      CommandOption("clock-trust", "send %T even if the clock is not synchronized"),
      CommandOption("state", "FOLDER", .folder, "database folder, relative to kiosk.yaml's"),
      CommandOption("write-tag", "write the first tag, with a new secret"),
      CommandOption("share-file", "FILE", .file, "file containing the share code of the phone's tags"),
      CommandOption(
        "tap", "SECONDS", .seconds(1...3600), "time limit for the first tap; requires --write-tag or --share-file"),
      CommandOption("plain-password", "send the password even without TLS (mqtt://)"),
      CommandOption("allow-http", "send to a web server without TLS (http://)"),
      CommandOption("allow-mqtt", "use a broker without TLS (mqtt://)"),
      CommandOption("untested", "write the files even if a test fails"), .force,
    ]
  }

  private static func usageErrorOfSetUp(_ arguments: Arguments) -> String? {
    if let place = arguments.value("web") {
      if arguments.has("yes") { return "--web prompts, and --yes does not: specify one of them" }
      if let mistake = SetupPage.mistake(in: place) { return mistake }
    }
    let wantsTag = arguments.has("write-tag") || arguments.has("tap")
    if wantsTag, arguments.value("reader") == "none" { return "--tap and --write-tag need a reader" }
    if arguments.has("tap"), arguments.has("yes"), !arguments.has("write-tag"), !arguments.has("share-file") {
      return "--tap needs --write-tag or --share-file: without a secret, every tag is refused"
    }
    return nil
  }
}

/// One setup run: the answers so far, and the prompt for the rest.
final class SetupWizard {
  let files: KioskFiles
  var arguments: Arguments
  /// Prompt for answers; `nil` with --yes.
  let prompt: Prompt?
  var preset: BrokerPreset?
  /// Whether the kiosk has no broker.
  var isWithoutBroker = false
  /// Whether the first action sends nothing, and only drives an output.
  var isOutputOnly = false
  /// Whether a reader has responded.
  var hasReader = false
  /// Files that were read as input; overwriting them with the same content loses nothing.
  var sources: [String] = []
  /// Whether a certificate must still be requested.
  var isRequested = false
  /// Answers taken from the existing kiosk.yaml, by option.
  var earlier: [(option: String, answer: String)] = []
  /// The other actions of the existing kiosk.yaml, which have topics.
  var otherActions: [ConfigTemplate.Action] = []
  /// The first secret, which is created or imported after the files are written.
  var firstSecret = FirstSecret.later

  init(_ files: KioskFiles, _ arguments: Arguments) {
    self.files = files
    self.arguments = arguments
    prompt = arguments.has("yes") ? nil : files.prompt
    files.draft.heading = ["Created by 'tappet init'."]
    files.draft.actions = [ConfigTemplate.Action(name: "light", message: "toggle")]
    files.draft.trustsClock = arguments.has("clock-trust")
  }

  func run() throws(CommandFailure) {
    let keys =
      Dialogue.current == nil
      ? " Enter accepts the default in brackets, '<' returns to the previous question, and Ctrl-C cancels without "
        + "changes." : " Nothing is written before the last question."
    inform("This sets up a kiosk in \(files.path)." + keys)
    startFromExistingFile()
    files.prompt.canGoBack = true
    do throws(CommandFailure) { try askAll() } catch {
      if files.prompt.isOver { Output.printError("Stopped; nothing was written.") }
      throw error
    }
    files.prompt.canGoBack = false
    try provision()
    informAboutPage()
  }

  /// The questions in order; each uses its previous answer as the default, and does nothing if an option or an earlier
  /// answer makes it unnecessary.
  private var questions: [() throws(CommandFailure) -> Void] {
    [
      askPreset, askURL, askAuthority, askCertificate, askClientID, askUsername, askPassword, tryBroker, askReader,
      askProfile, askLED, askButton, askRelay, askAction, askTopic, askMessage, askState, askFirstTag, askShareCode,
      write,
    ]
  }

  private func askAll() throws(CommandFailure) {
    let questions = questions
    var asked: [Int] = []
    var next = 0
    while next < questions.count {
      let count = files.prompt.questionCount
      do throws(CommandFailure) { try questions[next]() } catch {
        guard files.prompt.isGoingBack, files.prompt.questionCount > count else { throw error }
        if asked.isEmpty { inform("  This is the first question.") }
        next = asked.popLast() ?? next
        continue
      }
      if files.prompt.questionCount > count { asked.append(next) }
      next += 1
    }
  }

  /// Prints a line in interactive mode.
  func inform(_ text: String) { if prompt != nil { Output.inform(text) } }

  /// Prints a line that a browser does not need, because it shows choices.
  func list(_ text: String) { if Dialogue.current == nil { inform(text) } }

  /// Prints a heading.
  func start(_ title: String) { inform("\n" + title) }

  /// Resolves one setting: from its option, otherwise by prompting, until `accept` returns no error.
  ///
  /// `accept` returns an error message or `nil`. With --yes, the default replaces a missing answer.
  func resolve(
    _ option: String, _ question: String, default usual: String?, _ choices: Choices? = nil,
    _ accept: (String) throws(CommandFailure) -> String?
  ) throws(CommandFailure) {
    let usual = earlier.last { $0.option == option }?.answer ?? usual
    while true {
      let answer: String
      if let value = arguments.value(option) {
        answer = value
      } else if let prompt {
        guard let typed = prompt.ask(question, default: usual, choices) else { throw .reported(.refused) }
        answer = typed
      } else if let usual {
        answer = usual
      } else {
        throw .usage("--\(option) is missing")
      }
      let (draft, count) = (files.draft, files.prompt.questionCount)
      var mistake: String?
      do throws(CommandFailure) { mistake = try accept(answer) } catch {
        guard files.prompt.isGoingBack else { throw error }
      }
      if files.prompt.isOver { throw .reported(.refused) }
      // `<` at a question about this answer returns to this question.
      if !(files.prompt.isGoingBack && files.prompt.questionCount > count) {
        guard let mistake else {
          // When the question is repeated, this answer is the default.
          earlier.append((option, answer))
          return
        }
        guard prompt != nil else { throw .refused("--\(option): " + mistake) }
        Output.printError("  " + mistake)
      }
      files.draft = draft
      arguments = arguments.without([option])
    }
  }
}
