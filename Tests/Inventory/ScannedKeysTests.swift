// The text of a barcode scanner's keys.

import CPlatform
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory

/// Keys by their numbers in linux/input-event-codes.h.
private enum Key {
  static let enter: UInt16 = 28
  static let keypadEnter: UInt16 = 96
  static let tab: UInt16 = 15
  static let leftShift: UInt16 = 42
  static let rightShift: UInt16 = 54
  static let a: UInt16 = 30
  static let b: UInt16 = 48
  /// Each row of the keyboard, from the key of this number on.
  static let rows: [(first: UInt16, plain: String, shifted: String)] = [
    (2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"), (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"), (57, " ", " "),
  ]
}

/// A scanner that types on a clock of its own.
private struct Typist {
  var keys = ScannedKeys()
  /// Long after the device's clock began, as at a kiosk.
  var milliseconds: Int64 = 1_790_000_000_000

  mutating func send(_ code: UInt16, _ value: Int32) -> String? {
    milliseconds += 1
    return keys.take(
      tp_input_event(is_key: true, is_dropped: false, code: code, value: value, milliseconds: milliseconds))
  }

  /// Presses and releases a key; returns the code that it ends.
  mutating func press(_ code: UInt16) -> String? {
    let ended = send(code, 1)
    return send(code, 0) ?? ended
  }

  mutating func press(_ codes: [UInt16]) -> [String] { codes.compactMap { press($0) } }

  mutating func lose() -> String? {
    milliseconds += 1
    return keys.take(tp_input_event(is_key: false, is_dropped: true, code: 3, value: 0, milliseconds: milliseconds))
  }
}

@Suite struct ScannedKeysTests {
  private var typist = Typist()

  @Test mutating func `each key writes its letter, and another one with either shift`() {
    for row in Key.rows {
      let codes = (0..<UInt16(row.plain.utf8.count)).map { row.first + $0 }
      #expect(typist.press(codes + [Key.enter]) == [row.plain])
      for shift in [Key.leftShift, Key.rightShift] {
        #expect(typist.send(shift, 1) == nil)
        #expect(typist.press(codes) == [])
        #expect(typist.send(shift, 0) == nil)
        #expect(typist.press([Key.enter]) == [row.shifted])
      }
    }
    #expect(typist.press(Array(71...83) + [Key.keypadEnter]) == ["789-456+1230."])
  }

  @Test mutating func `Enter, the keypad's Enter and Tab end a code, and an empty one is none`() {
    for end in [Key.enter, Key.keypadEnter, Key.tab] {
      #expect(typist.press([Key.a, Key.b, end]) == ["ab"])
      #expect(typist.press([end, end]) == [])
    }
    #expect(typist.press([Key.a, Key.enter, Key.tab, Key.b, Key.enter]) == ["a", "b"])
  }

  @Test mutating func `a shift counts while it is held, and a release writes nothing`() {
    #expect(typist.send(Key.leftShift, 1) == nil)
    #expect(typist.send(Key.a, 1) == nil)
    #expect(typist.send(Key.leftShift, 0) == nil)
    #expect(typist.send(Key.a, 0) == nil)
    #expect(typist.press([Key.b, Key.enter]) == ["Ab"])
    // A key that was pressed before the kiosk listened is only released.
    #expect(typist.send(Key.enter, 0) == nil)
    #expect(typist.send(Key.b, 0) == nil)
    #expect(typist.press([Key.a, Key.enter]) == ["a"])
  }

  @Test mutating func `a key that the kernel repeats writes one letter, and shift stays`() {
    #expect(typist.send(Key.leftShift, 1) == nil)
    #expect(typist.send(Key.leftShift, 2) == nil)
    #expect(typist.send(Key.a, 1) == nil)
    #expect(typist.send(Key.a, 2) == nil)
    #expect(typist.send(Key.a, 0) == nil)
    #expect(typist.send(Key.leftShift, 0) == nil)
    #expect(typist.send(Key.enter, 1) == "A")
    #expect(typist.send(Key.enter, 2) == nil)
  }

  @Test mutating func `the longest code passes, a longer one is none, and the next one is whole`() {
    let longest = [UInt16](repeating: Key.a, count: Limits.inventoryScanSizeMax)
    #expect(typist.press(longest + [Key.enter]) == [String(repeating: "a", count: longest.count)])
    #expect(typist.press(longest + [Key.b, Key.enter]) == [])
    #expect(typist.press([Key.b, Key.enter]) == ["b"])
  }

  @Test mutating func `keys that write nothing do not count`() {
    // Escape, backspace, control, Alt, Caps Lock, F1, Scroll Lock, and numbers that no keyboard has.
    for code in [0, 1, 14, 29, 56, 58, 59, 70, 84, 85, 97, 255, 256, 0x2FF, .max] as [UInt16] {
      #expect(typist.press([Key.a, code, Key.b, Key.enter]) == ["ab"], "\(code)")
    }
    let other = tp_input_event(
      is_key: false, is_dropped: false, code: Key.a, value: 1, milliseconds: typist.milliseconds)
    #expect(typist.keys.take(other) == nil)
    #expect(typist.press([Key.b, Key.enter]) == ["b"])
  }

  @Test func `a scanner that is missing, or is something else, is reported once`() {
    for (path, code) in [("/nowhere/scanner", ENOENT), ("/dev/null", ENOTTY)] {
      let scanner = Scanner(path: path)
      #expect(scanner.work(isReadable: false) == [.state(errno: code)])
      #expect(scanner.work(isReadable: true) == [] && scanner.fileDescriptor == -1)
      #expect(scanner.retryIn == Limits.scannerRetryInterval)
    }
  }

  @Test mutating func `any event of any value is taken`() {
    var generator = Randomness(seed: (1, 2, 3, 4))
    var codes = 0
    for _ in 0..<100_000 {
      let random = generator.next()
      let event = tp_input_event(
        is_key: random & 7 != 0, is_dropped: random & 0x3F8 == 0, code: UInt16(truncatingIfNeeded: random >> 16) & 127,
        value: Int32(truncatingIfNeeded: random >> 40) & 3 - 1,
        milliseconds: random & 0x400 == 0 ? Int64.max : Int64(random >> 54))
      if let code = typist.keys.take(event) {
        codes += 1
        #expect(!code.isEmpty && code.utf8.count <= Limits.inventoryScanSizeMax)
      }
    }
    #expect(codes > 100)
  }

  @Test mutating func `half a code that lies there for a second is dropped`() {
    #expect(typist.press([Key.a]) == [])
    typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds - 2
    #expect(typist.press([Key.b, Key.enter]) == ["ab"])
    #expect(typist.press([Key.a]) == [])
    typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds
    #expect(typist.press([Key.b, Key.enter]) == ["b"])
  }

  @Test mutating func `a code of which the kernel lost keys is none, and the next one is whole`() {
    #expect(typist.press([Key.a]) == [])
    #expect(typist.lose() == nil)
    #expect(typist.press([Key.b, Key.enter]) == [])
    #expect(typist.press([Key.b, Key.enter]) == ["b"])
    // A shift whose release was lost would make every letter another one.
    #expect(typist.send(Key.leftShift, 1) == nil)
    #expect(typist.lose() == nil)
    #expect(typist.press([Key.enter, Key.a, Key.enter]) == ["a"])
    // An end that was lost does not cost the code after the pause.
    #expect(typist.press([Key.a]) == [])
    #expect(typist.lose() == nil)
    typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds
    #expect(typist.press([Key.b, Key.enter]) == ["b"])
  }
}
