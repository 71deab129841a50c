// The common rules for names of people, secrets, actions, places and things. Names are stored and compared in NFC
// (Unicode Standard Annex 15), so that an é from a table saved on a Mac equals a typed é, with single spaces, and
// contain no invisible characters. Similar letters of different scripts remain different, and a ligature remains one
// character.

import CUTF8Proc

/// The reason why a text cannot be a name.
package enum NameFault: Hashable, Sendable {
  /// The text is too long; both sizes are in bytes.
  case tooLong(size: Int, max: Int)
  /// The text has a character that controls a terminal, changes text direction or is invisible; `place` counts from 1.
  case unseen(Unicode.Scalar, place: Int)
}

extension String {
  /// The text as a name: in NFC, with single plain spaces, and without spaces at the ends; `nil` if nothing remains.
  ///
  /// Variation selectors, which phones add to emoji, and invisible characters at the ends are also removed.
  @export(interface)
  package var trimmedLabel: String? {
    @export(interface) get {
      // The fast path, which nearly all names take.
      if utf8.allSatisfy({ (0x20...0x7E).contains($0) }), utf8.first != 0x20, utf8.last != 0x20,
        !zip(utf8, utf8.dropFirst()).contains(where: { $0 == (0x20, 0x20) })
      {
        return isEmpty ? nil : self
      }
      let scalars = unicodeScalars
      guard let first = scalars.firstIndex(where: { !$0.isLeftAtEnds }),
        let last = scalars.lastIndex(where: { !$0.isLeftAtEnds })
      else { return nil }
      var kept = String.UnicodeScalarView()
      for scalar in scalars[first...last] where !(0xFE0E...0xFE0F).contains(scalar.value) {
        if !scalar.isSpace { kept.append(scalar) } else if kept.last != " " { kept.append(" ") }
      }
      return String(kept).composed
    }
  }

  /// The text in the form in which names are compared; a text without any name is returned unchanged.
  package var nameForm: String { trimmedLabel ?? self }

  /// The name with its letters folded, to find names that differ only in capital letters; `ß` and `ss` still differ.
  package var lowercasedName: String {
    @export(interface) get {
      var small = String.UnicodeScalarView()
      var letters: [utf8proc_int32_t] = [0, 0, 0, 0]
      for scalar in unicodeScalars {
        var (value, boundary) = (utf8proc_int32_t(scalar.value), Int32(0))
        // Both would fold to ss.
        if value == 0x1E9E { value = 0xDF }
        let count = utf8proc_decompose_char(value, &letters, letters.count, UTF8PROC_CASEFOLD, &boundary)
        guard value != 0xDF, (1...letters.count).contains(count) else {
          small.append(Unicode.Scalar(UInt32(value)) ?? scalar)
          continue
        }
        for letter in letters[..<count] { small.append(Unicode.Scalar(UInt32(letter)) ?? scalar) }
      }
      // The marks of a capital letter may belong to its small letter.
      return String(small).composed
    }
  }

  /// Returns why this trimmed text cannot be a name; `nil` if it can.
  @export(interface)
  package func nameFault(sizeMax: Int = Limits.secretLabelSizeMax) -> NameFault? {
    let size = utf8.count
    if size > sizeMax { return .tooLong(size: size, max: sizeMax) }
    for (index, scalar) in unicodeScalars.enumerated() where !scalar.isVisible {
      return .unseen(scalar, place: index + 1)
    }
    return nil
  }

  /// The name in a text that was sealed, or received from a site or the app; invisible characters are removed.
  package var storedName: String {
    var seen = String.UnicodeScalarView()
    for scalar in unicodeScalars where scalar.isVisible { seen.append(scalar) }
    return String(seen).trimmedLabel ?? escaped
  }

  /// The text in NFC; a text that is too long for a name is returned unchanged.
  @export(interface)
  package var composed: String {
    @export(interface) get {
      let size = utf8.count
      // Characters below U+0300 do not change.
      guard size <= Limits.composedTextSizeMax, unicodeScalars.contains(where: { $0.value >= 0x300 }) else {
        return self
      }
      let options = utf8proc_option_t(rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
      // A character decomposes into at most four characters; the last element is for the NUL that the library adds.
      var scalars = [utf8proc_int32_t](repeating: 0, count: 4 * size + 1)
      var text = self
      let count = text.withUTF8 { source in
        utf8proc_decompose(source.baseAddress, source.count, &scalars, scalars.count - 1, options)
      }
      guard (1..<scalars.count).contains(count) else { return self }
      let composedSize = utf8proc_reencode(&scalars, count, options)
      guard composedSize > 0 else { return self }
      return scalars.withUnsafeBytes { String(decoding: $0.prefix(composedSize), as: UTF8.self) }
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character is printable and visible.
  ///
  /// Excluded are all format characters (Cf), all that fonts ignore (Default_Ignorable_Code_Point), noncharacters (such
  /// as U+FFFE), and three signs of other categories that are drawn as a blank.
  package var isVisible: Bool {
    @export(interface) get {
      if value < 0x80 { return isPrintable }
      let facts = utf8proc_get_property(utf8proc_int32_t(value)).pointee
      guard isPrintable, facts.ignorable == 0, UInt32(facts.category) != UTF8PROC_CATEGORY_CF.rawValue else {
        return false
      }
      switch value {
      // The blank Braille cell, the Khitan filler and the null notehead.
      case 0x2800, 0x16FE4, 0x1D159: return false
      // Reserved for characters that fonts ignore; libutf8proc knows only assigned ones.
      case 0x2065, 0xFFF0...0xFFF8, 0xE0000...0xE0FFF: return false
      default: return value & 0xFFFE != 0xFFFE && !(0xFDD0...0xFDEF).contains(value)
      }
    }
  }

  /// Whether the character is a space or a line end, which the app trims (Foundation's `whitespacesAndNewlines`), an
  /// invisible character that spreadsheets, browsers or word processors leave at the ends, or a variation selector.
  package var isLeftAtEnds: Bool {
    switch value {
    case 0x09...0x0D, 0x85, 0x2028, 0x2029, 0x200B...0x200D, 0x2060, 0xFE0E, 0xFE0F, 0xFEFF: true
    default: isSpace
    }
  }

  /// Whether the character is one of the space characters, all of which look the same.
  fileprivate var isSpace: Bool {
    switch value {
    case 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
