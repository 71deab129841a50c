// Parses options and operands with getopt_long.

import CPlatform
import TappetConfig
import TappetCore

/// The options and operands of a command.
package struct Arguments {
  private var values: [(name: String, value: String?)] = []
  package private(set) var operands: [String] = []
  /// The JSON output; `nil` if --json is not specified.
  package var report: JSONReport?

  /// Returns the value of an option, if specified.
  package func value(_ name: String) -> String? { values.last { $0.name == name }?.value }

  /// Returns the values of a repeatable option, in order.
  package func all(_ name: String) -> [String] { values.filter { $0.name == name }.compactMap { $0.value } }

  /// Whether an option is specified.
  package func has(_ name: String) -> Bool { values.contains { $0.name == name } }

  /// Whether the output is JSON.
  package var asJSON: Bool { has("json") }

  /// Returns the numeric value of an option; `parse` has checked its bounds.
  package func number(_ name: String) -> Int64? { value(name).flatMap { Int64(decimal: $0.utf8) } }

  /// Returns the duration in an option's value; `parse` has checked its bounds.
  package func seconds(_ name: String) -> Duration? { value(name).flatMap { Int64(seconds: $0) }.map { .seconds($0) } }

  /// Returns a copy without the given options.
  package func without(_ names: [String]) -> Arguments {
    var rest = self
    rest.values.removeAll { value in names.contains { $0 == value.name } }
    return rest
  }

  /// The options as words of a command line.
  package var words: [String] { values.flatMap { ["--" + $0.name] + ($0.value.map { [$0] } ?? []) } }

  /// Returns a copy with additional options; options already specified take precedence.
  @export(interface)
  package func with(_ others: [(name: String, value: String?)], for command: Command) throws(CommandFailure)
    -> Arguments
  {
    var sum = self
    for other in others where !has(other.name) { sum.values.append(other) }
    try sum.check(for: command)
    return sum
  }

  /// Parses the arguments that follow the words of `command`, and validates them unless --help is specified.
  package static func parse(_ words: [String], for command: Command) throws(CommandFailure) -> Arguments {
    let arguments = try scan(words, for: command)
    if !arguments.has("help") { try arguments.check(for: command) }
    return arguments
  }

  // MARK: getopt_long

  /// The first value that getopt_long returns for a long option; smaller values are characters.
  private static let firstOption: Int32 = 256

  @export(interface)
  private static func scan(_ words: [String], for command: Command) throws(CommandFailure) -> Arguments {
    var arguments = Arguments()
    let options = command.allOptions
    let names = options.map { strdup($0.name) }
    var vector: [UnsafeMutablePointer<CChar>?] = (["tappet"] + words).map { strdup($0) }
    let owned = vector
    defer { for text in names + owned { free(text) } }
    vector.append(nil)
    var table: [option] = []
    for (index, entry) in options.enumerated() {
      table.append(
        option(
          name: names[index], has_arg: entry.value == nil ? no_argument : required_argument, flag: nil,
          val: firstOption + Int32(index)))
    }
    table.append(option())
    tp_reset_getopt()
    while true {
      // The colon suppresses getopt_long's own error messages.
      let found = getopt_long(Int32(owned.count), &vector, ":h", &table, nil)
      if found == -1 { break }
      let index = Int(found - firstOption)
      let name: String
      if found == Int32(UInt8(ascii: "h")) {
        name = "help"
      } else if options.indices.contains(index) {
        name = options[index].name
        try requireSpelling(of: options[index], in: vector, command)
      } else {
        throw mistake(found, rejectedWord(in: vector), Int(tp_optopt() - firstOption), command)
      }
      let kind = options.indices.contains(index) ? options[index].kind : .text
      arguments.values.append((name, tp_optarg().map { kind.spelt(String(cString: $0)) }))
      if name == "help" { return arguments }
    }
    for word in vector[Int(tp_optind())..<owned.count] {
      let place = min(arguments.operands.count, command.operands.count - 1)
      let kind = command.operands.isEmpty ? .text : command.operands[place].kind
      if let word { arguments.operands.append(kind.spelt(String(cString: word))) }
    }
    return arguments
  }

  /// Returns the argument that getopt_long rejected; it moves on only after the last letter of a word like `-1+1`.
  private static func rejectedWord(in vector: [UnsafeMutablePointer<CChar>?]) -> String {
    let next = Int(tp_optind())
    let word = vector[max(0, next - 1)].map { String(cString: $0) } ?? ""
    let isLong = tp_optopt() == 0 || tp_optopt() >= firstOption
    if isLong || word.utf8.first == UInt8(ascii: "-") && word.utf8.last == UInt8(truncatingIfNeeded: tp_optopt()) {
      return word
    }
    return vector[next].map { String(cString: $0) } ?? word
  }

  /// Throws for an abbreviation that may be another option's name, as `--for` is not meant to be `--format`.
  private static func requireSpelling(
    of option: CommandOption, in vector: [UnsafeMutablePointer<CChar>?], _ command: Command
  ) throws(CommandFailure) {
    // The value may be a separate argument.
    let next = Int(tp_optind())
    let words = [next - 1, next - 2].compactMap { vector.indices.contains($0) ? vector[$0] : nil }
    let typed = words.map { name(String(cString: $0)) }.first {
      $0.begins(with: "--") && $0.utf8.count > 2 && "--\(option.name)".begins(with: $0)
    }
    guard let typed, typed.utf8.count < abbreviationSizeMin, typed != "--\(option.name)" else { return }
    throw .usage(
      "unknown option '\(typed)' (did you mean '--\(option.name)'?); see 'tappet \(command.words) --help'")
  }

  private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }

  /// The length of the shortest abbreviation of an option, with its hyphens.
  private static let abbreviationSizeMin = 6

  /// Returns the error for an argument that getopt_long rejected; `index` identifies the option, if known.
  private static func mistake(_ found: Int32, _ word: String, _ index: Int, _ command: Command) -> CommandFailure {
    let options = command.allOptions
    if options.indices.contains(index) {
      let option = options[index]
      if found == Int32(UInt8(ascii: ":")) {
        return .usage("option '--\(option.name)' needs a value: \(option.value ?? "")")
      }
      return .usage("option '--\(option.name)' does not take a value")
    }
    let name = String(word.prefix { $0 != "=" })
    let meant = options.map { "--" + $0.name }.filter { $0.begins(with: name) }
    if name.begins(with: "--"), meant.count > 1 {
      return .usage("option '\(name)' is ambiguous: " + meant.joined(separator: ", "))
    }
    let word = String(Substring(name.utf8.drop { $0 == UInt8(ascii: "-") }))
    let nearest = Spelling.nearest(to: word, among: options.map { $0.name }, limit: 2)
    let suggestion = Spelling.suggestion(nearest.map { "--" + $0 })
    let isText = !name.begins(with: "--") && !command.operands.isEmpty
    let separator = isText ? " (put '--' before an argument that starts with '-')" : ""
    return .usage("unknown option '\(name)'\(suggestion)\(separator); see 'tappet \(command.words) --help'")
  }

  // MARK: Checks

  @export(interface)
  private func check(for command: Command) throws(CommandFailure) {
    try checkOperands(command)
    for option in command.options {
      guard let text = value(option.name), let (bounds, unit, other) = option.kind.bounds else { continue }
      if let number = option.kind.number(text), bounds.contains(number) { continue }
      throw .usage(
        "--\(option.name) must be \(unit) from \(bounds.lowerBound) to \(bounds.upperBound)\(other), not '\(text)'")
    }
    if let sentence = command.usageError(self) { throw .usage(sentence) }
  }

  private func checkOperands(_ command: Command) throws(CommandFailure) {
    var least = 0
    var most = 0
    for operand in command.operands {
      switch operand.count {
      case .one: (least, most) = (least + 1, most + 1)
      case .oneOrMore: (least, most) = (least + 1, Int.max)
      case .any: most = Int.max
      case .optional: most += 1
      case .oneUnlessOption where command.lastAlternatives(contain: has): break
      case .oneUnlessOption: (least, most) = (least + 1, most + 1)
      }
    }
    guard operands.count >= least else {
      throw .usage("missing \(command.operands[operands.count].name); usage: " + command.synopsis)
    }
    guard operands.count > most else { return }
    // A key must not be repeated in an error message.
    throw operands[most].begins(with: "smpshare:")
      ? .shareURLTyped : .usage("unexpected argument '\(operands[most])'")
  }
}

