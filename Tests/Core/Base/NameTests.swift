// The rule for names. Two Strings are equal in these tests when they look the same, so bytes are compared.

import Foundation
import Testing

@testable import TappetCore

@Suite struct NameTests {
  @Test(arguments: [
    ("Jose\u{301} Mu\u{308}ller", "Jos\u{E9} M\u{FC}ller"), ("Jos\u{E9}", "Jos\u{E9}"), ("Ann Lee", "Ann Lee"),
    // Two marks of one Vietnamese letter, in either order; the letters of a Korean syllable; a sign that is a letter.
    ("Vie\u{323}\u{302}t", "Vi\u{1EC7}t"), ("Vie\u{302}\u{323}t", "Vi\u{1EC7}t"),
    ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("\u{212B}se", "\u{C5}se"),
    // Ligatures, fractions and wide letters are what they are.
    ("\u{FB01}n \u{BD} \u{FF21}", "\u{FB01}n \u{BD} \u{FF21}"),
    // The rest that tables and phones leave, and spaces of other kinds.
    ("\u{FEFF} Ann\u{A0}Lee\u{200B}\t", "Ann Lee"), ("\u{200D}Ann\u{3000}Lee\u{200C}\u{2060}", "Ann Lee"),
    ("\u{2764}\u{FE0F} Box", "\u{2764} Box"), ("Ann \u{FE0F}", "Ann"),
    // Runs of spaces, also of several kinds, and around something that is dropped.
    ("Ben  Ott", "Ben Ott"), ("Ben \u{A0}\u{3000} Ott", "Ben Ott"), ("Ben \u{FE0F} Ott", "Ben Ott"),
  ])
  func `all spellings of a name are stored as one`(_ typed: String, _ name: String) throws {
    let trimmed = try #require(typed.trimmedLabel)
    #expect(Array(trimmed.utf8) == Array(name.utf8))
    #expect(trimmed.nameFault() == nil && Array(trimmed.storedName.utf8) == Array(name.utf8))
  }

  @Test(arguments: [
    ("ΑΝΝΑΣ", "Αννας"), ("ΑΝΝΑΣ", "αννασ"), ("\u{3AA}\u{301}da", "\u{390}DA"), ("\u{1C4}ana", "\u{1C5}ana"),
    ("JOSÉ MÜLLER", "José Müller"), ("WEI\u{1E9E}", "Weiß"), ("\u{130}pek", "i\u{307}PEK"), ("ÅSE", "åse"),
    ("\u{1FBC}", "\u{1FB3}"),
  ])
  func `names that differ only in case are the same name`(_ one: String, _ other: String) throws {
    let names = try [one, other].map { try #require($0.trimmedLabel).lowercasedName }
    #expect(Array(names[0].utf8) == Array(names[1].utf8))
    #expect("Weiß".lowercasedName != "Weiss".lowercasedName)
  }

  @Test func `names are composed as Unicode specifies`() {
    for scalar in (0...0xFFFF).compactMap({ Unicode.Scalar($0) }) {
      // Behind a letter, and between marks of several classes.
      for text in ["\(scalar)", "e\u{323}\(scalar)\u{301}"] {
        let expected = text.precomposedStringWithCanonicalMapping
        guard !text.composed.utf8.elementsEqual(expected.utf8) else { continue }
        Issue.record("U+\(String(scalar.value, radix: 16)): \(Array(text.composed.utf8)), not \(Array(expected.utf8))")
      }
    }
    let long = String(repeating: "e\u{301}", count: Limits.composedTextSizeMax)
    #expect(long.composed.utf8.elementsEqual(long.utf8), "a text that is not a name takes no time")
  }

  @Test(
    arguments: [
      0xAD, 0x34F, 0x115F, 0x1160, 0x180E, 0x200B, 0x200D, 0x200E, 0x202E, 0x2060, 0x2066, 0x2800, 0x3164, 0xFEFF,
      0x600, 0x8E2, 0x110BD, 0x13430, 0x13438, 0x16FE4, 0xFFA0, 0xFFFE, 0xE0041, 0xE0100, 0x1B, 0x9B,
    ] as [UInt32])
  func `an invisible character is refused with its position, and removed from stored names`(
    _ code: UInt32
  ) throws {
    let scalar = try #require(Unicode.Scalar(code))
    let name = try #require("Ann\(scalar) Lee".trimmedLabel)
    #expect(name.nameFault() == .unseen(scalar, place: 4))
    #expect(name.storedName == "Ann Lee" && name.escaped == "Ann\\u{\(String(code, radix: 16))} Lee")
    #expect(!String(scalar).storedName.isEmpty, "somebody who was called so can still be named")
  }

  @Test func `formatting and ignorable characters are treated as invisible, and visible letters are not`() {
    let blank: Set<UInt32> = [0x2800, 0x1D159]
    for scalar in (0...0x10FFFF).compactMap({ Unicode.Scalar($0) }) {
      let isSeen: Bool? =
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        case _ where scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isNoncharacterCodePoint: false
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber, .otherSymbol:
          !blank.contains(scalar.value)
        default: nil
        }
      if let isSeen, scalar.isVisible != isSeen {
        Issue.record("U+\(String(scalar.value, radix: 16)) is \(isSeen ? "seen" : "not seen")")
      }
    }
  }

  @Test func `names with similar letters of different scripts are different names`() {
    #expect("\u{410}nn".trimmedLabel != "Ann".trimmedLabel && "\u{410}nn".nameFault() == nil)
  }
}
