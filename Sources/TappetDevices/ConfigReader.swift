// Takes typed values out of a YAML tree and collects every mistake on the way, so that a person sees all of them at once.

import TappetCore

/// A mapping whose keys are taken one by one; what is left over at the end is unknown.
struct ConfigMapping {
  let pairs: [(key: String, keyPosition: TextPosition, value: YAMLNode)]
  let place: String
  let position: TextPosition

  func value(_ key: String) -> YAMLNode? { pairs.first { $0.key == key }?.value }

  func path(_ key: String) -> String { place.isEmpty ? key : place + "." + key }
}

/// The mistakes found so far.
struct ConfigReader {
  let file: String
  let folder: String
  private(set) var problems: [ConfigProblem] = []

  init(file: String, folder: String) {
    self.file = file
    self.folder = folder
  }

  mutating func note(_ kind: ConfigProblem.Kind, at position: TextPosition, _ place: String) {
    problems.append(ConfigProblem(file: file, position: position, place: place, kind: kind))
  }

  // MARK: Shapes

  /// The node as a mapping with these keys.
  mutating func mapping(_ node: YAMLNode, _ place: String, keys: [String]) -> ConfigMapping? {
    guard case .mapping(let pairs) = node.content else {
      note(.wrongType(expected: "a mapping (key: value)", found: Self.kind(of: node)), at: node.position, place)
      return nil
    }
    var taken: [(key: String, keyPosition: TextPosition, value: YAMLNode)] = []
    for pair in pairs {
      guard case .scalar(let key, _) = pair.key.content else {
        note(.keyNotText, at: pair.key.position, place)
        continue
      }
      if key == "<<" {
        note(.mergeKey, at: pair.key.position, place)
      } else if taken.contains(where: { $0.key == key }) {
        note(.duplicateKey(Self.shortened(key)), at: pair.key.position, place)
      } else if keys.contains(key) {
        taken.append((key, pair.key.position, pair.value))
      } else {
        note(
          .unknownKey(Self.shortened(key), nearest: Spelling.nearest(to: key, among: keys)), at: pair.key.position,
          place)
      }
    }
    return ConfigMapping(pairs: taken, place: place, position: node.position)
  }

  /// The value of a key that must be there.
  mutating func required(_ key: String, in mapping: ConfigMapping) -> YAMLNode? {
    if let value = mapping.value(key) { return value }
    note(.missingKey(key), at: mapping.position, mapping.place)
    return nil
  }

  /// The elements of a list that has one at least.
  mutating func list(_ node: YAMLNode, _ place: String) -> [YAMLNode]? {
    guard case .sequence(let elements) = node.content, !elements.isEmpty else {
      note(
        .wrongType(expected: "a list with one element at least", found: Self.kind(of: node)), at: node.position, place)
      return nil
    }
    return elements
  }

  // MARK: Scalars

