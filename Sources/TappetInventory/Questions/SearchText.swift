// Words in the form that the full-text index uses. Its tokenizer folds ü to u, but folds only Latin letters with a
// diacritic, and not ß, æ, ø, ł, ё, ό and the like. Words with such letters are stored again in a shadow column with
// the letters replaced, and queries are converted in the same way. Scripts without spaces between words are stored
// letter by letter in the shadow column, so that a query finds any part of a text.

import TappetCore

/// Converts texts and queries for the full-text index.
enum SearchText {
  /// Returns, in folded form, the words of the given texts that contain letters that the tokenizer does not fold; `nil`
  /// if there are none.
  static func shadow(of texts: [String]) -> String? {
    var shadow = ""
    for text in texts where text.utf8.contains(where: { $0 >= 0xC3 }) {
      for word in words(text) {
        guard let folded = folded(word) else { continue }
        shadow += (shadow.isEmpty ? "" : " ") + folded
      }
    }
    return shadow.isEmpty ? nil : shadow
  }

  /// Returns an FTS5 prefix query for each word of a text; joined with spaces, the queries match all of the words.
  static func queries(_ text: String) -> [String] { expressions(text).map { $0 + " *" } }

  /// Returns a query for exactly the words of the text, in any position; `nil` if the text contains no words.
  static func phrase(_ text: String) -> String? {
    let all = expressions(text)
    return all.isEmpty ? nil : all.joined(separator: " ")
  }

  /// Returns the words of a text, quoted, so that they contain no FTS5 operators (sqlite.org/fts5.html, §3.1).
  private static func expressions(_ text: String) -> [String] {
    words(text).filter { $0.contains { isPartOfWord($0) } }.map { word in
      quoted(folded(word)?.unicodeScalars.map { $0 } ?? word)
    }
  }

  private static func quoted(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    "\"" + scalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }

  /// Returns a query for all trigrams of each word, anywhere in a name; `nil` if a word has fewer than three letters.
  ///
  /// A matching name may contain the trigrams of a word in separate places.
  static func pieces(_ text: String) -> String? {
    let words = words(text)
    guard !words.isEmpty, words.allSatisfy({ $0.count >= 3 }) else { return nil }
    return words.flatMap { word in (0...word.count - 3).map { quoted(word[$0..<$0 + 3]) } }.joined(separator: " ")
  }

  /// Whether a text contains each of the given words; words with non-ASCII letters are not compared.
  static func contains(_ text: String, eachOf words: String) -> Bool {
    let bytes = Array(text.asciiLowercased.utf8)
    return self.words(words.asciiLowercased).allSatisfy { word in
      guard word.allSatisfy({ $0.isASCII }) else { return true }
      let sought = word.map { UInt8(truncatingIfNeeded: $0.value) }
      return bytes.indices.contains { bytes[$0...].starts(with: sought) }
    }
  }

  private static func words(_ text: String) -> [[Unicode.Scalar]] {
    Array(text.unicodeScalars).split { $0.value <= 0x20 || $0.value == 0xA0 }.map { Array($0) }
  }

  /// Whether the tokenizer may regard the character as part of a word; it recognizes more non-ASCII separators than
  /// this function.
  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "a"..."z", "A"..."Z": true
    default: scalar.value >= 0x80 && scalar != "\u{2192}"
    }
  }

  /// Replaces the letters of a word that the tokenizer does not fold; returns `nil` if there are no such letters.
  private static func folded(_ word: [Unicode.Scalar]) -> String? {
    var plain = ""
    var isFolded = false
    for scalar in word {
      if let letters = plainLetters(scalar) {
        plain += letters
        isFolded = true
      } else if hasNoSpaces(scalar) {
        plain += (plain.isEmpty ? "" : " ") + String(scalar) + " "
        isFolded = true
      } else {
        plain.unicodeScalars.append(scalar)
      }
    }
    return isFolded ? plain : nil
  }

  /// Whether the character's script has no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han; Hangul is
  /// included, because Korean words may start with other words.
  private static func hasNoSpaces(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
      true
    default: false
    }
  }

  private static func plainLetters(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "ß", "ẞ": "ss"
    case "æ", "Æ": "ae"
    case "œ", "Œ": "oe"
    case "ø", "Ø": "o"
    case "ł", "Ł": "l"
    case "đ", "Đ", "ð", "Ð": "d"
    case "þ", "Þ": "th"
    case "ı": "i"
    // The tokenizer removes diacritics only from letters in the Latin script.
    case "ё", "Ё": "е"
    case "ά", "Ά": "α"
    case "έ", "Έ": "ε"
    case "ή", "Ή": "η"
    case "ί", "Ί", "ϊ", "Ϊ", "ΐ": "ι"
    case "ό", "Ό": "ο"
    case "ύ", "Ύ", "ϋ", "Ϋ", "ΰ": "υ"
    case "ώ", "Ώ": "ω"
    default: nil
    }
  }
}
