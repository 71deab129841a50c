// A command, with the data for --help, spelling suggestions, completions and the manual page.

import TappetConfig
import TappetJSON

/// The process's exit status; documented in tappet(1).
package enum ExitStatus: Int32 {
  case success = 0
  /// The request was refused, or a check found a fault.
  case refused = 1
  /// The command line is invalid.
  case usage = 2
  /// The configuration contains errors.
  case configuration = 3
  /// A device, a file or another process failed.
  case failure = 4
  /// An external decision, such as that of a CA, is pending: the same command may succeed later.
  case pending = 5

  // Broker tool only: the reason why there is no connection.
  case nameNotResolved = 10
  case connectionRefused = 11
  case unreachable = 12
  /// The broker's certificate is not acceptable.
  case brokerUntrusted = 13
  /// The broker rejected this client in the TLS handshake.
  case handshakeRefused = 14
  /// The peer speaks a different protocol.
  case wrongProtocol = 15
  case silent = 16
  case loginRefused = 17
  /// The broker rejected the connection for any other reason.
  case connectRefused = 18
  case connectionLost = 19

  // Broker tool only: the operation that failed on the connection.
  case publishRefused = 20
  case subscriptionRefused = 21
  /// The same value as in mosquitto's clients.
  case timedOut = 27
}

/// The reason why a command failed.
package struct CommandFailure: Error {
  package var status: ExitStatus
  /// The reason as a sentence; `nil` means that it has already been printed.
  package var sentence: String?
  /// Machine-readable code, from `FailureCode` or TappetMessages; `nil` if a check was completed and found a fault.
  package var code: String?
  /// Errors in the configuration, as JSON.
  package var mistakes: [JSON] = []

  package init(status: ExitStatus, sentence: String? = nil, code: String? = nil) {
    self.status = status
    self.sentence = sentence
    self.code = code
  }

  package static func usage(_ sentence: String) -> Self {
    Self(status: .usage, sentence: sentence, code: FailureCode.usage)
  }
  package static func refused(_ sentence: String, _ code: String = FailureCode.refused) -> Self {
    Self(status: .refused, sentence: sentence, code: code)
  }
  package static func failed(_ sentence: String, _ code: String = FailureCode.failed) -> Self {
    Self(status: .failure, sentence: sentence, code: code)
  }
  /// Creates a failure whose reason has already been printed.
  package static func reported(_ status: ExitStatus, _ code: String? = nil) -> Self {
    Self(status: status, sentence: nil, code: code)
  }
  /// The failure of a check that was completed and found a fault, which its output reports.
  package static var found: Self { Self(status: .refused) }
  /// The failure for a response that this version cannot parse.
  package static var malformedAnswer: Self { .failed("the kiosk's response is malformed", FailureCode.malformedAnswer) }
}

/// The type of a value on the command line, which determines its validation and completion.
package enum ValueKind {
  case text
  case file
  case folder
  /// Free text, for which these words are offered as completions.
  case word([String])
  /// A whole number of seconds within these bounds.
  case seconds(ClosedRange<Int64>)
  /// A whole number within these bounds.
  case number(ClosedRange<Int64>)
  case action
  case topic
  case output
  case commandTopic
  case secretID
  case person
  case learnedTag
  case entryID
  case preset
  case profile
}

/// An option of a command.
package struct CommandOption {
  package var name: String
  /// The name of the value in --help; `nil` means that the option accepts none.
  package var value: String?
  package var kind = ValueKind.text
  /// One-line description, without a full stop.
  package var summary: String
  /// Whether the option is an alternative to the preceding option or operand.
  var isAlternative = false

  /// Creates an option with a value.
  package init(_ name: String, _ value: String, _ kind: ValueKind, _ summary: String) {
    self.name = name
    self.value = value
    self.kind = kind
    self.summary = summary
  }

  /// Creates an option with a text value.
  package init(_ name: String, _ value: String, _ summary: String) { self.init(name, value, .text, summary) }

  /// Creates an option without a value.
  package init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }

  /// A copy of the option, marked as an alternative to the preceding option or operand.
  package var orElse: Self {
    var option = self
    option.isAlternative = true
    return option
  }
}