  /// Text that is not empty and has no NUL.
  mutating func text(_ node: YAMLNode, _ place: String) -> String? {
    guard case .scalar(let text, let isPlain) = node.content, !(isPlain && Self.isNull(text)) else {
      note(.wrongType(expected: "text", found: Self.kind(of: node)), at: node.position, place)
      return nil
    }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      note(
        .invalidValue(text.isEmpty ? "" : "text with NUL", expected: "text that is not empty"), at: node.position, place
      )
      return nil
    }
    return text
  }

  /// A path; a relative one is taken from the configuration's folder.
  mutating func path(_ node: YAMLNode, _ place: String) -> String? {
    text(node, place).map { $0.utf8.first == UInt8(ascii: "/") ? $0 : folder + "/" + $0 }
  }

  /// Text for a line on a terminal.
  mutating func shortText(_ node: YAMLNode, _ place: String, sizeMax: Int) -> String? {
    guard let text = text(node, place) else { return nil }
    guard text.utf8.count <= sizeMax, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      invalid(node, place, expected: "1 to \(sizeMax) bytes on one line")
      return nil
    }
    return text
  }

  /// The path of a socket, which the kernel bounds.
  mutating func socketPath(_ node: YAMLNode, _ place: String) -> String? {
    guard let path = path(node, place) else { return nil }
    guard path.utf8.count <= Limits.socketPathSizeMax else {
      invalid(node, place, expected: "a path of at most \(Limits.socketPathSizeMax) bytes, its folder included")
      return nil
    }
    return path
  }

  mutating func whole(_ node: YAMLNode, _ place: String, in range: ClosedRange<Int64>) -> Int64? {
    guard case .scalar(let text, isPlain: true) = node.content, let value = Int64(decimal: text.utf8),
      range.contains(value)
    else {
      invalid(node, place, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return value
  }

  /// `true` or `false`, without quotes.
  mutating func flag(_ node: YAMLNode, _ place: String) -> Bool? {
    if case .scalar(_, isPlain: false) = node.content {
      invalid(node, place, expected: "true or false, without quotes")
      return nil
    }
    return choice(node, place, ["true": true, "false": false])
  }

  mutating func choice<Value>(_ node: YAMLNode, _ place: String, _ values: KeyValuePairs<String, Value>) -> Value? {
    if case .scalar(let text, _) = node.content {
      for value in values where value.key == text { return value.value }
    }
    invalid(node, place, expected: values.map { "'\($0.key)'" }.joined(separator: " or "))
    return nil
  }

  /// `800 ms`, `3 s`, `10 min`, `24 h`, `7 d`.
  mutating func duration(
    _ node: YAMLNode, _ place: String, min: Duration = .zero, max: Duration
  ) -> Duration? {
    let units: KeyValuePairs<String, Int64> = ["ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
    if let (number, unit) = quantity(node) {
      for entry in units where entry.key == unit {
        let (product, overflow) = number.multipliedReportingOverflow(by: entry.value)
        if !overflow, min <= .milliseconds(product), .milliseconds(product) <= max { return .milliseconds(product) }
      }
    }
    let least = min > .zero ? "at least " + Self.text(of: min) + ", " : ""
    invalid(
      node, place,
      expected: "a duration such as '800 ms', '3 s', '10 min' or '24 h', " + least + "at most " + Self.text(of: max))
    return nil
  }

  private static func text(of duration: Duration) -> String {
    let milliseconds = duration.wholeMilliseconds
    if milliseconds % 3_600_000 == 0 { return String(milliseconds / 3_600_000) + " h" }
    return milliseconds % 1000 == 0 ? String(milliseconds / 1000) + " s" : String(milliseconds) + " ms"
  }

  /// `4096`, `64 KB`, `100 MB` (1 KB = 1,024 bytes).
  mutating func size(_ node: YAMLNode, _ place: String, max: Int64) -> Int? {
    let units: KeyValuePairs<String, Int64> = ["": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30]
    if let (number, unit) = quantity(node) {
      for entry in units where entry.key == unit {
        let (product, overflow) = number.multipliedReportingOverflow(by: entry.value)
        if !overflow, product > 0, product <= max { return Int(exactly: product) }
      }
    }
    invalid(node, place, expected: "a size such as '64 MB'")
    return nil
  }

  private func quantity(_ node: YAMLNode) -> (Int64, unit: String)? {
    guard case .scalar(let text, _) = node.content else { return nil }
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard let number = Int64(decimal: digits) else { return nil }
    let unit = text.utf8.dropFirst(digits.count).drop { $0 == 0x20 }
    return (number, String(decoding: unit, as: UTF8.self))
  }

  mutating func invalid(_ node: YAMLNode, _ place: String, expected: String) {
    if case .scalar(let text, _) = node.content {
      note(.invalidValue(Self.shortened(text), expected: expected), at: node.position, place)
    } else {
      note(.wrongType(expected: expected, found: Self.kind(of: node)), at: node.position, place)
    }
  }

  static func shortened(_ text: String) -> String {
    text.unicodeScalars.count <= 40 ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))) + "…"
  }

  private static func kind(of node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let text, let isPlain): isPlain && isNull(text) ? "nothing" : "'\(shortened(text))'"
    case .sequence(let elements): elements.isEmpty ? "an empty list" : "a list"
    case .mapping: "a mapping"
    }
  }

  private static func isNull(_ text: String) -> Bool { ["", "~", "null", "Null", "NULL"].contains(text) }
}
