// Reads typed values from a YAML tree and collects all errors, so that they are reported together.

import TappetCore

/// A mapping with known keys; any other key is an error.
struct YAMLMapping {
  let node: YAMLNode
  private(set) var keys: [String] = []
  /// The values, in the same order as the keys.
  private(set) var values: [YAMLNode] = []

  init(_ node: YAMLNode) { self.node = node }

  subscript(_ key: String) -> YAMLNode? { keys.firstIndex(of: key).map { values[$0] } }

  fileprivate mutating func add(_ key: String, _ value: YAMLNode) {
    keys.append(key)
    values.append(value.reached(by: node.place.isEmpty ? key : node.place + "." + key))
  }
}

/// Typed reader of a YAML tree, with the errors found so far.
struct YAMLReader {
  let file: String
  let folder: String
  /// Strictness of the checks on the files that the configuration refers to.
  let files: NamedFiles
  /// Whether an action may do nothing.
  let isDraft: Bool
  private(set) var problems: [ConfigurationProblem] = []
  /// Faults of files, if these are tolerated.
  private(set) var warnings: [ConfigurationProblem] = []
  /// Whether there is a `broker` key, available once `broker` has been read.
  var hasBroker = true
  /// Names of the actions with `confirm`, available once `actions` has been read.
  var askingActions: [String] = []
  /// Names of the panel's inputs, including invalid inputs.
  var inputNames: [String] = []
  /// Nodes of all levels in `requires`, with the input's name.
  var requiredLevels: [(input: String, node: YAMLNode)] = []
  /// Nodes of all `confirm_in` values.
  var confirmRooms: [YAMLNode] = []
  /// Nodes of all `deliver_when: home-assistant` values.
  var awaitingPlaces: [YAMLNode] = []
  /// Nodes of the actions with `mode: inventory`.
  var inventoryActions: [YAMLNode] = []
  /// Webhook endpoints of the actions.
  var webhooks: [WebhookEndpoint] = []
  /// Settings of the session on a Matrix homeserver, available once `matrix` has been read.
  var matrix: MatrixSettings?

  init(file: String, folder: String, files: NamedFiles = .used, isDraft: Bool = false) {
    self.file = file
    self.folder = folder
    self.files = files
    self.isDraft = isDraft
  }

  mutating func note(_ kind: ConfigurationProblem.Kind, at position: TextPosition, _ place: String) {
    problems.append(ConfigurationProblem(file: file, position: position, place: place, kind: kind))
  }

  mutating func note(_ kind: ConfigurationProblem.Kind, at node: YAMLNode) { note(kind, at: node.position, node.place) }

  /// Reports a fault of a file that the configuration refers to, which must not prevent a start.
  mutating func noteFile(_ kind: ConfigurationProblem.Kind, at node: YAMLNode) {
    guard files == .tolerated else { return note(kind, at: node) }
    warnings.append(ConfigurationProblem(file: file, position: node.position, place: node.place, kind: kind))
  }

  /// Reports the value of a key that needs a broker if the configuration has none.
  mutating func requireBroker(for node: YAMLNode?) { if let node, !hasBroker { note(.needsBroker, at: node) } }

  // MARK: Shapes

  /// Returns the node as a mapping, and reports keys that are not in `known`.
  mutating func mapping(_ node: YAMLNode, keys known: [String]) -> YAMLMapping? {
    guard case .mapping(let keys, let values) = node.content else {
      wrongType(node, expected: "a mapping (key: value)")
      return nil
    }
    var mapping = YAMLMapping(node)
    for (index, key) in keys.enumerated() {
      if let kind = mistake(in: key, mapping, among: known) {
        note(kind, at: key.position, node.place)
      } else if case .scalar(let key, _) = key.content {
        mapping.add(key.nameForm, values[index])
      }
    }
    return mapping
  }

