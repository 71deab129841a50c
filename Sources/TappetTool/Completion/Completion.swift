// Completes words on the command line. Never prompts, and never prints an error or a key.

import CPlatform
import TappetBrokerTool
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetKioskTool
import TappetPlatform
import TappetStore

/// The words that a shell offers as completions.
enum Completion {
  struct Candidate {
    var word: String
    var description: String
  }

  case words([Candidate])
  case files
  case folders
  case none

  /// The response to a completion script.
  var text: String {
    switch self {
    case .files: return "files\n"
    case .folders: return "folders\n"
    case .none: return "none\n"
    case .words(let candidates):
      var text = "words\n"
      for candidate in candidates { text += candidate.word + "\t" + candidate.description + "\n" }
      return text
    }
  }

  /// Completes the last word of `typed`, which is unfinished and may be empty.
  init(of typed: [String]) {
    // bash splits words at an equals sign.
    var words = typed.filter { $0 != "=" }
    if typed.last == "=" { words.append("") }
    let current = words.popLast() ?? ""
    self = Self.complete(current, after: words)
  }

  private static func complete(_ current: String, after words: [String]) -> Completion {
    let (global, rest) = CommandTable.split(words)
    if global.last == "--config", global.count % 2 == 1 { return .files }
    guard let command = CommandTable.all.find(rest) else { return commands(current, after: rest) }
    let count = command.isPair ? 2 : 1
    let line = PartialLine(Array(rest.dropFirst(count)), command, path: path(in: words))
    return line.complete(current)
  }

  /// Returns the configuration file specified on the line so far.
  private static func path(in words: [String]) -> String? {
    var path: String?
    for (index, word) in words.enumerated() {
      if word == "--config", index + 1 < words.count { path = words[index + 1] }
      if word.begins(with: "--config=") { path = String(word.dropFirst("--config=".count)) }
    }
    return path
  }

  /// Returns the completions for the first or second word of a command.
  private static func commands(_ current: String, after words: [String]) -> Completion {
    var candidates: [Candidate] = []
    func add(_ word: String, _ description: String) {
      candidates.append(Candidate(word: word, description: description))
    }
    if words.first == "help" { return commands(current, after: Array(words.dropFirst())) }
    switch words.count {
    case 0:
      for group in CommandGroup.all { add(group.word, group.summary) }
      add("help", "explain a command")
      for name in ["--config", "--help", "--version"] where current.begins(with: "-") { add(name, "") }
    case 1:
      guard let group = CommandGroup.named(words[0]) else { break }
      for (second, command) in zip(group.seconds, group.commands) { add(second, command.summary) }
    default: break
    }
    return .fitting(current, candidates)
  }

  fileprivate static func fitting(_ current: String, _ candidates: [Candidate]) -> Completion {
    let fitting = candidates.filter { $0.word.begins(with: current) }
    return fitting.isEmpty ? .none : .words(fitting)
  }
}

/// The part of the command line after the command's words.
private struct PartialLine {
  private let command: Command
  private let path: String?
  /// The option whose value is expected next.
  private var pending: CommandOption?
  private var operandCount = 0
  private var onlyOperands = false

  init(_ words: [String], _ command: Command, path: String?) {
    self.command = command
    self.path = path
    for word in words {
      if pending != nil {
        pending = nil
      } else if word == "--" {
        onlyOperands = true
      } else if !onlyOperands, word.begins(with: "--") {
        pending = command.allOptions.first { "--" + $0.name == word && $0.value != nil }
      } else {
        operandCount += 1
      }
    }
  }

  func complete(_ current: String) -> Completion {
    if let pending { return values(pending.kind, current, prefix: "") }
    if !onlyOperands, current.begins(with: "-") {
      guard let equals = current.firstIndex(of: "=") else {
        return .fitting(
          current, command.allOptions.map { Completion.Candidate(word: "--" + $0.name, description: $0.summary) })
      }
      guard let option = command.allOptions.first(where: { "--" + $0.name == current[..<equals] }) else { return .none }
      return values(option.kind, String(current[current.index(after: equals)...]), prefix: current[...equals])
    }
    guard let last = command.operands.last else { return .none }
    if operandCount < command.operands.count { return values(command.operands[operandCount].kind, current, prefix: "") }
    switch last.count {
    case .oneOrMore, .any: return values(last.kind, current, prefix: "")
    case .one, .optional, .oneUnlessOption: return .none
    }
  }

  private func values(_ kind: ValueKind, _ current: String, prefix: Substring) -> Completion {
    var candidates: [Completion.Candidate] = []
    func add(_ word: String, _ description: String = "") {
      candidates.append(Completion.Candidate(word: prefix + word, description: description))
    }
    switch kind {
    case .file: return .files
    case .folder: return .folders
    case .text, .seconds, .number: return .none
    case .word(let words): for word in words { add(word) }
    case .preset: for name in BrokerPreset.known() + ["another"] { add(name) }
    case .profile: for name in BoardProfile.known() + ["none"] { add(name) }
    case .action: for action in configuration?.actions ?? [] { add(action.name, action.title) }
    case .topic:
      for action in configuration?.actions ?? [] { if let topic = action.topic { add(topic, action.name) } }
      if command.section == .broker {
        for topic in BrokerHistory.topics() where !candidates.contains(where: { $0.word == prefix + topic }) {
          add(topic)
        }
      }
    case .commandTopic: for plan in configuration?.commands ?? [] { add(plan.topic) }
    case .output: for output in configuration?.panel.outputs ?? [] { add(output.plan.name) }
    case .secretID: for secret in secrets { add(secret["id"]?.text ?? "", describe(secret)) }
    case .person: for name in people { add(name) }
    case .learnedTag:
      for facts in learnedTags {
        guard let mark = ExternalTag.Identifier(facts) else { continue }
        add(mark.content, facts["label"]?.text ?? facts["action"]?.text ?? "")
      }
    case .entryID:
      guard let configuration, hasDatabase(configuration) else { return .none }
      try? OutboxClient(configuration).forEach { entry in
        add(entry.id.hex, entry.action)
        return candidates.count < Limits.storeDropMax
      }
    }
    return .fitting(prefix + current, candidates)
  }

  private func describe(_ secret: JSON) -> String {
    [secret["action"]?.text, secret["label"]?.text].compactMap { $0 }.joined(separator: ": ")
  }

  // MARK: The configuration

  private var configuration: KioskConfiguration? {
    guard
      case .loaded(let configuration) = ConfigurationParser.load(path: path ?? KioskAccess.usualPath, files: .ignored)
    else {
      return nil
    }
    return configuration
  }

  private var secrets: [JSON] {
    guard let configuration, hasSecrets(configuration) else { return [] }
    return (try? SecretClient(configuration).list().secrets) ?? []
  }

  private var people: [String] {
    guard let configuration, hasSecrets(configuration) else { return [] }
    return (try? SecretClient(configuration).listPeople())?.compactMap { $0["name"]?.text } ?? []
  }

  private var learnedTags: [JSON] {
    guard let configuration, hasSecrets(configuration) else { return [] }
    return (try? SecretClient(configuration).listLearnedTags()) ?? []
  }

  private func hasSecrets(_ configuration: KioskConfiguration) -> Bool {
    (try? RunningKiosk.find(configuration)) != nil || hasDatabase(configuration)
  }

  /// Whether the database exists; a completion must not create it.
  private func hasDatabase(_ configuration: KioskConfiguration) -> Bool {
    access(configuration.stateFolder + "/" + Store.fileName, R_OK | W_OK) == 0
  }
}
