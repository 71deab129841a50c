// Untrusted text for a terminal, a log, JSON, HTML or a topic.

extension String {
  /// Whether the text is safe to display: no character can move the cursor, end a line or reorder the text.
  package var isPrintable: Bool { unicodeScalars.allSatisfy { $0.isPrintable } }

  /// Whether brokers accept the text in a topic or name (MQTT 5.0 §1.5.4; MQTT 3.1.1 brokers may refuse the same text).
  package var isOfMQTT: Bool { unicodeScalars.allSatisfy { $0.isOfMQTT } }

  /// The text with control and invisible characters escaped as `\u{1b}`, so that no two different texts look alike.
  package var escaped: String { escaped { $0.isVisible } }

  /// The text escaped and in quotes, so that its content cannot be mistaken for the surrounding message.
  package var quoted: String {
    @export(interface) get {
      var text = "\""
      for scalar in escaped.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { text += "\\" }
        text.unicodeScalars.append(scalar)
      }
      return text + "\""
    }
  }

  /// The text escaped, except for line ends and tabs.
  package var escapedLines: String { escaped { $0.isVisible || $0 == "\n" || $0 == "\t" } }

  /// The text without the user name and password of a URL, in case they were entered in the wrong place.
  ///
  /// Removes everything up to the last '@', because a password may contain '@'; the scheme may be missing, as in
  /// `name:password@host`.
  @export(interface)
  package var withoutUserInfo: String {
    @export(interface) get {
      guard let at = utf8.lastIndex(of: UInt8(ascii: "@")),
        let colon = utf8[..<at].firstIndex(of: UInt8(ascii: ":"))
      else { return self }
      let isURL = utf8[colon..<at].starts(with: "://".utf8)
      let start = isURL ? utf8.index(colon, offsetBy: 3) : utf8.startIndex
      return start < at ? String(self[..<start]) + "…" + String(self[at...]) : self
    }
  }

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
  /// Whether the character is neither a control character nor one that ends lines or changes the text direction.
  ///
  /// Terminals also execute the C1 controls of ISO 6429 (0x80 to 0x9F) in UTF-8.
  package var isPrintable: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }

  /// Whether the character is neither a control character nor one of the 66 noncharacters.
  var isOfMQTT: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0xFDD0...0xFDEF: false
    default: value & 0xFFFE != 0xFFFE
    }
  }
}

extension String {
  /// Returns the text truncated at a character boundary to at most `size` bytes.
  @export(interface)
  package func cut(toSize size: Int) -> String {
    guard utf8.count > size else { return self }
    var kept = ""
    for character in unicodeScalars {
      if kept.utf8.count + UTF8.width(character) > size { break }
      kept.unicodeScalars.append(character)
    }
    return kept
  }

  /// The text escaped for a JSON string (RFC 8259 §7), without quotes.
  package var jsonEscaped: String {
    @export(interface) get {
      var text = ""
      for scalar in unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case _ where scalar.isPrintable: text.unicodeScalars.append(scalar)
        default: text += "\\u" + Hex.encode([UInt8(scalar.value >> 8 & 0xFF), UInt8(scalar.value & 0xFF)])
        }
      }
      return text
    }
  }

  /// The text with HTML's special characters escaped.
  package var markupEscaped: String {
    @export(interface) get {
      var text = ""
      for scalar in unicodeScalars {
        switch scalar {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        default: text.unicodeScalars.append(scalar)
        }
      }
      return text
    }
  }

  /// The text as one topic level: without MQTT's special characters, and never empty.
  package var topicLevel: String {
    @export(interface) get {
      guard !isEmpty else { return "none" }
      var level = ""
      for scalar in cut(toSize: Limits.factInTopicSizeMax).unicodeScalars {
        let isForbidden =
          scalar == "/" || scalar == "+" || scalar == "#" || scalar == "$" || !scalar.isPrintable
          || !scalar.isOfMQTT
        level.unicodeScalars.append(isForbidden ? "_" : scalar)
      }
      return level
    }
  }
}
