// The text of a barcode scanner's keys, and of the bytes on its serial line.

import TestSupport
import Testing

@testable import TappetCore

/// Keys by their numbers in linux/input-event-codes.h.
private enum Key {
  static let enter: UInt16 = 28
  static let keypadEnter: UInt16 = 96
  static let tab: UInt16 = 15
  static let leftShift: UInt16 = 42
  static let rightShift: UInt16 = 54
  static let control: UInt16 = 29
  static let alt: UInt16 = 56
  static let altGr: UInt16 = 100
  static let space: UInt16 = 57
  static let a: UInt16 = 30
  static let b: UInt16 = 48
  /// KEY_1 to KEY_EQUAL, KEY_Q to KEY_RIGHTBRACE, KEY_A to KEY_GRAVE, KEY_BACKSLASH to KEY_SLASH, KEY_102ND.
  static let ofCharacters: [UInt16] = Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [86]
  static let digits: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]
}

/// A scanner that types on a clock of its own.
private struct Typist {
  var keys: ScannedKeys
  var code = ScannedCode()
  /// Long after the device's clock began, as at a kiosk.
  var milliseconds: Int64 = 1_790_000_000_000

  init(_ layout: ScannerLayout = .us) { keys = ScannedKeys(layout: layout) }

  mutating func send(_ key: UInt16, _ value: Int32) -> Scan? {
    milliseconds += 1
    return keys.take(key: key, value: value, at: milliseconds, into: &code)
  }

  /// Presses and releases a key; returns what it ends.
  mutating func press(_ key: UInt16) -> Scan? {
    let ended = send(key, 1)
    return send(key, 0) ?? ended
  }

  mutating func press(_ keys: [UInt16]) -> [Scan] { keys.compactMap { press($0) } }

  /// Presses keys while others are held.
  mutating func press(_ keys: [UInt16], holding held: [UInt16]) -> [Scan] {
    var ended = held.compactMap { send($0, 1) } + press(keys)
    ended += held.reversed().compactMap { send($0, 0) }
    return ended
  }

  /// Types the number of a character on the keypad.
  mutating func type(number: String) -> [Scan] {
    press(number.utf8.map { Key.digits[Int($0 & 15)] }, holding: [Key.alt])
  }

  mutating func lose() {
    milliseconds += 1
    keys.lose(at: milliseconds, from: &code)
  }
}

private func text(_ texts: String...) -> [Scan] { texts.map { .success($0) } }

@Suite struct ScannedKeysTests {
  private var typist = Typist()

  @Test mutating func `each key of a US keyboard types its character, with and without shift`() {
    let keys = Array(Key.ofCharacters.dropLast()) + [Key.space, Key.a]
    let (plain, shifted) = (
      "1234567890-=qwertyuiop[]asdfghjkl;'`\\zxcvbnm,./ a", "!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:\"~|ZXCVBNM<>? A"
    )
    #expect(typist.press(keys + [Key.enter]) == text(plain))
    for shift in [Key.leftShift, Key.rightShift] {
      #expect(typist.press(keys, holding: [shift]) == [])
      #expect(typist.press([Key.enter]) == text(shifted))
    }
    #expect(typist.press(Array(71...83) + [Key.keypadEnter]) == text("789-456+1230."))
  }

  /// As the keymaps of xkeyboard-config have it, which Linux desktops use.
  @Test(arguments: [
    (ScannerLayout.us, [UInt16](), "1234567890-=qwertyuiop[]asdfghjkl;'`\\zxcvbnm,./"),
    (.de, [], "1234567890ß´qwertzuiopü+asdfghjklöä^#yxcvbnm,.-<"),
    (.de, [Key.rightShift], "!\"§$%&/()=?`QWERTZUIOPÜ*ASDFGHJKLÖÄ°'YXCVBNM;:_>"),
    (.de, [Key.altGr], "²³{[]}\\@€~µ|"),
    (.gb, [], "1234567890-=qwertyuiop[]asdfghjkl;'`#zxcvbnm,./\\"),
    (.gb, [Key.leftShift], "!\"£$%^&*()_+QWERTYUIOP{}ASDFGHJKL:@¬~ZXCVBNM<>?|"), (.gb, [Key.altGr], "€"),
    (.fr, [], "&é\"'(-è_çà)=azertyuiop^$qsdfghjklmù²*wxcvbn,;:!<"),
    (.fr, [Key.leftShift], "1234567890°+AZERTYUIOP¨£QSDFGHJKLM%µWXCVBN?./§>"), (.fr, [Key.altGr], "~#{[|`\\^@]}€¤"),
    // Windows takes Ctrl and Alt for AltGr.
    (.de, [Key.control, Key.alt], "²³{[]}\\@€~µ|"),
  ])
  func `each layout types its own characters`(_ layout: ScannerLayout, _ held: [UInt16], _ characters: String) {
    var typist = Typist(layout)
    #expect(typist.press(Key.ofCharacters, holding: held) == [])
    #expect(typist.press([Key.enter]) == text(characters))
  }