/// A positional argument.
package struct Operand {
  package enum Count {
    case one, oneOrMore, any, optional
    /// Exactly one, unless the last option or one of its alternatives is specified.
    case oneUnlessOption
  }

  package var name: String
  package var kind: ValueKind
  package var count = Count.one

  package init(_ name: String, _ kind: ValueKind = .text, _ count: Count = .one) {
    self.name = name
    self.kind = kind
    self.count = count
  }
}

/// A heading of the command overview.
package enum Section: CaseIterable {
  case setup, running, tags, secrets, people, rooms, certificates, broker, inventory

  package var title: String {
    @export(interface) get {
      switch self {
      case .setup: "Setting up"
      case .running: "Running"
      case .tags: "Tags"
      case .secrets: "Secrets"
      case .people: "People"
      case .rooms: "Matrix rooms"
      case .certificates: "Certificates"
      case .broker: "Broker tool"
      case .inventory: "Inventory"
      }
    }
  }
}

/// An entry of the command table.
package struct Command {
  /// The function that runs a command, with or without the configuration.
  package enum Body {
    case plain((Arguments) throws(CommandFailure) -> Void)
    case configured((Arguments, KioskConfiguration) throws(CommandFailure) -> Void)
    /// Also loads the keys and certificates that the configuration refers to.
    case withFiles(NamedFiles, (Arguments, KioskConfiguration) throws(CommandFailure) -> Void)
    /// Errors in the configuration file are tolerated while a kiosk is running.
    case running((Arguments, KioskConfiguration) throws(CommandFailure) -> Void)
  }

  /// The words of the command, such as `secret new`.
  package var words: String
  package var section: Section
  /// One-line description for the overview, without a full stop.
  package var summary: String
  package var operands: [Operand]
  /// The options specific to this command; `common` lists the options of all commands.
  package var options: [CommandOption]
  /// Whether there are too many options to list in the synopsis.
  package var abbreviatesOptions: Bool
  /// The formatted paragraphs of --help.
  package var details: String
  package var example: String?
  /// Checks for invalid combinations of options before any file is opened; returns an error message or `nil`.
  package var usageError: (Arguments) -> String?
  package var body: Body

  @export(interface)
  package init(
    words: String, section: Section, summary: String, operands: [Operand] = [], options: [CommandOption] = [],
    abbreviatesOptions: Bool = false, details: String, example: String? = nil,
    usageError: @escaping (Arguments) -> String? = { _ in nil }, body: Body
  ) {
    self.words = words
    self.section = section
    self.summary = summary
    self.operands = operands
    self.options = options
    self.abbreviatesOptions = abbreviatesOptions
    self.details = details
    self.example = example
    self.usageError = usageError
    self.body = body
  }

  /// The options that every command accepts.
  package static var common: [CommandOption] {
    [
      CommandOption("config", "FILE", .file, "configuration file (/etc/tappet/kiosk.yaml, or TAPPET_CONFIG)"),
      CommandOption("help", "show this help"),
    ]
  }

  /// Whether the last option, or an option that it is an alternative to, satisfies the condition.
  func lastAlternatives(contain fits: (String) -> Bool) -> Bool {
    var index = options.count - 1
    while index >= 0 {
      if fits(options[index].name) { return true }
      guard options[index].isAlternative else { return false }
      index -= 1
    }
    return false
  }

  package var allOptions: [CommandOption] { options + Self.common }

  /// Runs the command with the arguments that follow its words.
  @export(interface)
  package func run(_ words: [String]) -> ExitStatus {
    let isForPrograms = words.contains("--json") && options.contains { $0.name == "json" }
    let report = isForPrograms ? JSONReport(command: self.words) : nil
    do throws(CommandFailure) {
      var arguments = try Arguments.parse(words, for: self)
      if arguments.has("help") {
        Output.print(help)
        return .success
      }
      arguments.report = arguments.has("json") ? report ?? JSONReport(command: self.words) : nil
      try run(arguments)
      arguments.report?.end(.success, nil)
      return .success
    } catch {
      if let sentence = error.sentence { Output.printError("tappet \(self.words): \(sentence)") }
      report?.end(error.status, error)
      return error.status
    }
  }

  private func run(_ arguments: Arguments) throws(CommandFailure) {
    switch body {
    case .plain(let run): try run(arguments)
    case .configured(let run): try run(arguments, try KioskAccess.load(arguments))
    case .withFiles(let files, let run): try run(arguments, try KioskAccess.load(arguments, files: files))
    case .running(let run): try run(arguments, try KioskAccess.loadRunning(arguments))
    }
  }
}
