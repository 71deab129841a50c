// The keyboard layouts of scanners that act as a keyboard. They are tables instead of libxkbcommon's keymaps, which
// need 4 MB of files on the board.

/// The keyboard layout that a scanner is set to.
package enum ScannerLayout: String, CaseIterable, Sendable {
  case us
  case de
  case gb
  case fr

  /// Characters of the keys alone, with Shift, and with AltGr, in the order of `place(ofKey:)`.
  ///
  /// A space stands for a key without a character.
  var characters: [[Unicode.Scalar]] {
    let levels: [String] =
      switch self {
      case .us:
        [#"1234567890-=qwertyuiop[]asdfghjkl;'`\zxcvbnm,./"#, #"!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:"~|ZXCVBNM<>?"#]
      case .de:
        [
          "1234567890ß´qwertzuiopü+asdfghjklöä^#yxcvbnm,.-<", "!\"§$%&/()=?`QWERTZUIOPÜ*ASDFGHJKLÖÄ°'YXCVBNM;:_>",
          #" ²³   {[]}\ @ €        ~                   µ   |"#,
        ]
      case .gb:
        [
          #"1234567890-=qwertyuiop[]asdfghjkl;'`#zxcvbnm,./\"#, "!\"£$%^&*()_+QWERTYUIOP{}ASDFGHJKL:@¬~ZXCVBNM<>?|",
          "   €",
        ]
      case .fr:
        [
          "&é\"'(-è_çà)=azertyuiop^$qsdfghjklmù²*wxcvbn,;:!<", "1234567890°+AZERTYUIOP¨£QSDFGHJKLM% µWXCVBN?./§>",
          #" ~#{[|`\^@]}  €        ¤"#,
        ]
      }
    return levels.map { Array($0.unicodeScalars) }
  }

  /// Characters of dead keys: a scanner sends a space after them, which is not part of the code.
  var deadCharacters: [Unicode.Scalar] {
    switch self {
    case .us, .gb: []
    case .de: ["^", "´", "`"]
    case .fr: ["^", "¨", "~", "`"]
    }
  }

  /// Returns the place of a key in `characters`; `nil` for a key that has the same meaning in all layouts, or none.
  ///
  /// The keys are those from KEY_1, KEY_Q, KEY_A and KEY_BACKSLASH on, and KEY_102ND.
  static func place(ofKey code: UInt16) -> Int? {
    switch code {
    case 2...13: Int(code) - 2
    case 16...27: Int(code) - 4
    case 30...41: Int(code) - 6
    case 43...53: Int(code) - 7
    case 86: 47
    default: nil
    }
  }
}
