// Parser for profile files. As with kiosk.yaml, the whole file is checked, and all errors are reported together.
//
//   title: Raspberry Pi with 40 pins
//   models: [Raspberry Pi]                           prefixes of /proc/device-tree/model
//   chips: {soc: [pinctrl-bcm2835, pinctrl-rp1]}     chip labels; the first that exists is used
//   headers:
//     - title: J8
//       pins:
//         1: 3V3                                     power, ground or not connected: a word
//         3: {name: GPIO2, line: 2, also: I2C1 SDA}  a line by its offset; with several chips, also `chip: soc`
//         4: {name: P9_12, kernel: P9_12}            a line by its kernel name
//         27: {name: GPIO0, line: 0, reserved: HAT EEPROM}

import TappetCore

extension BoardProfile {
  /// Parses a profile; `file` is the file name in error messages.
  static func parse(_ bytes: [UInt8], file: String, name: String) throws(BoardProfileError) -> BoardProfile {
    var reader = YAMLReader(file: file, folder: ".")
    let start = TextPosition(line: 1, column: 1)
    if String(validating: bytes, as: UTF8.self) == nil {
      reader.note(.notUTF8, at: start, "")
    } else {
      do throws(YAMLFailure) {
        let root = try YAMLDocument.parse(bytes)
        if let profile = reader.profile(root, name: name) { return profile }
      } catch {
        reader.note(error.error == .empty ? .missingKey("headers") : .yaml(error.error), at: error.position, "")
      }
    }
    throw .refused(reader.problems)
  }
}

extension YAMLReader {
  /// Chip labels, by the name with which pins refer to them.
  fileprivate typealias ChipTable = [(key: String, labels: [String])]

  /// Returns the profile; `nil` after an error.
  fileprivate mutating func profile(_ root: YAMLNode, name: String) -> BoardProfile? {
    guard let top = mapping(root, keys: ["title", "models", "chips", "headers"]) else { return nil }
    let title = word(required("title", in: top))
    let chips = top["chips"].map { self.chips($0) } ?? []
    var headers: [BoardProfile.Header] = []
    if let node = required("headers", in: top), let list = list(node) {
      for element in list {
        if let header = header(element, chips, after: headers) { headers.append(header) }
      }
    }
    var models: [String] = []
    for node in top["models"].flatMap({ list($0) }) ?? [] {
      if let model = word(node) { models.append(model) }
    }
    guard problems.isEmpty, let title else { return nil }
    return BoardProfile(name: name, title: title, models: models, headers: headers)
  }

  private mutating func word(_ node: YAMLNode?) -> String? { shortText(node, sizeMax: Limits.profileWordSizeMax) }

  private mutating func chips(_ node: YAMLNode) -> ChipTable {
    var table: ChipTable = []
    guard case .mapping(let keys, let values) = node.content else {
      note(.wrongType(expected: "a mapping (name: [label, …])", found: "something else"), at: node)
      return []
    }
    for (index, key) in keys.enumerated() {
      guard case .scalar(let key, _) = key.content else {
        note(.keyNotText, at: key.position, node.place)
        continue
      }
      var labels: [String] = []
      for element in list(values[index].reached(by: node.place + "." + Self.shortened(key))) ?? [] {
        if let label = word(element) { labels.append(label) }
      }
      table.append((key, labels))
    }
    return table
  }

  private mutating func header(
    _ node: YAMLNode, _ chips: ChipTable, after others: [BoardProfile.Header]
  ) -> BoardProfile.Header? {
    let known = others.flatMap { $0.pins }
    guard let mapping = mapping(node, keys: ["title", "pins"]),
      let title = word(required("title", in: mapping)),
      let pinsNode = required("pins", in: mapping)
    else { return nil }
    guard case .mapping(let keys, let values) = pinsNode.content, keys.count.isMultiple(of: 2),
      (2...Limits.profilePinsMax).contains(keys.count)
    else {
      let expected = "a mapping of an even number of pins, at most \(Limits.profilePinsMax)"
      note(.wrongType(expected: expected, found: "something else"), at: pinsNode)
      return nil
    }
    var pins: [BoardProfile.Pin] = []
    for (index, key) in keys.enumerated() {
      guard
        let number = pinNumber(
          key.reached(by: pinsNode.place), after: pins.last?.number, beyond: known.last?.number ?? 0)
      else { return nil }
      let value = values[index].reached(by: pinsNode.place + "." + String(number))
      guard let pin = pin(value, number, chips) else { return nil }
      let same = (known + pins).first { $0.line != .none && ($0.line == pin.line || $0.name == pin.name) }
      if let other = same, pin.line != .none {
        let expected = "a line and a name that no other pin uses; pin \(other.number) already uses one of them"
        note(.invalidValue(pin.name, expected: expected), at: value)
      }
      pins.append(pin)
    }
    return BoardProfile.Header(title: title, pins: pins)
  }

  /// Reads a pin number; the first is odd, because odd pins are on the left, and the others follow without gaps.
  private mutating func pinNumber(
    _ node: YAMLNode, after last: Int?, beyond others: Int
  ) -> Int? {
    if case .scalar(let text, _) = node.content, let number = Int64(decimal: text.utf8),
      last.map({ number == Int64($0) + 1 }) ?? (number % 2 == 1 && number > others && number < 10_000)
    {
      return Int(number)
    }
    let first = "an odd number that is greater than all previous pin numbers"
    invalid(node, expected: last.map { "pin \($0 + 1), because no pin can be omitted" } ?? first)
    return nil
  }

  private mutating func pin(
    _ node: YAMLNode, _ number: Int, _ chips: ChipTable
  ) -> BoardProfile.Pin? {
    if case .scalar = node.content {
      return word(node).map { BoardProfile.Pin(number: number, name: $0, line: .none, alternative: "") }
    }
    guard let mapping = mapping(node, keys: ["name", "chip", "line", "kernel", "also", "reserved"]),
      let name = word(required("name", in: mapping))
    else { return nil }
    let line: BoardProfile.PinLine
    if let kernel = mapping["kernel"] {
      guard let kernel = word(kernel) else { return nil }
      line = .named(kernel)
    } else {
      guard let node = required("line", in: mapping),
        let offset = whole(node, in: 0...Int64(Limits.gpioLinesPerChipMax - 1)),
        let labels = labels(mapping, chips)
      else { return nil }
      line = .offset(labels: labels, offset: UInt32(offset))
    }
    let alternative = word(mapping["also"])
    let reserved = word(mapping["reserved"])
    return BoardProfile.Pin(
      number: number, name: name, line: line, alternative: alternative ?? "", reservedFor: reserved)
  }

  private mutating func labels(_ pin: YAMLMapping, _ chips: ChipTable) -> [String]? {
    guard let node = pin["chip"] else {
      if chips.count == 1 { return chips.first?.labels }
      note(.missingKey("chip"), at: pin.node)
      return nil
    }
    if case .scalar(let name, _) = node.content, let entry = chips.first(where: { $0.key == name }) {
      return entry.labels
    }
    invalid(node, expected: "a name from 'chips'")
    return nil
  }
}
