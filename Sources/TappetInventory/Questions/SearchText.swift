// Words in the form that the full-text index uses. Its tokenizer folds ü to u, but folds only Latin letters with a
// diacritic, and not ß, æ, ø, ł, ё, ό and the like. Words with such letters are stored again in a shadow column with
// the letters replaced, and queries are converted in the same way. Scripts without spaces between words are stored
// letter by letter in the shadow column, so that a query finds any part of a text.

import TappetCore

/// A word of a query.
struct SearchWord {
  /// FTS5 query for exactly this word.
  var phrase: String
  /// Whether longer words do not match, because the word ends with a letter that is a word of its own in the index.
  var isWhole: Bool
  /// The word as the index contains it; `nil` if only the tokenizer knows.
  var indexed: String?
}

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

  /// Returns the words of a query.
  static func queryWords(_ text: String) -> [SearchWord] {
    words(text).filter { $0.contains { isPartOfWord($0) } }.map { word in
      let plain = folded(word)?.unicodeScalars.map { $0 } ?? word
      return SearchWord(
        phrase: quoted(plain), isWhole: word.last.map { hasNoSpaces($0) } ?? false, indexed: indexed(plain))
    }
  }

  /// Returns a query for exactly the words of the text, in any position; `nil` if the text contains no words.
  static func phrase(_ text: String) -> String? {
    let all = queryWords(text).map { $0.phrase }
    return all.isEmpty ? nil : all.joined(separator: " ")
  }

  /// Returns the text in quotes, so that it contains no FTS5 operators (sqlite.org/fts5.html, §3.1).
  static func quoted(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    "\"" + scalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }

  /// Returns queries for the trigrams of each word, anywhere in a name; `nil` if a word has fewer than three letters.
  ///
  /// The first ones are of different words, because the trigrams of one word are often equally frequent. A matching
  /// name may contain the trigrams of a word in separate places.
  static func pieces(_ text: String) -> [String]? {
    let words = words(text)
    guard !words.isEmpty, words.allSatisfy({ $0.count >= 3 }) else { return nil }
    var pieces: [String] = []
    for start in 0...(words.map { $0.count }.max() ?? 3) - 3 {
      for word in words where start + 3 <= word.count {
        let piece = quoted(word[start..<start + 3])
        if !pieces.contains(piece) { pieces.append(piece) }
      }
    }
    return pieces
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

  /// Returns a word as the tokenizer stores it, for the letters whose conversion is known here.
  private static func indexed(_ word: [Unicode.Scalar]) -> String? {
    var text = String.UnicodeScalarView()
    for scalar in word {
      switch scalar.value {
      case 0x30...0x39, 0x61...0x7A, 0x3B1...0x3C1, 0x3C3...0x3C9, 0x430...0x44F: text.append(scalar)
      case 0x41...0x5A, 0x391...0x3A1, 0x3A3...0x3A9, 0x410...0x42F:
        guard let lower = Unicode.Scalar(scalar.value + 0x20) else { return nil }
        text.append(lower)
      case 0xC0...0x17F:
        let letter = latinLetters.utf8Start[Int(scalar.value - 0xC0)]
        guard letter != UInt8(ascii: ".") else { return nil }
        text.append(Unicode.Scalar(letter))
      default: return nil
      }
    }
    return String(text)
  }

  /// The letters U+00C0 to U+017F without their diacritics; a dot for those that have none.
  private static let latinLetters: StaticString = """
    aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y\
    aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll.\
    ...nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzz.
    """

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