  private func mistake(in key: YAMLNode, _ mapping: YAMLMapping, among known: [String]) -> ConfigurationProblem.Kind? {
    guard case .scalar(let text, _) = key.content else { return .keyNotText }
    let key = text.nameForm
    if key == "<<" { return .mergeKey }
    if mapping.keys.contains(key) { return .duplicateKey(Self.shortened(key)) }
    return known.contains(key)
      ? nil : .unknownKey(Self.shortened(key), nearest: Spelling.nearest(to: key, among: known))
  }

  /// Returns the value of a required key.
  mutating func required(_ key: String, in mapping: YAMLMapping) -> YAMLNode? {
    if let value = mapping[key] { return value }
    note(.missingKey(key), at: mapping.node)
    return nil
  }

  /// Returns the elements of a list of 1 to `max` elements.
  mutating func list(_ node: YAMLNode, max: Int = .max, of what: String = "") -> [YAMLNode]? {
    guard case .sequence(let elements) = node.content, !elements.isEmpty else {
      wrongType(node, expected: "a list with at least one element")
      return nil
    }
    guard elements.count <= max else {
      invalid(node, expected: "a list of at most " + String(max) + what)
      return nil
    }
    var reached: [YAMLNode] = []
    for (index, element) in elements.enumerated() {
      reached.append(element.reached(by: node.place + "[" + String(index) + "]"))
    }
    return reached
  }

  // MARK: Scalars. A missing key is not an error: `nil` returns `nil`.

