// tappet init: sets up a working kiosk from nothing. It prompts for settings, tests each answer immediately, writes all
// files at the end, and follows the first tap to the broker. With --yes, options and defaults replace the answers.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform

extension Command {
  // `init` is a keyword.
  static var setUp: Command {
    Command(
      words: "init", section: .setup, summary: "set up a kiosk: ask for everything, and follow the first tap",
      options: [
        CommandOption("yes", "ask nothing; what is not given has its default"),
        CommandOption("answers", "FILE", .file, "answers by option, in YAML, with facts about the board"),
        CommandOption("preset", "NAME", .preset, "aws-iot, emqx, hivemq, home-assistant, mosquitto, another"),
        CommandOption("url", "HOST|URL", "HOST, HOST:PORT, mqtts://… or mqtt://…"),
        CommandOption("alpn", "NAME", "protocol for the TLS handshake; aws-iot on port 443 has its own"),
        CommandOption("ca", "FILE|system", .file, "the broker's CA certificates, or the system's trust store"),
        CommandOption(
          "certificate", "FILE", .file, "a .p12, PEM or DER file; 'request' makes a key and a request; 'none'"),
        CommandOption("private-key", "FILE", .file, "the certificate's key"),
        CommandOption("passphrase-file", "FILE", .file, "its first line opens the .p12 or the key"),
        CommandOption("client-id", "NAME", "unique at the broker (the certificate's name)"),
        CommandOption("username", "NAME", "the user name at the broker; 'none'"),
        CommandOption("password-file", "FILE", .file, "its first line is the user's password"),
        CommandOption(
          "reader", "DEVICE", .word(["find", "any", "none"]),
          "/dev/…, libnfc's connection string, 'find', 'any', 'none'"),
        CommandOption("profile", "NAME", .profile, "the board's header; 'virtual' for a panel without hardware"),
        CommandOption("led", "LINE", "the status LED's line"),
        CommandOption("button", "LINE", "a button's line, for the first action"),
        CommandOption("panel-simulator", "SOCKET", .file, "a virtual panel"),
        CommandOption("action", "NAME", "the first action (light)"),
        CommandOption("topic", "TOPIC", .topic, "its topic"),
        CommandOption("message", "TEXT", "its message"),
        CommandOption("timestamp-key", "FILE", .file, "the key for %T; 'new' makes one"),
        CommandOption("clock-trust", "send %T although the clock is never set"),
        CommandOption("state", "FOLDER", .folder, "the database's folder"),
        CommandOption("write-tag", "write the first tag, with a new secret"),
        CommandOption("share-file", "FILE", .file, "a share code, so that the phone's tags work"),
        CommandOption(
          "tap", "SECONDS", .seconds(1...3600), "wait for the first tap; needs --write-tag or --share-file"),
        CommandOption("untested", "write the files even though a test failed"), .force,
      ],
      abbreviatesOptions: true,
      details: """
        Asks for broker, certificates, reader, panel, first action and first tag, and tries each answer when
        it is given. Nothing is written before the last question; then come a commented kiosk.yaml, its
        files, the tag, and the first tap at the broker. Run again, it starts from the kiosk.yaml that is
        there, which it keeps as kiosk.yaml.old. Each option answers a question in advance.
        --answers: the names of the options without '--' are the keys; an option without a value is true. A
        path in the file is relative to it, and a typed option replaces its answer. %{board.NAME} stands for
        machine_id, serial, mac, hostname, or a column of this board's row in the CSV file that 'boards' names.
        """,
      example:
        "tappet init --yes --preset mosquitto --url broker.example --ca ca.pem --certificate kiosk.p12",
      usageError: { arguments in
        let wantsTag = arguments.has("write-tag") || arguments.has("tap")
        if wantsTag, arguments.value("reader") == "none" { return "--tap and --write-tag need a reader" }
        if arguments.has("tap"), arguments.has("yes"), !arguments.has("write-tag"), !arguments.has("share-file") {
          return "--tap needs --write-tag or --share-file: without a secret every tag is refused"
        }
        return nil
      },
      body: .plain { (arguments) throws(CommandFailure) in
        let arguments = try InitAnswers.added(to: arguments)
        let path = KioskAccess.path(arguments)
        if access(path, F_OK) == 0, arguments.has("yes"), !arguments.has("force") {
          throw .refused("\(path) already exists; use --force to replace it")
        }
        if path == KioskAccess.defaultPath, AtomicFiles.lacksServiceUser {
          Output.printError(
            "tappet init: there is no user 'tappet' yet; run 'systemd-sysusers' first, or the service cannot read "
              + "these files")
        }
        try SetupWizard(try KioskFiles.prepare(path), arguments).run()
      })
  }
}

