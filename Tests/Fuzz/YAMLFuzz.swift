// ConfigurationParser's promises: any bytes give a configuration that keeps all limits, or at least one problem, each
// at a place within the file and in its order; and a well-written configuration is accepted, each value as it was
// meant.

import TappetCore
import TappetConfig
import TappetMessages

/// One input, twice: as a file, and as the choices that make a good one.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  // The input may name a device as a key file, and opening a device may have effects.
  let namesDevice = contains(bytes, "/dev") || contains(bytes, "/proc") || contains(bytes, "\\")
  if !(namesDevice && contains(bytes, "timestamp_key")) { reads(bytes) }
  isTaken(bytes)
  return 0
}

private func contains(_ bytes: [UInt8], _ word: String) -> Bool {
  bytes.indices.contains { bytes[$0...].starts(with: word.utf8) }
}

private func reads(_ bytes: [UInt8]) {
  switch ConfigurationParser.parse(bytes, name: "kiosk.yaml", folder: "/nowhere") {
  case .loaded(let configuration): isSound(configuration)
  case .refused(let problems):
    promise(!problems.isEmpty, "refused without a problem")
    let columns = columns(of: bytes)
    var last = (line: 0, column: 0)
    for problem in problems {
      let (line, column) = (problem.position.line, problem.position.column)
      promise((1...columns.count).contains(line), "\(problem.sentence) is outside of \(columns.count) lines")
      promise(
        (1...columns[line - 1]).contains(column), "\(problem.sentence) is outside of \(columns[line - 1]) columns")
      promise(last <= (line, column), "\(problem.sentence) is out of order")
      promise(problem.sentence.utf8.starts(with: "kiosk.yaml:\(line):\(column): ".utf8), problem.sentence)
      if case .yaml(.syntax("control characters are not allowed")) = problem.kind {
        promise(isControl(bytes, line, column), "\(problem.sentence): it is allowed")
      }
      last = (line, column)
    }
  }
}

/// Number of columns in each line, its end included; a line ends where YAML 1.1 ends it (§5.4).
private func columns(of bytes: [UInt8]) -> [Int] {
  var columns = [1]
  var wasReturn = false
  for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
    if wasReturn, scalar == "\n" {
      wasReturn = false
      continue
    }
    wasReturn = scalar == "\r"
    if ["\r", "\n", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) {
      columns.append(1)
    } else {
      columns[columns.count - 1] += 1
    }
  }
  return columns
}

/// Whether the character at this place is not allowed in YAML (1.1 §5.1).
private func isControl(_ bytes: [UInt8], _ line: Int, _ column: Int) -> Bool {
  var offset = 0
  for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
    let isOdd = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value > 0xFFFD
    if isOdd, !["\t", "\n", "\r", "\u{85}"].contains(scalar) {
      let before = columns(of: Array(bytes[..<offset]))
      if before.count == line, before.last == column { return true }
    }
    offset += scalar.utf8.count
  }
  return false
}

private func isSound(_ configuration: KioskConfiguration) {
  let actions = configuration.actions
  if let broker = configuration.broker {
    promise(!broker.endpoints.isEmpty && broker.endpoints.allSatisfy { !$0.host.isEmpty && $0.port > 0 }, "endpoints")
    promise((1...Limits.clientIDSizeMax).contains(broker.clientID.utf8.count), "client_id")
    promise(broker.keepaliveSeconds >= 5, "keepalive")
    promise((broker.certificateFile == nil) == (broker.privateKeyFile == nil), "a certificate without its key")
  } else {
    promise(actions.allSatisfy { $0.topic == nil }, "a topic without a broker")
  }
  promise((1...Limits.actionsMax).contains(actions.count), "\(actions.count) actions")
  promise(Set(actions.map { Array($0.name.utf8) }).count == actions.count, "two actions of one name")
  promise(Set(actions.map { $0.index }).count == actions.count, "two actions of one index")
  for action in actions {
    promise(!action.name.isEmpty && action.index >= 0, "an action without name or index")
    promise(action.topic != nil || !action.outputs.isEmpty, "an action that does nothing")
    if let topic = action.topic {
      promise((1...Limits.topicSizeMax).contains(topic.utf8.count), "topic")
      promise(!topic.utf8.contains { $0 == 0 || $0 == 0x23 || $0 == 0x2B }, "a wildcard in a topic")
    }
    promise(action.message.text.utf8.count <= Limits.messageSizeMax, "message")
    promise((.zero...Limits.expiresAfterMax).contains(action.expiresAfter), "expires")
    promise((.zero...Limits.cooldownMax).contains(action.cooldown), "cooldown")
    promise(!action.message.usesTimestamp || configuration.timestampKey != nil, "%T without a key")
  }
  let panel = configuration.panel
  promise(panel.buttons.count <= Limits.buttonsMax && panel.chords.count <= Limits.chordsMax, "too many buttons")
  let names = panel.buttons.flatMap { $0.plan.gestures.actions.compactMap { $0 } } + panel.chords.map { $0.action }
  promise(names.allSatisfy { name in actions.contains { $0.name == name } }, "a gesture without its action")
  let indexes = panel.chords.flatMap { [$0.first, $0.second] } + panel.unlockCode
  promise(indexes.allSatisfy { panel.buttons.indices.contains($0) }, "a button that does not exist")
  promise(Set(panel.indicators.map { $0.output.rawValue }).count == panel.indicators.count, "an LED twice")
  let outputs = panel.outputs.map { $0.plan }
  promise(Set(outputs.map { $0.name }).count == outputs.count && outputs.count <= Limits.outputsMax, "outputs")
  promise(outputs.allSatisfy { !$0.isSafeOn || ($0.maxOn == nil && $0.interlock == nil) }, "an output without a rest")
  let driven = actions.flatMap { $0.outputs.map { $0.output } }
  promise(driven.allSatisfy { name in outputs.contains { $0.name == name } }, "an order to no output")
  for light in Light.allCases { promise(panel.patterns[light] != nil, "a light without a pattern") }
  promise(configuration.outboxCountMax > 0 && configuration.outboxSizeMax > 0, "an outbox without room")
  _ = KioskSettings(configuration)
}