  @Test func `every layout can type all of ASCII`() {
    for layout in ScannerLayout.allCases {
      let characters = layout.characters.flatMap { $0 }
      for value in 0x21...0x7E as ClosedRange<UInt8> {
        #expect(characters.contains(Unicode.Scalar(value)), "\(layout): \(Unicode.Scalar(value))")
      }
    }
  }

  @Test mutating func `the space that completes a dead key is omitted`() {
    var german = Typist(.de)
    // ^ and a space, then ` and a space.
    #expect(german.press([41, Key.space, Key.a]) == [])
    #expect(german.press([13], holding: [Key.leftShift]) == [])
    #expect(german.press([Key.space, Key.b, Key.space, Key.b, Key.enter]) == text("^a`b b"))
    #expect(typist.press([41, Key.space, Key.a, Key.enter]) == text("` a"))
  }

  @Test mutating func `Alt with keypad digits types a character by its number, in any layout`() {
    for layout in ScannerLayout.allCases {
      var typist = Typist(layout)
      for character in "B-17 ~{" { #expect(typist.type(number: "\(character.asciiValue ?? 0)") == []) }
      #expect(typist.type(number: "0252") == [])
      #expect(typist.type(number: "013") == text("B-17 ~{ü"))
    }
    // 252 alone is another character in each country; 7 and 99999 are none.
    for number in ["252", "7", "0159", "99999", "999999999999"] {
      #expect(typist.type(number: number) == [])
      #expect(typist.press([Key.enter]) == [.failure(.scanUnreadable)], "\(number)")
    }
    #expect(typist.press([Key.a, Key.b], holding: [Key.alt]) == [])
    #expect(typist.press([Key.b, Key.enter]) == text("b"))
  }

  @Test mutating func `Enter, the keypad's Enter and Tab end a code, and an empty code is ignored`() {
    for end in [Key.enter, Key.keypadEnter, Key.tab] {
      #expect(typist.press([Key.a, Key.b, end]) == text("ab"))
      #expect(typist.press([end, end]) == [])
    }
    #expect(typist.press([Key.a, Key.enter, Key.tab, Key.b, Key.enter]) == text("a", "b"))
  }

  @Test mutating func `Shift applies while it is held, and releasing a key types nothing`() {
    #expect(typist.send(Key.leftShift, 1) == nil)
    #expect(typist.send(Key.a, 1) == nil)
    #expect(typist.send(Key.leftShift, 0) == nil)
    #expect(typist.send(Key.a, 0) == nil)
    #expect(typist.press([Key.b, Key.enter]) == text("Ab"))
    // A key that was pressed before the kiosk listened is only released.
    #expect(typist.send(Key.enter, 0) == nil)
    #expect(typist.send(Key.b, 0) == nil)
    #expect(typist.press([Key.a, Key.enter]) == text("a"))
  }

  @Test mutating func `a key that the kernel repeats types one letter, and Shift stays in effect`() {
    #expect(typist.send(Key.leftShift, 1) == nil)
    #expect(typist.send(Key.leftShift, 2) == nil)
    #expect(typist.send(Key.a, 1) == nil)
    #expect(typist.send(Key.a, 2) == nil)
    #expect(typist.send(Key.a, 0) == nil)
    #expect(typist.send(Key.leftShift, 0) == nil)
    #expect(typist.send(Key.enter, 1) == .success("A"))
    #expect(typist.send(Key.enter, 2) == nil)
  }

  @Test mutating func `the longest code is accepted, an endless code is refused, and the next code is read`() {
    let longest = [UInt16](repeating: Key.a, count: Limits.inventoryCodeSizeMax)
    #expect(typist.press(longest + [Key.enter]) == text(String(repeating: "a", count: longest.count)))
    #expect(typist.press(longest + [Key.b, Key.enter]) == [.failure(.scanTooLong)])
    let endless = [UInt16](repeating: Key.a, count: 10_000)
    #expect(typist.press(endless + [Key.enter, Key.b, Key.enter]) == [.failure(.scanTooLong), .success("b")])
  }

  @Test mutating func `keys that type nothing are ignored`() {
    // Escape, backspace, Caps Lock, F1, Scroll Lock, and numbers that no keyboard has.
    for key in [0, 1, 14, 58, 59, 70, 84, 85, 255, 256, 0x2FF, .max] as [UInt16] {
      #expect(typist.press([Key.a, key, Key.b, Key.enter]) == text("ab"), "\(key)")
    }
    // The separator of GS1 is Ctrl and a bracket.
    #expect(typist.press([Key.a]) == [])
    #expect(typist.press([27], holding: [Key.control]) == [])
    #expect(typist.press([Key.b, Key.enter]) == text("ab"))
  }

  @Test mutating func `any event with any value is handled`() {
    var generator = Randomness(seed: (1, 2, 3, 4))
    var codes = 0
    let values: [Int32] = [0, 0, 0, 1, 0, 1, 2, -1]
    for layout in ScannerLayout.allCases {
      typist = Typist(layout)
      for _ in 0..<50_000 {
        let random = generator.next()
        if random & 0x3F8 == 0 { typist.lose() }
        let moment = random & 0x400 == 0 ? Int64(bitPattern: random) : Int64(random >> 54)
        let scan = typist.keys.take(
          key: UInt16(truncatingIfNeeded: random >> 16) & 127, value: values[Int(random >> 40 & 7)], at: moment,
          into: &typist.code)
        guard case .success(let code)? = scan else { continue }
        codes += 1
        #expect(!code.isEmpty && code.utf8.count <= Limits.inventoryCodeSizeMax)
      }
    }
    #expect(codes > 0)
  }

  @Test mutating func `an incomplete code is discarded after half a second, with its remainder, and reported`() {
    #expect(typist.press([Key.a]) == [])
    #expect(typist.code.isPending)
    typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds - 2
    #expect(typist.press([Key.b, Key.enter]) == text("ab"))
    #expect(typist.press([Key.a]) == [])
    typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds
    let torn = [Scan.failure(.scanIncomplete), .failure(.scanIncomplete)]
    #expect(typist.press([Key.b, Key.enter]) == torn)
    #expect(typist.press([Key.b, Key.enter]) == text("b"))
    #expect(typist.press([Key.a]) == [])
    #expect(typist.code.expire() == .failure(.scanIncomplete))
    // A further pause reports nothing, and any amount of the rest is discarded.
    for _ in 0..<3 {
      typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds
      #expect(!typist.code.isPending)
      #expect(typist.press([UInt16](repeating: Key.b, count: 300)) == [])
    }
    #expect(typist.press([Key.enter, Key.b, Key.enter]) == [.failure(.scanIncomplete), .success("b")])
  }

  @Test mutating func `digits with a pause between them are refused together, however they are typed`() {
    let torn = [Scan.failure(.scanIncomplete), .failure(.scanIncomplete)]
    #expect(typist.press([3]) == [])
    typist.milliseconds += 700
    #expect(typist.press([6, Key.enter]) == torn)
    // As the number of a character, which Alt and the keypad write: 53 is 5.
    #expect(typist.send(Key.alt, 1) == nil)
    #expect(typist.press([Key.digits[5]]) == [])
    typist.milliseconds += 700
    #expect(typist.press([Key.digits[5], Key.digits[3]]) == [.failure(.scanIncomplete)])
    #expect(typist.send(Key.alt, 0) == nil)
    #expect(typist.press([Key.enter]) == [.failure(.scanIncomplete)])
    #expect(typist.press([6, Key.enter]) == text("5"))
    // A code that was too long before the pause, and one of which only the end is late.
    #expect(typist.press([UInt16](repeating: Key.a, count: 300)) == [])
    typist.milliseconds += 700
    #expect(typist.press([6, Key.enter]) == [.failure(.scanTooLong), .failure(.scanIncomplete)])
    #expect(typist.press([6]) == [])
    typist.milliseconds += 700
    #expect(typist.press([Key.enter, 6, Key.enter]) == [.failure(.scanIncomplete), .success("5")])
  }

  @Test mutating func `a code with lost keys is refused, and the next code is read`() {
    #expect(typist.press([Key.a]) == [])
    typist.lose()
    #expect(typist.press([Key.b, Key.enter]) == [.failure(.scanIncomplete)])
    #expect(typist.press([Key.b, Key.enter]) == text("b"))
    // A shift whose release was lost would make every letter another one.
    #expect(typist.send(Key.leftShift, 1) == nil)
    typist.lose()
    #expect(typist.press([Key.enter, Key.a, Key.enter]) == [.failure(.scanIncomplete), .success("a")])
    // Whether the end was lost as well is unknown.
    #expect(typist.press([Key.a]) == [])
    typist.lose()
    typist.milliseconds += Limits.scannerPauseMax.wholeMilliseconds
    #expect(typist.press([Key.b, Key.enter]) == [.failure(.scanIncomplete), .failure(.scanIncomplete)])
    #expect(typist.press([Key.b, Key.enter]) == text("b"))
  }
}

@Suite struct ScannedCodeTests {
  private func scans(_ bytes: [UInt8]) -> [Scan] {
    var code = ScannedCode()
    return bytes.compactMap { code.take($0) }
  }

