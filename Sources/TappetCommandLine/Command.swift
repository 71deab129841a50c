// A command of the command line, with everything that --help, spelling suggestions, completions and the manual page say
// about it.

import TappetConfig
import TappetJSON

/// The process's exit status; documented in tappet(1).
package enum ExitStatus: Int32 {
  case success = 0
  /// The request was refused, or something that was checked is wrong.
  case refused = 1
  /// The command line makes no sense.
  case usage = 2
  /// The configuration has mistakes.
  case configuration = 3
  /// A device, a file or another process failed.
  case failure = 4
  /// Somebody else has yet to decide: the same command may succeed later.
  case pending = 5

  // The broker tool alone: why there is no connection.
  case nameNotResolved = 10
  case connectionRefused = 11
  case unreachable = 12
  /// The broker's certificate is not acceptable.
  case brokerUntrusted = 13
  /// The broker does not accept us in the TLS handshake.
  case handshakeRefused = 14
  /// The peer speaks something else.
  case wrongProtocol = 15
  case silent = 16
  case loginRefused = 17
  /// CONNACK with another reason.
  case connectRefused = 18
  case connectionLost = 19

  // The broker tool again: the purpose of the connection.
  case publishRefused = 20
  case subscriptionRefused = 21
  /// As mosquitto's clients have it.
  case timedOut = 27
}

/// Why a command did not do what it was asked for.
package struct CommandFailure: Error {
  package var status: ExitStatus
  /// The reason in a sentence; `nil` means that it has been printed.
  package var sentence: String?
  /// The reason for programs (`FailureCode`, or one of TappetMessages); `nil` when something was found wrong as asked.
  package var code: String?
  /// Mistakes in the configuration, for programs.
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
  /// The reason was printed.
  package static func reported(_ status: ExitStatus, _ code: String? = nil) -> Self {
    Self(status: status, sentence: nil, code: code)
  }
  /// The command did what it was asked for, and found something wrong, which its output names.
  package static var found: Self { Self(status: .refused) }
  /// An answer that this version does not understand.
  package static var malformedAnswer: Self { .failed("the kiosk's answer makes no sense", FailureCode.malformedAnswer) }
}

/// The meaning of a value on the command line: how it is checked and completed.
package enum ValueKind {
  case text
  case file
  case folder
  /// One of these, or something else.
  case word([String])
  /// Whole seconds within these bounds.
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
  /// The name of its value in --help; `nil` means that it takes none.
  package var value: String?
  package var kind = ValueKind.text
  /// One line without a full stop.
  package var summary: String
  /// Given in place of the option or operand before it.
  var isAlternative = false

  /// An option with a value.
  package init(_ name: String, _ value: String, _ kind: ValueKind, _ summary: String) {
    self.name = name
    self.value = value
    self.kind = kind
    self.summary = summary
  }

  /// An option with a text.
  package init(_ name: String, _ value: String, _ summary: String) { self.init(name, value, .text, summary) }

  /// An option without a value.
  package init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }

  /// The same, in place of what precedes it.
  package var orElse: Self {
    var option = self
    option.isAlternative = true
    return option
  }
}

/// A word that is not an option.
package struct Operand {
  package enum Count {
    case one, oneOrMore, any, optional
    /// Or the last option, or one of its alternatives, in its place.
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

/// A heading of the overview.
package enum Section: CaseIterable {
  case setup, running, tags, secrets, people, rooms, certificates, broker, inventory

  package var title: String {
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

/// An entry of the table of commands.
package struct Command {
  /// Its function, with or without the configuration.
  package enum Body {
    case plain((Arguments) throws(CommandFailure) -> Void)
    case configured((Arguments, KioskConfiguration) throws(CommandFailure) -> Void)
    /// With the keys and certificates that the configuration names, too.
    case withFiles(NamedFiles, (Arguments, KioskConfiguration) throws(CommandFailure) -> Void)
    /// While a kiosk runs, mistakes in the file do not matter.
    case running((Arguments, KioskConfiguration) throws(CommandFailure) -> Void)
  }

  /// `secret new`.
  package var words: String
  package var section: Section
  /// One line without a full stop, for the overview.
  package var summary: String
  package var operands: [Operand]
  /// Its own options; `common` has the others.
  package var options: [CommandOption]
  /// Too many to be listed in its synopsis.
  package var abbreviatesOptions: Bool
  /// Paragraphs of --help, laid out.
  package var details: String
  package var example: String?
  /// Returns the mistake in a combination of options, before anything is opened.
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
      CommandOption("config", "FILE", .file, "the configuration (/etc/tappet/kiosk.yaml, or TAPPET_CONFIG)"),
      CommandOption("help", "show this"),
    ]
  }

  /// Whether the last option, or one that it is an alternative to, fits.
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

  /// Runs it with what follows its words.
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