/// One setup run: the answers so far, and the prompt for the rest.
final class SetupWizard {
  let files: KioskFiles
  var arguments: Arguments
  /// `nil` with --yes.
  let prompt: Prompt?
  var preset: BrokerPreset?
  /// Set when a reader has responded.
  var hasReader = false
  /// Files that were read as input; overwriting them with the same content loses nothing.
  var sources: [String] = []
  /// Set when a certificate still has to be requested.
  var isRequested = false
  /// Answers taken from the existing kiosk.yaml, by option.
  var earlier: [(option: String, answer: String)] = []
  /// The first secret, which is created or imported after the files are written.
  var firstSecret = FirstSecret.later

  init(_ files: KioskFiles, _ arguments: Arguments) {
    self.files = files
    self.arguments = arguments
    prompt = arguments.has("yes") ? nil : files.prompt
    files.draft.heading = ["Made by 'tappet init'."]
    // Makes the configuration complete enough to be tested before the last question.
    files.draft.actions = [ConfigTemplate.Action(name: "light", topic: "home/light/set", message: "toggle")]
    files.draft.trustsClock = arguments.has("clock-trust")
  }

  func run() throws(CommandFailure) {
    inform(
      "This sets up a kiosk in \(files.path). Enter accepts the default in brackets; Ctrl-C changes nothing."
    )
    startFromExistingFile()
    do throws(CommandFailure) {
      try askBroker()
      try askIdentity()
      try tryBroker()
      try askReader()
      try askPanel()
      try askAction()
      try askState()
      try askFirstSecret()
      try write()
    } catch {
      if files.prompt.isOver { Output.printError("Stopped; nothing was written.") }
      throw error
    }
    try provision()
  }

  /// Prints a line in interactive mode.
  func inform(_ text: String) { if prompt != nil { Output.printError(text) } }

  /// Prints a heading.
  func start(_ title: String) { inform("\n" + title) }

  /// Resolves one setting: from its option, otherwise by prompting, until `accept` returns no error.
  ///
  /// `accept` returns an error message or `nil`. With --yes, the default replaces a missing answer.
  func resolve(
    _ option: String, _ question: String, default usual: String?,
    _ accept: (String) throws(CommandFailure) -> String?
  ) throws(CommandFailure) {
    var given = arguments.value(option)
    let usual = earlier.last { $0.option == option }?.answer ?? usual
    while true {
      let answer: String
      if let value = given {
        answer = value
      } else if let prompt {
        guard let typed = prompt.ask(question, default: usual) else { throw .reported(.refused) }
        answer = typed
      } else if let usual {
        answer = usual
      } else {
        throw .usage("--\(option) is missing")
      }
      guard let mistake = try accept(answer) else {
        // When the question is repeated after a failed connection, this answer is the default.
        earlier.append((option, answer))
        return
      }
      if files.prompt.isOver { throw .reported(.refused) }
      guard prompt != nil else { throw .refused("--\(option): " + mistake) }
      Output.printError("  " + mistake)
      given = nil
    }
  }
}