  private func scans(_ text: String) -> [Scan] { scans(Array(text.utf8)) }

  @Test func `any line ending ends a code`() {
    #expect(scans("B-17\r\nB-18\nB-19\r\r\n\nKüche\rB-2") == text("B-17", "B-18", "B-19", "Küche"))
  }

  @Test func `a barcode's type prefix is removed, but not from a code that only resembles one`() {
    let codes = "]Q3B-17\n]C1B-17\n]E04006381333931\n]d2B-17\n]dpX\n"
    #expect(scans(codes) == text("B-17", "B-17", "4006381333931", "B-17", "X"))
    #expect(scans("]Q3\n]\n]Q\n]3Qx\n]Q-x\n[Q3x\n") == text("]", "]Q", "]3Qx", "]Q-x", "[Q3x"))
    let longest = String(repeating: "x", count: Limits.inventoryCodeSizeMax)
    #expect(scans("]Q3" + longest + "\n" + longest + "\n") == text(longest, longest))
    #expect(scans("]Q3" + longest + "x\n" + longest + "x\n") == [.failure(.scanTooLong), .failure(.scanTooLong)])
  }

  @Test func `separators are removed`() {
    #expect(scans("0104006381333931\u{1D}10A\u{1E}\u{4}\n") == text("010400638133393110A"))
  }

