// Guesses the encoding of a text that is not UTF-8, for a hint on how to convert it.

package enum TextEncoding {
  /// Returns iconv's name for the likely encoding.
  @export(interface)
  package static func name(of bytes: [UInt8]) -> String {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    let zeros = bytes.indices.filter { bytes[$0] == 0 }
    // In UTF-16LE, the zero byte follows an ASCII letter; in UTF-16BE, it precedes the letter.
    if !zeros.isEmpty { return zeros.count { $0 % 2 == 1 } * 2 > zeros.count ? "UTF-16LE" : "UTF-16BE" }
    // In Western languages, such bytes do not occur in runs of four.
    var run = 0
    for byte in bytes {
      run = byte >= 0xC0 ? run + 1 : 0
      if run == 4 { return "WINDOWS-1251" }
    }
    var best = (name: letters[0].name, score: 0)
    for (name, letters) in letters {
      let score = bytes.indices.count { letters.contains(bytes[$0]) && touchesLetter(bytes, $0) }
      if score > best.score { best = (name, score) }
    }
    return best.name
  }

  /// The bytes of the accented letters most frequent in names, by encoding; the first encoding wins a tie.
  private static var letters: [(name: String, bytes: [UInt8])] {
    [
      (
        "WINDOWS-1252",
        [
          0xC4, 0xC5, 0xC9, 0xD6, 0xD8, 0xDC, 0xDF, 0xE0, 0xE1, 0xE2, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xEB,
          0xED, 0xEF, 0xF1, 0xF3, 0xF4, 0xF6, 0xF8, 0xFA, 0xFC,
        ]
      ),
      (
        "IBM850",
        [
          0x81, 0x82, 0x83, 0x84, 0x85, 0x87, 0x88, 0x8A, 0x8E, 0x90, 0x94, 0x99, 0x9A, 0x9B, 0xA0, 0xA2, 0xA4, 0xE1,
        ]
      ),
      (
        "MACINTOSH",
        [
          0x80, 0x83, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8C, 0x8D, 0x8E, 0x8F, 0x96, 0x97, 0x99, 0x9A, 0x9F, 0xA7,
          0xBF,
        ]
      ),
      (
        "WINDOWS-1250",
        [0x9C, 0x9E, 0x9F, 0xB3, 0xB9, 0xBE, 0xBF, 0xE6, 0xE8, 0xEA, 0xEC, 0xF1, 0xF3, 0xF8, 0xF9]
      ),
    ]
  }

  private static func touchesLetter(_ bytes: [UInt8], _ index: Int) -> Bool {
    func isLetter(_ index: Int) -> Bool { bytes.indices.contains(index) && (0x61...0x7A).contains(bytes[index] | 0x20) }
    return isLetter(index - 1) || isLetter(index + 1)
  }
}
