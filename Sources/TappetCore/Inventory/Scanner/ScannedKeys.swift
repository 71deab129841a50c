// The keys of a barcode scanner that acts as a keyboard, by their numbers in linux/input-event-codes.h.

/// The state of a scanner's keyboard.
package struct ScannedKeys: Sendable {
  private let characters: [[Unicode.Scalar]]
  private let deadCharacters: [Unicode.Scalar]
  private var held: Modifiers = []
  /// Digits typed on the keypad while Alt is held: the number of a character.
  private var digits: [UInt8] = []
  private var isAfterDeadKey = false
  private var lastMilliseconds: Int64 = 0

  private struct Modifiers: OptionSet {
    let rawValue: UInt8
    static let leftShift = Modifiers(rawValue: 1)
    static let rightShift = Modifiers(rawValue: 2)
    static let control = Modifiers(rawValue: 4)
    static let alt = Modifiers(rawValue: 8)
    static let altGr = Modifiers(rawValue: 16)
  }

  /// Creates a keyboard of which no key is held.
  @export(interface)
  package init(layout: ScannerLayout) {
    characters = layout.characters
    deadCharacters = layout.deadCharacters
  }

  /// Handles a key that was pressed (1), released (0) or repeated (2), at a time of the device's clock.
  ///
  /// Returns the code if the key ends it, or the reason why the part of the code before the key was discarded.
  @export(interface)
  package mutating func take(
    key: UInt16, value: Int32, at milliseconds: Int64, into code: inout ScannedCode
  ) -> Scan? {
    if let modifier = ScannedKeys.modifier(key) { return change(modifier, value, into: &code) }
    // A scanner never holds a key down to repeat it: a repeat event is caused by a late release.
    guard value == 1 else { return nil }
    // A scanner types a code without pauses, so what was typed before one is a part of a code.
    let isLate = milliseconds &- lastMilliseconds > Limits.scannerPauseMax.wholeMilliseconds
    let discarded = isLate && (code.isPending || !digits.isEmpty) ? code.expire() : nil
    if isLate { (digits, isAfterDeadKey) = ([], false) }
    lastMilliseconds = milliseconds
    if [28, 96, 15].contains(key) { return code.end() }
    if let character = character(key) { write(character, into: &code) }
    return discarded
  }

  /// Handles the loss of events: the rest of this code would be mistaken for a different code.
  @export(interface)
  package mutating func lose(at milliseconds: Int64, from code: inout ScannedCode) {
    (held, digits, lastMilliseconds) = ([], [], milliseconds)
    code.spoil(.scanIncomplete)
  }

  private static func modifier(_ key: UInt16) -> Modifiers? {
    switch key {
    case 42: .leftShift
    case 54: .rightShift
    case 29, 97: .control
    case 56: .alt
    case 100: .altGr
    default: nil
    }
  }

  private mutating func change(_ modifier: Modifiers, _ value: Int32, into code: inout ScannedCode) -> Scan? {
    if value != 0 {
      held.insert(modifier)
      return nil
    }
    held.remove(modifier)
    guard modifier == .alt, !digits.isEmpty else { return nil }
    defer { digits = [] }
    return writeNumbered(into: &code)
  }

  /// Adds the character whose number was typed on the keypad: of ASCII or, after a zero, of Latin-1.
  ///
  /// Other numbers have different meanings in different countries.
  private mutating func writeNumbered(into code: inout ScannedCode) -> Scan? {
    let number = digits.reduce(0) { $0 * 10 + Int($1) }
    switch number {
    case 9, 10, 13: return code.end()
    case 0x20...0x7E: write(Unicode.Scalar(UInt8(number)), into: &code)
    case 0xA0...0xFF where digits.first == 0: write(Unicode.Scalar(UInt8(number)), into: &code)
    default: code.spoil(.scanUnreadable)
    }
    return nil
  }

  private mutating func write(_ character: Unicode.Scalar, into code: inout ScannedCode) {
    defer { isAfterDeadKey = deadCharacters.contains(character) }
    if !isAfterDeadKey || character != " " { code.append(character) }
  }

  /// Returns the character of a key with the modifiers that are held; `nil` if it has none.
  private mutating func character(_ key: UInt16) -> Unicode.Scalar? {
    // Windows, for which scanners are made, takes Ctrl and Alt for AltGr.
    let isAltGr = held.contains(.altGr) || held.isSuperset(of: [.control, .alt])
    if !isAltGr, held.contains(.alt) {
      if let digit = ScannedKeys.keypad(key), ("0"..."9").contains(digit), digits.count < 5 {
        digits.append(UInt8(digit.value & 15))
      }
      return nil
    }
    // The separators of GS1 and ISO/IEC 15434, such as Ctrl and `]`, which are not part of the code.
    if !isAltGr, held.contains(.control) { return nil }
    if key == 57 { return " " }
    guard let place = ScannerLayout.place(ofKey: key) else { return ScannedKeys.keypad(key) }
    let isShifted = !held.isDisjoint(with: [.leftShift, .rightShift])
    let level = isAltGr ? 2 : isShifted ? 1 : 0
    guard characters.indices.contains(level), characters[level].indices.contains(place) else { return nil }
    let character = characters[level][place]
    return character == " " ? nil : character
  }

  /// Returns the character of a key on the keypad: KEY_KP7 and so on.
  private static func keypad(_ key: UInt16) -> Unicode.Scalar? {
    let characters = Array("789-456+1230.".unicodeScalars)
    return (71...83).contains(key) ? characters[Int(key) - 71] : nil
  }
}