  @Test func `garbage is refused once for each line, and the next code is read`() {
    for garbage: [UInt8] in [[0xFF, 0xFE], [0x42, 0x00], [0x1B, 0x5B, 0x41], [0xC3], [0xED, 0xA0, 0x80], [0x7F]] {
      #expect(scans(garbage + Array("\nB-17\n".utf8)) == [.failure(.scanUnreadable), .success("B-17")], "\(garbage)")
    }
    var generator = Randomness(seed: (5, 6, 7, 8))
    var code = ScannedCode()
    for _ in 0..<100_000 {
      let random = generator.next()
      if random & 0xF00 == 0 { code.spoil(.scanIncomplete) }
      if case .success(let text)? = code.take(UInt8(truncatingIfNeeded: random)) {
        #expect(!text.isEmpty && text.utf8.count <= Limits.inventoryCodeSizeMax)
      }
    }
  }

  @Test(arguments: [
    ("smp://box?id=019A9C3B-0b5e-7c41-9d2e-6f1f6e0c6d11", "019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11"),
    ("smp://item?id=019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11", "019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11"),
    ("grcy:p:13:5f3a9b", "grcy:p:13"), ("https://homebox.example/a/000-017", "000-017"),
    ("http://10.0.0.2:7745/a/000-017", "000-017"), ("0104012345678901", "04012345678901"),
    ("010401234567890110A7", "04012345678901"), ("(01)04012345678901(10)A7", "04012345678901"),
    ("170512310104012345678901", "04012345678901"), ("]E04012345678901", "4012345678901"),
    ("https://id.gs1.org/01/04012345678901/10/A7?11=261128", "04012345678901"),
    ("https://example.com/de/01/4012345678901", "4012345678901"),
  ])
  func `a label of another program is also looked up by the code that it contains`(_ label: String, _ code: String) {
    #expect(LabelCode.alternatives(to: label) == [code])
  }

  @Test(arguments: [
    "B-17", "", "smp://box?id=", "smp://box?id=7", "smp://action?id=019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11",
    "smp://box?id=019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11&x", "grcy:p:13", "grcy:", "grcy", "https://homebox.example/a/",
    "https://homebox.example/b/000-017", "https://a/000-017", "ftp://homebox.example/a/000-017", "{\"part\": 5}",
    "0104012345678902", "01040123456789", "https://example.com/01/2026", "https://example.com/b/01",
  ])
  func `any other label is looked up unchanged`(_ label: String) {
    #expect(LabelCode.alternatives(to: label).isEmpty)
  }

  @Test func `a GTIN matches with any number of leading zeros, and any other code only exactly`() {
    #expect(LabelCode.spellings(of: "012345678905") == ["012345678905", "0012345678905", "00012345678905"])
    #expect(
      LabelCode.spellings(of: "00000096385074") == ["00000096385074", "96385074", "000096385074", "0000096385074"])
    #expect(LabelCode.alternatives(to: "]C10104012345678901") == ["0104012345678901", "04012345678901"])
    for code in ["B-17", "00123", "0012345", "01234567890a", "14012345678901"] {
      #expect(LabelCode.spellings(of: code) == [code])
    }
  }
}
