// Bounds a JSON text before cJSON parses it: a value of two bytes, such as `0,`, takes cJSON more than 64 bytes. The
// text is not parsed here; only strings, brackets and commas are recognized.

import TappetBase

/// The facts about a JSON text that decide whether cJSON may parse it.
package struct JSONText {
  /// The values that are replaced with `null` if a text contains too many, because others wrote their content.
  package enum Part: Equatable, Sendable {
    case none
    /// The elements of arrays, such as the events in a response to /sync.
    case elements
    /// The values inside this number of nested objects and arrays.
    case level(Int)
  }

  /// Upper bound of the number of values, including the whole.
  package private(set) var valueCount = 1
  /// Whether a string contains `\u0000`, at which cJSON would end it.
  package private(set) var hasEscapedNUL = false
  /// Whether a string contains a NUL byte, which no JSON text does.
  package private(set) var hasNUL = false

  /// Examines a text, which need not be valid.
  @export(interface)
  package init(_ bytes: [UInt8]) {
    var marks = Marks(bytes)
    while let mark = marks.next() {
      switch mark {
      case .open, .comma: valueCount += 1
      case .close: break
      case .escapedNUL: hasEscapedNUL = true
      case .nul: hasNUL = true
      }
    }
  }

  /// Returns a text that cJSON may parse; `nil` if it still has too many values without the given parts.
  ///
  /// In strings, U+FFFD replaces `\u0000`, so that no text is taken for its start.
  static func bounded(_ bytes: [UInt8], valuesMax: Int, omitting part: Part) -> [UInt8]? {
    var (text, facts) = (bytes, JSONText(bytes))
    if facts.hasNUL { return nil }
    if facts.hasEscapedNUL { text = replacingNULs(text) }
    var partMax = valuesMax
    while facts.valueCount > valuesMax {
      partMax /= 16
      guard part != .none, partMax >= 16, let rest = omitting(part, from: text, above: partMax) else { return nil }
      (text, facts) = (rest, JSONText(rest))
    }
    return text
  }

  /// Returns the text with `null` in place of each part with more than `partMax` values; `nil` if the text is damaged.
  private static func omitting(_ part: Part, from bytes: [UInt8], above partMax: Int) -> [UInt8]? {
    var kept: [UInt8] = []
    var copied = 0
    var count = 1
    // The objects and arrays around the current position.
    var open: [(start: Int, count: Int, isArray: Bool)] = []
    var marks = Marks(bytes)
    while let mark = marks.next() {
      switch mark {
      case .comma: count += 1
      case .open(let index):
        // cJSON refuses deeper ones.
        guard open.count < Limits.jsonDepthMax else { return nil }
        kept += bytes[copied..<index]
        copied = index
        open.append((kept.count, count, bytes[index] == UInt8(ascii: "[")))
        count += 1
      case .close(let index):
        guard let closed = open.popLast() else { return nil }
        let isPart = part == .elements ? open.last?.isArray == true : part == .level(open.count)
        guard isPart, count - closed.count > partMax else { continue }
        kept.removeLast(kept.count - closed.start)
        kept += "null".utf8
        (copied, count) = (index + 1, closed.count)
      case .escapedNUL, .nul: break
      }
    }
    return kept + bytes[copied...]
  }

  private static func replacingNULs(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var marks = Marks(bytes)
    while let mark = marks.next() {
      if case .escapedNUL(let index) = mark { bytes.replaceSubrange(index..<(index + 6), with: "\\ufffd".utf8) }
    }
    return bytes
  }
}

/// The places in a JSON text that matter for its bounds, in order.
private struct Marks {
  enum Mark {
    case open(at: Int)
    case close(at: Int)
    case comma
    case escapedNUL(at: Int)
    case nul
  }

  private let bytes: [UInt8]
  private var index = 0
  private var isInString = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Mark? {
    while index < bytes.count {
      defer { index += 1 }
      switch (bytes[index], isInString) {
      case (UInt8(ascii: "\""), _): isInString = !isInString
      case (UInt8(ascii: "\\"), true):
        index += 1
        if bytes[index...].starts(with: "u0000".utf8) { return .escapedNUL(at: index - 1) }
      case (0, true): return .nul
      case (UInt8(ascii: "["), false), (UInt8(ascii: "{"), false): return .open(at: index)
      case (UInt8(ascii: "]"), false), (UInt8(ascii: "}"), false): return .close(at: index)
      case (UInt8(ascii: ","), false): return .comma
      case _: break
      }
    }
    return nil
  }
}
