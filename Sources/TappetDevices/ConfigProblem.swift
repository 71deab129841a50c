// What is wrong in a configuration, as facts and in a sentence: file, line, column, what, and the nearest thing that is right.

import TappetCore

/// One mistake.
public struct ConfigProblem: Hashable, Sendable {
  /// What it is.
  public indirect enum Kind: Hashable, Sendable {
    case cannotRead(SystemError)
    case tooLarge(size: Int, max: Int)
    case notUTF8
    case yaml(YAMLError)
    /// `<<`: what it would mean depends on the reader.
    case mergeKey
    case keyNotText
    case unknownKey(String, nearest: String?)
    case duplicateKey(String)
    case missingKey(String)
    case wrongType(expected: String, found: String)
    case invalidValue(String, expected: String)
    case needsPartner(String, partner: String)
    case duplicateName(String)
    case duplicateIndex(Int64)
    case unknownAction(String, nearest: String?)
    /// `by`: the place in the file that has it already.
    case lineUsedTwice(String, by: String)
    case unknownButton(String, nearest: String?)
    case unknownLight(String, nearest: String?)
    /// An action with `confirm` at a gesture that cannot answer.
    case unanswerable(String, gesture: String)
    /// `lock_after`, but neither a code nor an action that unlocks.
    case nothingUnlocks
    /// `%T` where no timestamp_key is set.
    case timestampWithoutKey
    case keyFileUnreadable(path: String, SystemError)
    case keyFileOpen(path: String, mode: UInt32)
    case keyFileMalformed(path: String)
    case badMessage
    /// A key that only a passphrase opens; the whole sentence.
    case passphraseNeeded(String)
    /// So many more mistakes were found.
    case more(count: Int)
  }

  /// As it was named by whoever asked.
  public var file: String
  /// Where in the file.
  public var position: TextPosition
  /// Where in the tree: `actions[0].topic`; empty at the top.
  public var place: String
  /// What it is.
  public var kind: Kind

  /// For a person.
  ///
  /// `kiosk.yaml:12:5: unknown key 'topc' in actions[0] (did you mean 'topic'?)`
  public var sentence: String {
    // What could not be read at all has no place in it.
    if case .cannotRead(let error) = kind { return Self.printable("\(file) cannot be read: \(error.text)") }
    return Self.printable("\(file):\(position.line):\(position.column): \(words)")
  }

  /// What a file holds may not steer the terminal on which it is complained of.
  private static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private var words: String {
    let inPlace = place.isEmpty ? "" : " in \(place)"
    let what = place.isEmpty ? "the file" : place
    switch kind {
    case .cannotRead(let error): return error.text
    case .tooLarge(let size, let max): return "has \(size) bytes; a configuration has at most \(max)"
    case .notUTF8: return "is not UTF-8 text"
    case .yaml(.syntax(let problem)): return "is no YAML: \(problem)"
    case .yaml(.tab): return "a tab stands where only spaces may indent"
    case .yaml(.tag(let tag)): return "the tag '\(tag)' is not taken; write the value without it"
    case .yaml(.unknownAlias(let name)): return "the alias '*\(name)' is not defined before"
    case .yaml(.tooManyNodes(let max)): return "has more than \(max) values, aliases counted each time"
    case .yaml(.tooDeep(let max)): return "is nested more than \(max) levels deep"
    case .yaml(.severalDocuments): return "a second document begins; a configuration is one"
    case .yaml(.empty): return "is empty; 'broker' and 'actions' are needed"
    case .mergeKey: return "merge keys ('<<') are not taken\(inPlace); write the values out"
    case .keyNotText: return "a key\(inPlace) is not a word"
    case .unknownKey(let key, let nearest): return "unknown key '\(key)'\(inPlace)" + Spelling.suggestion(nearest)
    case .duplicateKey(let key): return "the key '\(key)' stands twice\(inPlace)"
    case .missingKey(let key): return "the key '\(key)' is missing\(inPlace)"
    case .wrongType(let expected, let found): return "\(what) must be \(expected), not \(found)"
    case .invalidValue(let value, let expected): return "\(what) must be \(expected), not '\(value)'"
    case .needsPartner(let key, let partner): return "'\(key)' needs '\(partner)' beside it\(inPlace)"
    case .duplicateName(let name): return "a second action is named '\(name)'"
    case .duplicateIndex(let index): return "a second action has the index \(index); tags cannot tell them apart"
    case .unknownAction(let name, let nearest):
      return "\(what): there is no action '\(name)'" + Spelling.suggestion(nearest)
    case .lineUsedTwice(let line, let place): return "\(what): \(place) has \(line) already"
    case .unknownButton(let name, let nearest):
      return "\(what): there is no button '\(name)'" + Spelling.suggestion(nearest)
    case .unknownLight(let name, let nearest):
      return "\(what): there is no light '\(name)'" + Spelling.suggestion(nearest)
    case .unanswerable(let name, let gesture):
      return
        "\(what): the action '\(name)' asks first ('confirm'), which no \(gesture) can answer; use press, hold, double or triple"
    case .nothingUnlocks:
      return "\(what) has 'lock_after', but nothing unlocks it; add 'unlock_code', or 'unlock: true' to an action"
    case .timestampWithoutKey: return "\(what) uses %T, but no 'timestamp_key' is set"
    case .keyFileUnreadable(let path, let error): return "\(path) cannot be read: \(error.text)"
    case .keyFileOpen(let path, let mode):
      return "\(path) can be read by others (mode \(Self.octal(mode))); run: chmod 600 \(path)"
    case .keyFileMalformed(let path): return "\(path) must hold 32, 48 or 64 hex digits and nothing else"
    case .passphraseNeeded(let sentence): return sentence
    case .more(let count): return "and \(count) more"
    case .badMessage: return "\(what) must be text without NUL, at most \(Limits.messageSizeMax) bytes"
    }
  }

  private static func octal(_ mode: UInt32) -> String { "0" + String(mode, radix: 8) }
}