extension ValueKind {
  /// The bounds of a number, its unit, and other accepted forms; `nil` if the kind is not a number.
  fileprivate var bounds: (ClosedRange<Int64>, unit: String, other: String)? {
    switch self {
    case .seconds(let bounds): (bounds, "whole seconds", ", or a time such as 5m")
    case .number(let bounds): (bounds, "a whole number", "")
    default: nil
    }
  }

  /// Returns a name in the form in which names are compared, and any other text unchanged.
  fileprivate func spelt(_ text: String) -> String {
    switch self {
    case .action, .output, .person: text.nameForm
    default: text
    }
  }
}

extension ValueKind {
  /// Parses a number of this kind.
  fileprivate func number(_ text: String) -> Int64? {
    if case .seconds = self { Int64(seconds: text) } else { Int64(decimal: text.utf8) }
  }
}

extension Int64 {
  /// Parses seconds in the usual notations: `300`, `300s`, `5m` or `5min`, `2h`, `1d`.
  @export(interface)
  package init?(seconds text: String) {
    let digits = text.utf8.prefix { $0.isASCIIDigit }
    let units: KeyValuePairs<String, Int64> = ["": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400]
    let unit = String(decoding: text.utf8.dropFirst(digits.count).drop { $0 == 0x20 }, as: UTF8.self)
    guard let number = Int64(decimal: digits), let factor = units.first(where: { $0.key == unit })?.value,
      case let (product, overflow) = number.multipliedReportingOverflow(by: factor), !overflow
    else { return nil }
    self = product
  }
}

extension CommandFailure {
  package static var shareURLTyped: CommandFailure {
    .usage("a share URL contains a key, and other users can read the command line; use standard input or a file")
  }
}
