// The format of 'mqtt sub --format': text with mosquitto_sub's placeholders for the parts of a message.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetPlatform

/// A template of the line that is printed for each message.
struct LineTemplate {
  private enum Part {
    case text(String)
    case payload, hexadecimal, topic, qos, retained, size, date, unixTime
  }

  private var parts: [Part] = []

  /// Parses a template; `nil` if a letter after `%` or `\` is unknown.
  init?(_ text: String) {
    var literal = ""
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "%" || scalar == "\\" else {
        literal.unicodeScalars.append(scalar)
        continue
      }
      guard let letter = scalars.next() else { return nil }
      if let plain = scalar == "%" ? (letter == "%" ? "%" : nil) : Self.escape(letter) {
        literal += plain
        continue
      }
      guard scalar == "%", let part = Self.part(letter) else { return nil }
      parts += [.text(literal), part]
      literal = ""
    }
    parts.append(.text(literal))
  }

  private static func escape(_ letter: Unicode.Scalar) -> String? {
    switch letter {
    case "n": "\n"
    case "t": "\t"
    case "\\": "\\"
    default: nil
    }
  }

  private static func part(_ letter: Unicode.Scalar) -> Part? {
    switch letter {
    case "p": .payload
    case "x": .hexadecimal
    case "t": .topic
    case "q": .qos
    case "r": .retained
    case "l": .size
    case "I": .date
    case "U": .unixTime
    default: nil
    }
  }

  /// Returns the line for a message that arrived at the given time, with terminal control characters escaped.
  func line(_ message: LinkMessage, _ unixMilliseconds: Int64) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .payload: message.text
      case .hexadecimal: Hex.encode(message.payload)
      case .topic: message.topic.escaped
      case .qos: String(message.qos)
      case .retained: message.isRetained ? "1" : "0"
      case .size: String(message.size)
      case .date: WallTime.utc(unixMilliseconds: unixMilliseconds) ?? ""
      case .unixTime:
        String(unixMilliseconds / 1000) + "." + String(1000 + unixMilliseconds % 1000).dropFirst()
      }
    }.joined() + "\n"
  }
}
