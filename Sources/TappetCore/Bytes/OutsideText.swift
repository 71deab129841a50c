// Text that others wrote, on its way to a terminal or a log.

extension String {
  /// Whether no character can move a cursor, end a line or reorder the text, so that it is safe to show.
  package var isPrintable: Bool { unicodeScalars.allSatisfy { $0.isPrintable } }

  /// The text with everything that is not printable as `\u{1b}`.
  package var escaped: String { escaped { $0.isPrintable } }

  /// The same, with zero-width characters escaped too, so that two topics never look alike.
  package var visible: String { escaped { $0.isPrintable && !$0.isZeroWidth } }

  /// The text in quotes, with escapes, so that nothing in it passes for words or facts of ours.
  package var quoted: String {
    var text = "\""
    for scalar in escaped.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  /// The text with everything but printable characters, line ends and tabs escaped.
  package var escapedLines: String { escaped { $0.isPrintable || $0 == "\n" || $0 == "\t" } }

  private func escaped(except isKept: (Unicode.Scalar) -> Bool) -> String {
    if unicodeScalars.allSatisfy(isKept) { return self }
    var text = ""
    for scalar in unicodeScalars {
      if isKept(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether it is neither a control character nor one of those that end lines or turn the direction of text.
  ///
  /// Terminals execute the upper half of ISO 6429's controls (0x80 to 0x9F) in UTF-8 too.
  package var isPrintable: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }

  /// Whether it shows nothing by itself: soft hyphen, joiners and spaces without width, tags.
  package var isZeroWidth: Bool {
    switch value {
    case 0xAD, 0x34F, 0x180E, 0x200B...0x200D, 0x2060...0x2064, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }
}
