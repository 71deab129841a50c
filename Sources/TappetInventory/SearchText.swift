// Words as the full-text index has them. Its tokenizer makes ü an u, but leaves letters that are not a Latin letter
// with a mark: ß, æ, ø, ł, ё, ό and the like. Their words are in a shadow column once more, spelt without them, as is
// each query.

import TappetCore

/// Texts for the index, and queries of it.
enum SearchText {
  /// The words of these texts that have a letter that the tokenizer does not fold; `nil` when none has.
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

  /// A query of FTS5 for all words of a text, each as the beginning of one; `nil` when it has no word.
  static func query(_ text: String) -> String? { expression(text, suffix: " *") }

  /// A query for exactly these words, wherever they are.
  static func phrase(_ text: String) -> String? { expression(text, suffix: "") }

  /// Each word is quoted, so that none of FTS5's operators is in it (sqlite.org/fts5.html, §3.1).
  private static func expression(_ text: String, suffix: String) -> String? {
    var query = ""
    for word in words(text) where word.contains(where: { isPartOfWord($0) }) {
      var plain = String.UnicodeScalarView()
      plain.append(contentsOf: word)
      let quoted = (folded(word) ?? String(plain)).unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
      query += (query.isEmpty ? "\"" : " \"") + quoted + "\"" + suffix
    }
    return query.isEmpty ? nil : query
  }

  private static func words(_ text: String) -> [[Unicode.Scalar]] {
    Array(text.unicodeScalars).split { $0.value <= 0x20 || $0.value == 0xA0 }.map { Array($0) }
  }

  /// Whether the tokenizer may keep it; of the letters beyond ASCII it knows more than this does.
  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "a"..."z", "A"..."Z": true
    default: scalar.value >= 0x80 && scalar != "\u{2192}"
    }
  }

  /// The same word without such letters; `nil` when it has none.
  private static func folded(_ word: [Unicode.Scalar]) -> String? {
    var plain = ""
    var isFolded = false
    for scalar in word {
      if let letters = plainLetters(scalar) {
        plain += letters
        isFolded = true
      } else {
        plain.unicodeScalars.append(scalar)
      }
    }
    return isFolded ? plain : nil
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
    // Of letters with marks, the tokenizer folds only those of the Latin script.
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
