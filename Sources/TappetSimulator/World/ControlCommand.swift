/// The protocol of the control socket: one command per line, with words separated by single spaces.

import TappetTag

/// A command from a test to the simulated world.
enum ControlCommand {
  case place(TagPlacement)
  case placeBeside(TagPlacement)
  case bringBack
  case take
  case takeAfter(exchanges: Int)
  case corrupt(answer: Int)
  case chipFault(PN532Chip.Fault)
  case stall(Bool)
  case stallAfter(commands: Int)
  case unplug
  case plug
  case brownOut
  case counters
  case resetCounters
  case dump
  case lights
  case clearLights
  case awaitLight(name: String, timeout: Duration)
  case levels
  case clearLevels
  case outputs
  case panel
  case press(String)
  case release(String)
  /// Open or close an input; its level lasts, even while no kiosk is connected.
  case setInput(String, isOpen: Bool)
  /// List the inputs that are open.
  case inputs
  /// Durations in milliseconds, alternating between pressed and released.
  case play(times: [Int], button: String)
  case quit

  /// Parses a command line.
  static func parse(_ line: String) throws(ControlRefusal) -> ControlCommand {
    let words = line.split(separator: " ")
    guard let verb = words.first else { throw .emptyLine }
    let rest = Array(words.dropFirst())
    switch (String(verb), rest.count) {
    case ("place", 1...): return .place(try placement(rest))
    case ("beside", 1...): return .placeBeside(try placement(rest))
    case ("back", 0): return .bringBack
    case ("take", 0): return .take
    case ("take", 2) where rest[0] == "after": return .takeAfter(exchanges: try count(rest[1]))
    case ("corrupt", 1): return .corrupt(answer: try count(rest[0]))
    case ("chip-corrupt", 0): return .chipFault(.checksum)
    case ("chip-corrupt", 1) where rest[0] == "checksum": return .chipFault(.checksum)
    case ("chip-corrupt", 1) where rest[0] == "status": return .chipFault(.statusBit7)
    case ("stall", 1) where rest[0] == "on": return .stall(true)
    case ("stall", 1) where rest[0] == "off": return .stall(false)
    case ("stall", 2) where rest[0] == "after": return .stallAfter(commands: try count(rest[1]))
    case ("unplug", 0): return .unplug
    case ("plug", 0): return .plug
    case ("brownout", 0): return .brownOut
    case ("counters", 0): return .counters
    case ("reset-counters", 0): return .resetCounters
    case ("dump", 0): return .dump
    default: return try parsePanel(String(verb), rest)
    }
  }

  private static func parsePanel(_ verb: String, _ rest: [Substring]) throws(ControlRefusal) -> ControlCommand {
    switch (verb, rest.count) {
    case ("lights", 0): return .lights
    case ("lights", 1) where rest[0] == "clear": return .clearLights
    case ("lights", 3) where rest[0] == "wait":
      return .awaitLight(name: String(rest[1]), timeout: .milliseconds(try count(rest[2])))
    case ("panel", 0): return .panel
    case ("levels", 0): return .levels
    case ("levels", 1) where rest[0] == "clear": return .clearLevels
    case ("leds", 0): return .outputs
    case ("press", 1...): return .press(rest.joined(separator: " "))
    case ("release", 1...): return .release(rest.joined(separator: " "))
    case ("open", 1...), ("close", 1...): return .setInput(rest.joined(separator: " "), isOpen: verb == "open")
    case ("inputs", 0): return .inputs
    case ("play", 2...):
      var times: [Int] = []
      for word in rest[0].split(separator: ",", omittingEmptySubsequences: false) { times.append(try count(word)) }
      return .play(times: times, button: rest.dropFirst().joined(separator: " "))
    case ("quit", 0): return .quit
    default: throw .unknownCommand
    }
  }

  private static func count(_ word: Substring) throws(ControlRefusal) -> Int {
    guard word.utf8.count <= 9, let value = Int(word), value >= 0 else { throw .notACount }
    return value
  }

  private static func placement(_ words: [Substring]) throws(ControlRefusal) -> TagPlacement {
    var placement = TagPlacement(model: String(words[0]))
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch (String(parts[0]), parts.count) {
      case ("empty", 1): placement.content = .empty
      case ("blank", 1): placement.content = .blank
      case ("readonly", 1): placement.isReadOnly = true
      case ("locked", 1): placement.isLocked = true
      case ("password", 2): placement.password = try bytes(parts[1])
      case ("size", 2):
        guard let size = UInt16(exactly: try count(parts[1])) else { throw .notACount }
        placement.fileSize = size
      case ("container", 2): placement.container = try bytes(parts[1])
      case ("slow", 2): placement.slowness = try count(parts[1])
      case ("stays", 2): placement.stay = try count(parts[1])
      case ("url", 2): placement.content = .url(String(parts[1]))
      case ("uid", 2): placement.uid = try bytes(parts[1])
      case ("ndef", 2): placement.content = .message(try bytes(parts[1]))
      case ("memory", 2): placement.content = .memory(try bytes(parts[1]))
      default: throw .unknownCommand
      }
    }
    return placement
  }

  private static func bytes(_ digits: Substring) throws(ControlRefusal) -> [UInt8] {
    guard let bytes = Hex.decode(digits.utf8) else { throw .notHexadecimal }
    return bytes
  }
}
