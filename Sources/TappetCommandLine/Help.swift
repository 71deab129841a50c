// Generates --help from the table of commands.

import TappetConfig

extension Command {
  /// Maximum width of the generated lines of --help.
  static let columnsMax = 100

  /// The words, options and operands: `tappet secret share [--url | --out FILE] ID`.
  package var synopsis: String { (["tappet " + words] + synopsisParts.map { $0.text }).joined(separator: " ") }

  /// The options and operands in the order of the synopsis, with alternatives in one part.
  package var synopsisParts: [SynopsisPart] {
    @export(interface) get {
      var parts: [SynopsisPart] = []
      if abbreviatesOptions {
        parts.append(SynopsisPart(words: [.init(option: nil, value: "[OPTION]…")], isRequired: true))
      } else {
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
  }

  /// The text of `tappet COMMAND --help`.
  package var help: String {
    var text = usage + "\n\n" + details + "\n\n"
    text += Help.rows(allOptions.map { ("--" + $0.name + ($0.value.map { " " + $0 } ?? ""), $0.summary) })
    if let example { text += "\nExample: " + example + "\n" }
    return String(text.dropLast())
  }

  /// The synopsis, continued on the next line if it is too wide.
  private var usage: String {
    var line = "Usage: tappet " + words
    let indent = String(repeating: " ", count: line.utf8.count)
    var lines: [String] = []
    for part in synopsisParts.map({ $0.text }) {
      if line.unicodeScalars.count + 1 + part.unicodeScalars.count > Self.columnsMax {
        lines.append(line)
        line = indent
      }
      line += " " + part
    }
    return (lines + [line]).joined(separator: "\n")
  }
}

/// Alternative options or operands, one of which is specified.
package struct SynopsisPart {
  package struct Word {
    /// The option's name without dashes; `nil` for an operand.
    package var option: String?
    package var value: String?

    package var text: String {
      guard let option else { return value ?? "" }
      return "--" + option + (value.map { " " + $0 } ?? "")
    }
  }

  package var words: [Word]
  var isRequired: Bool

  package var text: String {
    let text = words.map { $0.text }.joined(separator: " | ")
    return isRequired ? words.count > 1 ? "{" + text + "}" : text : "[" + text + "]"
  }
}

/// Formats text in columns.
package enum Help {
  /// Returns lines of two columns, the first at least `least` wide.
  package static func rows(_ entries: [(String, String)], _ least: Int = 0) -> String {
    let width = entries.reduce(least) { max($0, $1.0.unicodeScalars.count) }
    return entries.map { "  " + padded($0.0, width) + "  " + $0.1 + "\n" }.joined()
  }

  package static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
  }
}
