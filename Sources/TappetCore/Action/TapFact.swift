// Facts about a tap that can be inserted into a message or a topic: `%{uid}` and others (docs/configuration.md, "What a
// message says").

/// A fact about a tap that can be inserted into a message.
package enum TapFact: String, CaseIterable, Hashable, Sendable {
  /// The tag's UID, in lower-case hexadecimal digits.
  case uid
  /// The label of the tag's secret.
  case tag
  /// The name of the tag's owner.
  case person
  /// The originator: `Ann`, `@ann:example.org`, `button bell`.
  case by
  /// The action's name.
  case action
  /// The kiosk's client id.
  case kiosk
  /// The time of acceptance: `2026-11-21T10:51:07Z`.
  case time
  /// The time of acceptance, in seconds since 1970.
  case unix
  /// Number of accepted taps of the tag, including this tap.
  case count
  /// The first text on the tag.
  case text
  /// The first URI on the tag, ignoring kiosk tag URLs.
  case uri
  /// The result of the inventory operation: `shown`, `moved`, `lent`, `returned`, `put`, `low`, `overdue` and so on.
  case verb
  /// The kind of entry: `box`.
  case kind
  /// The entry's name, or a box's label.
  case thing
  /// The id of the entry.
  case id
  /// The text of a box's QR code.
  case code
  /// The path of the entry's location: `House → Cellar → Shelf`.
  case path
  /// Its contents: `200 M4 x 20, M5 x 30`.
  case contents
  /// Number of pieces of an item, otherwise 1.
  case quantity
  /// Number of pieces that were moved or counted.
  case pieces
  /// Number of pieces below which the stock is low.
  case minimum
  /// The person who has borrowed the item.
  case holder
  /// The due date of a loan that has become overdue.
  case due
  /// The person who made the change, otherwise the kiosk's client id.
  case who
  /// The number of a change that is published.
  case change
  /// The quantity of an item before a stocktake.
  case from
  /// The quantity of an item as found by a stocktake.
  case to
}

extension TapFact {
  /// Whether the fact can appear as the given text in a topic.
  func mayBe(_ text: ArraySlice<UInt8>) -> Bool {
    if text.elementsEqual("".topicLevel.utf8) { return true }
    return switch self {
    case .uid: text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    case .unix, .count, .quantity, .pieces, .minimum, .change, .from, .to:
      text.allSatisfy { (0x30...0x39).contains($0) }
    case .time, .due: text.first.map { (0x30...0x39).contains($0) } ?? false
    case .tag, .person, .by, .action, .kiosk, .text, .uri, .verb, .kind, .thing, .id, .code, .path, .contents, .holder,
      .who:
      true
    }
  }
}

/// The facts of one tap; an inapplicable fact, such as the UID of a button, is empty.
package struct TapFacts: Sendable {
  private var values: [TapFact: String] = [:]

  package init() {}

  /// The fact's text.
  package subscript(fact: TapFact) -> String {
    get { values[fact] ?? "" }
    set { values[fact] = newValue }
  }
}

/// The encoding of facts in a message.
package enum MessageFormat: Hashable, Sendable, CaseIterable {
  /// Inserted without escaping.
  case text
  /// Escaped as in a JSON string.
  case json
  /// Facts are not inserted: `%{uid}` is literal text.
  case literal

  /// Derives the format from a message: text that looks like an object, an array or a string is JSON.
  init(of bytes: [UInt8]) {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    switch (bytes.first { !isSpace($0) }, bytes.last { !isSpace($0) }) {
    case (0x7B, 0x7D), (0x5B, 0x5D), (0x22, 0x22): self = .json
    default: self = .text
    }
  }
}

/// A placeholder for a fact, with its position in the text.
struct FactPlace: Hashable, Sendable {
  var bytes: Range<Int>
  var fact: TapFact
}

extension FactPlace {
  /// Returns the placeholders in a text.
  ///
  /// Only `%{` followed by a letter is a placeholder. `nil` means that a placeholder is unknown or unterminated.
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

extension TapFacts {
  /// Adds the facts about an outcome in the inventory.
  mutating func add(_ outcome: InventoryOutcome) {
    self[.verb] = outcome.verb
    self[.who] = outcome.who
    guard let thing = outcome.thing else { return }
    self[.kind] = thing.kind.name
    self[.thing] = thing.name
    self[.id] = thing.id.text
    self[.code] = thing.code
    self[.path] = thing.path
    self[.contents] = thing.contentList
    self[.quantity] = String(thing.quantity)
    self[.pieces] = outcome.pieces.map { String($0) } ?? ""
    self[.minimum] = thing.minimum.map { String($0) } ?? ""
    self[.holder] = thing.holders ?? ""
    self[.due] = outcome.due
    if let change = outcome.change {
      self[.change] = String(change)
      self[.from] = outcome.correction.map { String($0.from) } ?? "null"
      self[.to] = outcome.correction.map { String($0.to) } ?? "null"
    }
    if let milliseconds = outcome.unixMilliseconds {
      self[.time] = UTCTime(unixSeconds: milliseconds / 1000).text
      self[.unix] = String(milliseconds / 1000)
    }
  }
}
