// --help, from the table of commands.

import TappetConfig

extension Command {
  /// Columns of --help's own lines.
  static let columnsMax = 100

  /// The words, options and operands: `tappet secret share [--url | --out FILE] ID`.
  var synopsis: String { (["tappet " + words] + synopsisParts.map { $0.text }).joined(separator: " ") }

  /// Options and operands as one reads them, alternatives in one part.
  var synopsisParts: [SynopsisPart] {
    var parts: [SynopsisPart] = []
    if abbreviatesOptions {
      parts.append(SynopsisPart(words: [.init(option: nil, value: "[OPTION]…")], isRequired: true))
    } else {
      parts.append(SynopsisPart(words: [.init(option: "config", value: "FILE")], isRequired: false))
      for option in options {
        let word = SynopsisPart.Word(option: option.name, value: option.value)
        if option.isAlternative, !parts.isEmpty {
          parts[parts.count - 1].words.append(word)
        } else {
          parts.append(SynopsisPart(words: [word], isRequired: false))
        }
      }
    }
    for operand in operands {
      switch operand.count {
      case .one: parts.append(SynopsisPart(words: [.init(option: nil, value: operand.name)], isRequired: true))
      case .oneOrMore:
        parts.append(SynopsisPart(words: [.init(option: nil, value: operand.name + "…")], isRequired: true))
      case .any:
        parts.append(SynopsisPart(words: [.init(option: nil, value: "[" + operand.name + "]…")], isRequired: true))
      case .optional:
        parts.append(SynopsisPart(words: [.init(option: nil, value: "[" + operand.name + "]")], isRequired: true))
      case .oneUnlessOption:
        parts[parts.count - 1].words.append(.init(option: nil, value: operand.name))
        parts[parts.count - 1].isRequired = true
      }
    }
    return parts
  }

  /// The text of `tappet COMMAND --help`.
  var help: String {
    var text = Help.usage([self]) + "\n\n" + details + "\n\n"
    let names = allOptions.map { "--" + $0.name + ($0.value.map { " " + $0 } ?? "") }
    let width = names.reduce(0) { max($0, $1.utf8.count) }
    for (name, option) in zip(names, allOptions) {
      text += "  " + Help.padded(name, width) + "  " + option.summary + "\n"
    }
    if let example { text += "\nExample: " + example + "\n" }
    return String(text.dropLast())
  }
}

/// Options or operands of which one is given.
struct SynopsisPart {
  struct Word {
    /// Without its dashes; `nil` for an operand.
    var option: String?
    var value: String?

    var text: String {
      guard let option else { return value ?? "" }
      return "--" + option + (value.map { " " + $0 } ?? "")
    }
  }

  var words: [Word]
  var isRequired: Bool

  var text: String {
    let text = words.map { $0.text }.joined(separator: " | ")
    return isRequired ? words.count > 1 ? "{" + text + "}" : text : "[" + text + "]"
  }
}

enum Help {
  /// The text of `tappet --help`.
  static var overview: String {
    var text = """
      Usage: tappet COMMAND [OPTION]…

      Turns a touch into a trusted message: reads NFC tags, checks their signature, publishes over mutual TLS.

      """
    let all = Command.all
    let width = all.reduce(0) { max($0, $1.words.utf8.count) }
    for section in Section.allCases {
      text += "\n" + section.title + ":\n"
      for command in all where command.section == section {
        text += "  " + padded(command.words, width) + "  " + command.summary + "\n"
      }
    }
    return text + """

      'tappet COMMAND --help' explains a command. --config FILE names the configuration; without it, TAPPET_CONFIG does,
      or it is /etc/tappet/kiosk.yaml.
      Exit status: 0 success; 1 refused, or something is wrong; 2 wrong usage; 3 mistakes in the configuration;
      4 a device, a file or a process failed.
      """
  }

  /// The text of `tappet secret --help`: all commands that begin with this word.
  static func group(_ word: String) -> String {
    let commands = Command.group(word)
    let width = commands.reduce(0) { max($0, $1.words.utf8.count) }
    var text = usage(commands) + "\n\n"
    for command in commands { text += "  " + padded(command.words, width) + "  " + command.summary + "\n" }
    return text + "\n'tappet \(word) COMMAND --help' explains a command."
  }

  /// The synopses of these commands, continued on the next line if they are too wide.
  static func usage(_ commands: [Command]) -> String {
    var lines: [String] = []
    for command in commands {
      var line = lines.isEmpty ? "Usage: " : "       "
      line += "tappet " + command.words
      let indent = String(repeating: " ", count: line.utf8.count)
      for part in command.synopsisParts.map({ $0.text }) {
        if line.unicodeScalars.count + 1 + part.unicodeScalars.count > Command.columnsMax {
          lines.append(line)
          line = indent
        }
        line += " " + part
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
  }
}
