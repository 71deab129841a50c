// A configured message, with placeholders for a timestamp token and an id (docs/formats.md, "%T"), and for facts about
// the tap. The facts and the id are filled in when the tap is accepted, and the token when the message is sent.

/// A payload whose first `%T` and first `%I` are filled in when it is sent; all other text is literal, except for
/// placeholders for facts in a configured payload.
package struct PayloadTemplate: Hashable, Sendable {
  /// The positions at which the token and the id are filled in.
  private enum Filling: Hashable, Sendable {
    /// The positions of the first `%T` and the first `%I`.
    case searched
    /// The id is filled in, and the token's position, if any, is fixed, as inserted text may look like a placeholder.
    case token(at: Int?)
  }

  /// The template as written.
  package let text: String
  /// Whether a token is to be filled in.
  package let usesTimestamp: Bool
  /// Whether the id is to be filled in.
  package let usesID: Bool
  private let filling: Filling
  private let format: MessageFormat
  private let facts: [FactPlace]
  /// Offset from which facts are inserted into HTML; `nil` if the template contains no HTML.
  private let markupStart: Int?

  /// Creates a template from any text; as in the app, placeholders for facts are not recognized.
  package init(_ text: String) {
    self.init(text, format: .literal, facts: [])
  }

  /// Creates a template from a configured message, which may contain placeholders for facts.
  ///
  /// If no format is given, it is derived from the text. The result is `nil` if the message refers to an unknown fact.
  package init?(configured text: String, format: MessageFormat? = nil) {
    let bytes = Array(text.utf8)
    let format = format ?? MessageFormat(of: bytes)
    guard let facts = format == .literal ? [] : FactPlace.all(in: bytes) else { return nil }
    self.init(text, format: facts.isEmpty ? .literal : format, facts: facts)
  }

  /// Creates a template from a configured JSON message whose end, from `markupStart` on, contains HTML in a string.
  package init?(json text: String, markupStart: Int) {
    guard let facts = FactPlace.all(in: Array(text.utf8)) else { return nil }
    self.init(text, format: facts.isEmpty ? .literal : .json, facts: facts, markupStart: markupStart)
  }

  private init(_ text: String, format: MessageFormat, facts: [FactPlace], markupStart: Int? = nil) {
    self.text = text
    self.markupStart = markupStart
    self.format = format
    self.facts = facts
    filling = .searched
    let bytes = Array(text.utf8)
    usesTimestamp = PayloadTemplate.place(of: UInt8(ascii: "T"), in: bytes) != nil
    usesID = PayloadTemplate.place(of: UInt8(ascii: "I"), in: bytes) != nil
  }

  private init(filled text: String, tokenPlace: Int?) {
    self.text = text
    format = .literal
    facts = []
    markupStart = nil
    filling = .token(at: tokenPlace)
    usesTimestamp = tokenPlace != nil
    usesID = false
  }

  /// Whether the template contains a placeholder for the given fact.
  package func names(_ fact: TapFact) -> Bool { facts.contains { $0.fact == fact } }

  /// Whether the template contains a placeholder for any fact.
  package var namesFacts: Bool { !facts.isEmpty }

  /// Maximum size of a topic produced by the template, in bytes.
  package var topicSizeMax: Int { text.utf8.count + facts.count * Limits.factInTopicSizeMax }

  /// Returns the message of one tap; if the template refers to facts, everything except the token is filled in.
  func filled(with values: TapFacts, id: EntryID) -> PayloadTemplate {
    guard namesFacts else { return self }
    let bytes = Array(text.utf8)
    let token = PayloadTemplate.place(of: UInt8(ascii: "T"), in: bytes)
    let identity = PayloadTemplate.place(of: UInt8(ascii: "I"), in: bytes)
    var payload: [UInt8] = []
    var tokenPlace: Int?
    var offset = 0
    while offset < bytes.count {
      if let place = facts.first(where: { $0.bytes.lowerBound == offset }) {
        let fact = values[place.fact].cut(toSize: Limits.factSizeMax)
        let value = offset >= markupStart ?? .max ? fact.markupEscaped : fact
        payload += Array((format == .json ? value.jsonEscaped : value).utf8)
        offset = place.bytes.upperBound
      } else if offset == identity {
        payload += id.hexDigits
        offset += 2
      } else {
        if offset == token { tokenPlace = payload.count }
        payload.append(bytes[offset])
        offset += 1
      }
    }
    return PayloadTemplate(filled: String(decoding: payload, as: UTF8.self), tokenPlace: tokenPlace)
  }

  /// Returns the topic of one tap.
  func topic(with values: TapFacts) -> String {
    guard namesFacts else { return text }
    let bytes = Array(text.utf8)
    var topic: [UInt8] = []
    var offset = 0
    for place in facts {
      topic += bytes[offset..<place.bytes.lowerBound] + Array(values[place.fact].topicLevel.utf8)
      offset = place.bytes.upperBound
    }
    return String(decoding: topic + bytes[offset...], as: UTF8.self)
  }

  /// Whether any tap can produce the given topic; only the facts in `known` are known in advance.
  @export(interface)
  package func mayBecome(_ topic: String, _ known: TapFacts) -> Bool {
    let (bytes, wanted) = (Array(text.utf8), Array(topic.utf8))
    // The offsets in the topic at which the processed part of the template may end.
    var ends: Set<Int> = [0]
    func pass(_ part: some Sequence<UInt8>) {
      let part = Array(part)
      ends = Set(ends.filter { wanted[$0...].starts(with: part) }.map { $0 + part.count })
    }
    var offset = 0
    for place in facts {
      pass(bytes[offset..<place.bytes.lowerBound])
      offset = place.bytes.upperBound
      guard known[place.fact].isEmpty else {
        pass(known[place.fact].topicLevel.utf8)
        continue
      }
      ends = ends.reduce(into: []) { reached, start in
        let level = wanted[start...].prefix { $0 != UInt8(ascii: "/") }
        for end in level.indices where place.fact.mayBe(level[...end]) { reached.insert(end + 1) }
      }
    }
    pass(bytes[offset...])
    return ends.contains(wanted.count)
  }

  /// Returns the payload.
  ///
  /// If there is no token, `%T` is left unchanged, as in the app. Inserted text is not searched for placeholders.
  @export(interface)
  package func fill(token: String?, id: EntryID) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard usesTimestamp || usesID else { return bytes }
    let timestamp = token == nil ? nil : tokenPlace(in: bytes)
    let identity = usesID ? PayloadTemplate.place(of: UInt8(ascii: "I"), in: bytes) : nil
    var payload: [UInt8] = []
    var offset = 0
    while offset < bytes.count {
      if offset == timestamp, let token {
        payload += Array(token.utf8)
        offset += 2
      } else if offset == identity {
        payload += id.hexDigits
        offset += 2
      } else {
        payload.append(bytes[offset])
        offset += 1
      }
    }
    return payload
  }

  private func tokenPlace(in bytes: [UInt8]) -> Int? {
    switch filling {
    case .searched: PayloadTemplate.place(of: UInt8(ascii: "T"), in: bytes)
    case .token(let place): place
    }
  }

  private static func place(of letter: UInt8, in bytes: [UInt8]) -> Int? {
    guard bytes.count >= 2 else { return nil }
    return (0..<bytes.count - 1).first { bytes[$0] == UInt8(ascii: "%") && bytes[$0 + 1] == letter }
  }
}

// MARK: In the store

extension PayloadTemplate {
  /// Number that is stored with the text.
  ///
  /// 0: no `%T`; 1: contains `%T`; -1: nothing remains to be filled in; 2 or more: position of the token, plus 2.
  package var storedFilling: Int64 {
    switch filling {
    case .searched: usesTimestamp ? 1 : 0
    case .token(let place): place.map { Int64($0) + 2 } ?? -1
    }
  }

  /// Creates the template from the stored text and number.
  @export(interface)
  package init(_ text: String, storedFilling: Int64) {
    if storedFilling == 0 || storedFilling == 1 {
      self.init(text)
    } else {
      let place = Int(storedFilling - 2)
      let isThere = storedFilling > 0 && Array(text.utf8.dropFirst(place).prefix(2)) == Array("%T".utf8)
      self.init(filled: text, tokenPlace: isThere ? place : nil)
    }
  }

  /// Whether a stored message needs a token.
  package static func usesTimestamp(storedFilling: Int64) -> Bool { storedFilling > 0 }
}
