// Facts about a tap that a message or a topic can name: `%{uid}` and others (docs/configuration.md, "What a message
// says").

/// A fact about a tap that a message can name.
package enum TapFact: String, CaseIterable, Hashable, Sendable {
  /// The tag's UID, in lower-case digits.
  case uid
  /// The label of the tag's secret.
  case tag
  /// The name of the person whose tag it is.
  case person
  /// The action's name.
  case action
  /// The kiosk's client id.
  case kiosk
  /// When it was accepted: `2026-11-21T10:51:07Z`.
  case time
  /// When it was accepted, in seconds since 1970.
  case unix
  /// The number of its tag's accepted taps, this one included.
  case count
  /// The first text on the tag.
  case text
  /// The first link on the tag, unless it is one of a kiosk's own.
  case uri
  /// The result in the inventory: `shown`, `moved`, `lent`, `returned`, `low`.
  case verb
  /// The kind of thing: `box`.
  case kind
  /// The thing's name, a box's label.
  case thing
  /// The thing's id.
  case id
  /// The text of a box's QR code.
  case code
  /// The path of the place that it is in: `House → Cellar → Shelf`.
  case path
  /// The things in it: `200 M4 x 20, M5 x 30`.
  case contents
  /// Number of pieces of an item, else 1.
  case quantity
  /// Number of pieces below which it is low.
  case minimum
  /// The person who has the item.
  case holder
  /// The person who did it, else the kiosk's client id.
  case who
  /// The number of a change that is passed on.
  case change
}

extension TapFact {
  /// Whether it may have this text in a topic.
  func mayBe(_ text: ArraySlice<UInt8>) -> Bool {
    if text.elementsEqual("".topicLevel.utf8) { return true }
    return switch self {
    case .uid: text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    case .unix, .count, .quantity, .minimum, .change: text.allSatisfy { (0x30...0x39).contains($0) }
    case .time: text.first.map { (0x30...0x39).contains($0) } ?? false
    case .tag, .person, .action, .kiosk, .text, .uri, .verb, .kind, .thing, .id, .code, .path, .contents, .holder, .who:
      true
    }
  }
}

/// The facts of one tap; empty where there is none, as the UID of a button.
package struct TapFacts: Sendable {
  private var values: [TapFact: String] = [:]

  /// Facts that are all empty.
  package init() {}

  /// The fact's text.
  package subscript(fact: TapFact) -> String {
    get { values[fact] ?? "" }
    set { values[fact] = newValue }
  }
}

/// How facts are written into a message.
package enum MessageFormat: Hashable, Sendable, CaseIterable {
  /// As they are.
  case text
  /// Escaped as in a JSON string.
  case json
  /// Not at all: `%{uid}` has no meaning.
  case literal

  /// The format of a message that does not say it: one that looks like an object, an array or a string is JSON.
  init(of bytes: [UInt8]) {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    switch (bytes.first { !isSpace($0) }, bytes.last { !isSpace($0) }) {
    case (0x7B, 0x7D), (0x5B, 0x5D), (0x22, 0x22): self = .json
    default: self = .text
    }
  }
}

/// Where a text names a fact.
struct FactPlace: Hashable, Sendable {
  var bytes: Range<Int>
  var fact: TapFact
}

extension FactPlace {
  /// The places in a text.
  ///
  /// Only `%{` with a letter behind it is a placeholder. `nil` means that one is unknown or has no end.
  static func all(in bytes: [UInt8]) -> [FactPlace]? {
    var places: [FactPlace] = []
    var offset = 0
    while offset + 2 < bytes.count {
      guard bytes[offset] == 0x25, bytes[offset + 1] == 0x7B, bytes[offset + 2].isASCIILowercase else {
        offset += 1
        continue
      }
      let name = bytes[(offset + 2)...].prefix { $0.isASCIILowercase || $0 == 0x5F }
      guard name.endIndex < bytes.count, bytes[name.endIndex] == 0x7D,
        let fact = TapFact(rawValue: String(decoding: name, as: UTF8.self))
      else { return nil }
      places.append(FactPlace(bytes: offset..<name.endIndex + 1, fact: fact))
      offset = name.endIndex + 1
    }
    return places
  }
}

extension String {
  /// The text without what is longer than `size` bytes, cut between characters.
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

  /// The text as the inside of a JSON string (RFC 8259 §7).
  package var jsonEscaped: String {
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

  /// The text without what HTML gives a meaning.
  var markupEscaped: String {
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

  /// The text as one level of a topic: without what MQTT gives a meaning, and never empty.
  var topicLevel: String {
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