  /// Reads non-empty text without NUL.
  mutating func text(_ node: YAMLNode?) -> String? {
    guard let node else { return nil }
    guard case .scalar(let text, let isPlain) = node.content, !(isPlain && Self.isNull(text)) else {
      wrongType(node, expected: "text")
      return nil
    }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      note(.invalidValue(text.isEmpty ? "" : "text with NUL", expected: "text that is not empty"), at: node)
      return nil
    }
    return text
  }

  /// Reads a path, relative to the configuration's folder.
  mutating func path(_ node: YAMLNode?) -> String? {
    text(node).map { $0.utf8.first == UInt8(ascii: "/") ? $0 : folder + "/" + $0 }
  }

  /// Reads text that fits on one line of a terminal.
  mutating func shortText(_ node: YAMLNode?, sizeMax: Int) -> String? {
    guard let node, let text = text(node) else { return nil }
    guard text.utf8.count <= sizeMax, text.isPrintable, text.isOfMQTT else {
      invalid(node, expected: "1 to \(sizeMax) bytes on one line")
      return nil
    }
    return text
  }

  /// Reads a name to which other parts of the file can refer.
  mutating func name(_ node: YAMLNode?, sizeMax: Int) -> String? {
    guard let node, let name = text(node)?.nameForm else { return nil }
    if let fault = name.nameFault(sizeMax: sizeMax) {
      note(.malformedName(fault), at: node)
      return nil
    }
    return name
  }

  /// Reads a reference to a name defined elsewhere in the file.
  mutating func reference(_ node: YAMLNode?) -> String? { text(node)?.nameForm }

  /// Reads the path of a socket, whose length is limited by the kernel.
  mutating func socketPath(_ node: YAMLNode?) -> String? {
    guard let node, let path = path(node) else { return nil }
    guard path.utf8.count <= Limits.socketPathSizeMax else {
      invalid(node, expected: "a path of at most \(Limits.socketPathSizeMax) bytes, including its folder")
      return nil
    }
    return path
  }

  mutating func whole(_ node: YAMLNode?, in range: ClosedRange<Int64>) -> Int64? {
    guard let node else { return nil }
    guard case .scalar(let text, isPlain: true) = node.content, let value = Int64(decimal: text.utf8),
      range.contains(value)
    else {
      invalid(node, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return value
  }

  /// Reads `true` or `false`, without quotes.
  mutating func flag(_ node: YAMLNode?) -> Bool? {
    guard let node else { return nil }
    if case .scalar(_, isPlain: false) = node.content {
      invalid(node, expected: "true or false, without quotes")
      return nil
    }
    return choice(node, of: ["true", "false"]).map { $0 == 0 }
  }

  /// Returns the index of the value in `words`.
  mutating func choice(_ node: YAMLNode?, of words: [String]) -> Int? {
    guard let node else { return nil }
    if case .scalar(let text, _) = node.content, let index = words.firstIndex(of: text) { return index }
    var expected = ""
    for word in words { expected += (expected.isEmpty ? "'" : " or '") + word + "'" }
    invalid(node, expected: expected)
    return nil
  }

  /// Reads a duration: `800 ms`, `3 s`, `10 min`, `24 h`, `7 d`.
  mutating func duration(_ node: YAMLNode?, min: Duration = .zero, max: Duration) -> Duration? {
    guard let node else { return nil }
    let units: KeyValuePairs<String, Int64> = ["ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
    if let (number, unit) = quantity(node) {
      for entry in units where entry.key == unit {
        let (product, overflow) = number.multipliedReportingOverflow(by: entry.value)
        if !overflow, min.wholeMilliseconds <= product, product <= max.wholeMilliseconds {
          return .milliseconds(product)
        }
      }
    }
    let least = min > .zero ? "at least " + Self.text(of: min) + ", " : ""
    invalid(
      node,
      expected: "a duration such as '800 ms', '3 s', '10 min' or '24 h', " + least + "at most " + Self.text(of: max))
    return nil
  }

  private static func text(of duration: Duration) -> String {
    let milliseconds = duration.wholeMilliseconds
    if milliseconds % 3_600_000 == 0 { return String(milliseconds / 3_600_000) + " h" }
    return milliseconds % 1000 == 0 ? String(milliseconds / 1000) + " s" : String(milliseconds) + " ms"
  }

  /// Reads a size: `4096`, `64 KB`, `100 MB` (1 KB = 1,024 bytes).
  mutating func size(_ node: YAMLNode?, max: Int64) -> Int? {
    guard let node else { return nil }
    let units: KeyValuePairs<String, Int64> = ["": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30]
    if let (number, unit) = quantity(node) {
      for entry in units where entry.key == unit {
        let (product, overflow) = number.multipliedReportingOverflow(by: entry.value)
        if !overflow, product > 0, product <= max { return Int(exactly: product) }
      }
    }
    invalid(node, expected: "a size such as '64 MB'")
    return nil
  }

  private func quantity(_ node: YAMLNode) -> (Int64, unit: String)? {
    guard case .scalar(let text, _) = node.content else { return nil }
    let digits = text.utf8.prefix { $0.isASCIIDigit }
    guard let number = Int64(decimal: digits) else { return nil }
    let unit = text.utf8.dropFirst(digits.count).drop { $0 == 0x20 }
    return (number, String(decoding: unit, as: UTF8.self))
  }

  mutating func invalid(_ node: YAMLNode, expected: String) {
    guard case .scalar(let text, _) = node.content else { return wrongType(node, expected: expected) }
    note(.invalidValue(Self.shortened(text), expected: expected), at: node)
  }

  private mutating func wrongType(_ node: YAMLNode, expected: String) {
    note(.wrongType(expected: expected, found: Self.kind(of: node)), at: node)
  }

  /// Returns a value as quoted in messages: shortened, and without the password that a URL may contain.
  static func shortened(_ value: String) -> String {
    let text = value.withoutUserInfo
    return text.unicodeScalars.count <= 40
      ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))) + "…"
  }

  private static func kind(of node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let text, let isPlain): isPlain && isNull(text) ? "nothing" : "'\(shortened(text))'"
    case .sequence(let elements): elements.isEmpty ? "an empty list" : "a list"
    case .mapping: "a mapping"
    }
  }

  static func isNull(_ text: String) -> Bool { ["", "~", "null", "Null", "NULL"].contains(text) }
}
