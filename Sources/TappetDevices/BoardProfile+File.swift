// A profile's file. Everything is checked, and every mistake is told at once, as for the configuration.
//
//   title: Raspberry Pi with 40 pins
//   chips: {soc: [pinctrl-bcm2835, pinctrl-rp1]}     the chip's label; of several the first that is there
//   headers:
//     - title: J8
//       pins:
//         1: 3V3                                     power, ground or nothing: a word
//         3: {name: GPIO2, line: 2, also: I2C1 SDA}  a line by its offset; `chip: soc` where there are several
//         4: {name: P9_12, kernel: P9_12}            a line by the name that the kernel has for it
//         27: {name: GPIO0, line: 0, reserved: HAT EEPROM}

import TappetCore

extension BoardProfile {
  /// Reads a profile's bytes; `file` is for the sentences.
  static func parse(_ bytes: [UInt8], file: String, name: String) throws(BoardProfileError) -> BoardProfile {
    var reader = ConfigReader(file: file, folder: ".")
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

extension ConfigReader {
  /// Labels by the name that pins use.
  fileprivate typealias ChipTable = [(key: String, labels: [String])]

  /// Nil when there was a mistake.
  fileprivate mutating func profile(_ root: YAMLNode, name: String) -> BoardProfile? {
    guard let top = mapping(root, "", keys: ["title", "chips", "headers"]) else { return nil }
    let title = required("title", in: top).flatMap { word($0, "title") }
    let chips = top.value("chips").map { self.chips($0) } ?? []
    var headers: [BoardProfile.Header] = []
    if let list = required("headers", in: top).flatMap({ self.list($0, "headers") }) {
      for (index, element) in list.enumerated() {
        if let header = header(element, "headers[\(index)]", chips, after: headers) { headers.append(header) }
      }
    }
    guard problems.isEmpty, let title else { return nil }
    return BoardProfile(name: name, title: title, headers: headers)
  }

  private mutating func word(_ node: YAMLNode, _ place: String) -> String? {
    shortText(node, place, sizeMax: Limits.profileWordSizeMax)
  }

  private mutating func chips(_ node: YAMLNode) -> ChipTable {
    var table: ChipTable = []
    guard case .mapping(let pairs) = node.content else {
      note(
        .wrongType(expected: "a mapping (name: [label, …])", found: "something else"), at: node.position, "chips")
      return []
    }
    for pair in pairs {
      guard case .scalar(let key, _) = pair.key.content else {
        note(.keyNotText, at: pair.key.position, "chips")
        continue
      }
      let place = "chips.\(Self.shortened(key))"
      var labels: [String] = []
      for (index, element) in (list(pair.value, place) ?? []).enumerated() {
        if let label = word(element, "\(place)[\(index)]") { labels.append(label) }
      }
      table.append((key, labels))
    }
    return table
  }

  private mutating func header(
    _ node: YAMLNode, _ place: String, _ chips: ChipTable, after others: [BoardProfile.Header]
  ) -> BoardProfile.Header? {
    let known = others.flatMap { $0.pins }
    guard let mapping = mapping(node, place, keys: ["title", "pins"]),
      let title = required("title", in: mapping).flatMap({ word($0, place + ".title") }),
      let pinsNode = required("pins", in: mapping)
    else { return nil }
    guard case .mapping(let pairs) = pinsNode.content, pairs.count.isMultiple(of: 2),
      (2...Limits.profilePinsMax).contains(pairs.count)
    else {
      let expected = "a mapping of an even number of pins, at most \(Limits.profilePinsMax)"
      note(.wrongType(expected: expected, found: "something else"), at: pinsNode.position, place + ".pins")
      return nil
    }
    var pins: [BoardProfile.Pin] = []
    for pair in pairs {
      guard
        let number = pinNumber(pair.key, place + ".pins", after: pins.last?.number, beyond: known.last?.number ?? 0)
      else { return nil }
      guard let pin = pin(pair.value, "\(place).pins.\(number)", number, chips) else { return nil }
      let same = (known + pins).first { $0.line != .none && ($0.line == pin.line || $0.name == pin.name) }
      if let other = same, pin.line != .none {
        let expected = "a line and a name that no other pin has; pin \(other.number) has one of them"
        note(.invalidValue(pin.name, expected: expected), at: pair.value.position, "\(place).pins.\(number)")
      }
      pins.append(pin)
    }
    return BoardProfile.Header(title: title, pins: pins)
  }

  /// The first one is odd, so that it stands left; the others follow it.
  private mutating func pinNumber(
    _ node: YAMLNode, _ place: String, after last: Int?, beyond others: Int
  ) -> Int? {
    if case .scalar(let text, _) = node.content, let number = Int64(decimal: text.utf8),
      last.map({ number == Int64($0) + 1 }) ?? (number % 2 == 1 && number > others && number < 10_000)
    {
      return Int(number)
    }
    let first = "an odd number first, greater than any before"
    invalid(node, place, expected: last.map { "pin \($0 + 1) next, for none may be left out" } ?? first)
    return nil
  }

  private mutating func pin(
    _ node: YAMLNode, _ place: String, _ number: Int, _ chips: ChipTable
  ) -> BoardProfile.Pin? {
    if case .scalar = node.content {
      return word(node, place).map { BoardProfile.Pin(number: number, name: $0, line: .none, alternative: "") }
    }
    guard let mapping = mapping(node, place, keys: ["name", "chip", "line", "kernel", "also", "reserved"]),
      let name = required("name", in: mapping).flatMap({ word($0, place + ".name") })
    else { return nil }
    let line: BoardProfile.PinLine
    if let kernel = mapping.value("kernel") {
      guard let kernel = word(kernel, place + ".kernel") else { return nil }
      line = .named(kernel)
    } else {
      guard let node = required("line", in: mapping),
        let offset = whole(node, place + ".line", in: 0...Int64(Limits.gpioLinesPerChipMax - 1)),
        let labels = labels(mapping, chips)
      else { return nil }
      line = .offset(labels: labels, offset: UInt32(offset))
    }
    let alternative = mapping.value("also").flatMap { word($0, place + ".also") }
    let reserved = mapping.value("reserved").flatMap { word($0, place + ".reserved") }
    return BoardProfile.Pin(
      number: number, name: name, line: line, alternative: alternative ?? "", reservedFor: reserved)
  }

  private mutating func labels(_ pin: ConfigMapping, _ chips: ChipTable) -> [String]? {
    guard let node = pin.value("chip") else {
      if chips.count == 1 { return chips.first?.labels }
      note(.missingKey("chip"), at: pin.position, pin.place)
      return nil
    }
    if case .scalar(let name, _) = node.content, let entry = chips.first(where: { $0.key == name }) {
      return entry.labels
    }
    invalid(node, pin.path("chip"), expected: "a name that stands under 'chips'")
    return nil
  }
}