/// Writes a configuration from choices and compares it with the one that is read.
private func isTaken(_ bytes: [UInt8]) {
  var choices = Choices(bytes)
  let client = "k" + word(&choices, max: 100)
  let port = choices.below(65_535) + 1
  var text = "broker: {url: 'mqtts://[::1]:\(port)', client_id: \(quoted(client))}\nactions:\n"
  var expected: [(name: String, topic: String, message: String, index: Int64, cooldown: Int)] = []
  for position in 0...choices.below(8) {
    let label = "\(position)" + name(&choices, max: Limits.actionNameSizeMax / 3 - 1)
    let topic = "t" + word(&choices, max: 200)
    let message = word(&choices, max: 250)
    let index = Int64(position) + choices.number() / 32 * 16
    let cooldown = choices.below(86_400)
    guard !expected.contains(where: { $0.index == index }) else { return }
    text += "  - name: \(quoted(label))\n    topic: \(quoted(topic))\n    message: \(quoted(message))\n"
    text += "    index: \(index)\n    cooldown: \(cooldown) s\n"
    expected.append((label, topic, message, index, cooldown))
  }
  let outcome = ConfigurationParser.parse(Array(text.utf8), name: "kiosk.yaml", folder: "/nowhere")
  guard case .loaded(let configuration) = outcome else { return promise(false, "refused:\n\(text)") }
  isSound(configuration)
  promise(configuration.broker?.endpoints == [BrokerEndpoint(host: "::1", port: UInt16(port), usesTLS: true)], text)
  promise(configuration.broker?.clientID.utf8.elementsEqual(client.utf8) == true, text)
  promise(configuration.actions.count == expected.count, text)
  for (action, wanted) in zip(configuration.actions, expected) {
    // Canonically equivalent: a name is kept in normalization form C.
    promise(action.name == wanted.name && action.index == wanted.index, text)
    promise(action.topic?.utf8.elementsEqual(wanted.topic.utf8) == true, text)
    promise(action.message.text.utf8.elementsEqual(wanted.message.utf8), text)
    promise(action.cooldown == .seconds(wanted.cooldown), text)
  }
}

/// Any text of at most `max` bytes without the characters that no value may have: controls, `#`, `%`, `+`, `/`.
private func word(_ choices: inout Choices, max: Int) -> String {
  var word = ""
  for scalar in choices.text().unicodeScalars {
    guard !isControl(scalar), !["#", "%", "+", "/"].contains(scalar) else { continue }
    guard word.utf8.count + scalar.utf8.count <= max else { break }
    word.unicodeScalars.append(scalar)
  }
  return word
}

/// A text of at most `max` bytes whose characters all show something, with no space; composed, it has at most three
/// times as many bytes.
private func name(_ choices: inout Choices, max: Int) -> String {
  var name = ""
  for scalar in word(&choices, max: max).unicodeScalars {
    let properties = scalar.properties
    let showsNothing = properties.isDefaultIgnorableCodePoint || properties.isWhitespace || scalar == "\u{2800}"
    switch properties.generalCategory {
    case .control, .format, .unassigned, .privateUse, .surrogate: continue
    default: if !showsNothing { name.unicodeScalars.append(scalar) }
    }
  }
  return name
}

/// The text as a double-quoted scalar (YAML 1.1 §9.1.2), in which all but letters are escaped.
private func quoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    if scalar.properties.isAlphabetic, scalar.isASCII {
      quoted.unicodeScalars.append(scalar)
    } else {
      let digits = String(scalar.value, radix: 16)
      quoted += "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
  }
  return quoted + "\""
}
