// Lines of comma-separated values (RFC 4180) that are safe to open in a spreadsheet.

import TappetCore

/// Writes comma-separated values.
package enum CSV {
  /// Returns a line without a line break; `nil` becomes an empty field.
  package static func line(_ fields: [String?]) -> String { fields.map { quoted($0 ?? "") }.joined(separator: ",") }

  /// Returns the field, prefixed with an apostrophe if a spreadsheet would run it as a formula, or if `unguarded` would
  /// remove an apostrophe from it; numbers are left unchanged.
  package static func guarded(_ field: String) -> String {
    if unguarded(field) != nil { return "'" + field }
    let bytes = Array(field.utf8)
    guard let first = bytes.first, isFormula(first) else { return field }
    let isNumber = bytes.count > 1 && bytes.dropFirst().allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    return isNumber && (first == 0x2B || first == 0x2D) ? field : "'" + field
  }

  /// Returns the field without the apostrophe before a formula or before digits; `nil` if it has none.
  package static func unguarded(_ field: String) -> String? {
    let rest = field.utf8.drop { $0 == UInt8(ascii: "'") }
    guard rest.count < field.utf8.count, let first = rest.first,
      isFormula(first) || rest.allSatisfy({ $0.isASCIIDigit })
    else { return nil }
    return String(decoding: field.utf8.dropFirst(), as: UTF8.self)
  }

  /// Whether a spreadsheet takes a field with this first character for a formula.
  private static func isFormula(_ first: UInt8) -> Bool { [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D].contains(first) }

  private static func quoted(_ text: String) -> String {
    let field = guarded(text)
    let isPlain = field.utf8.allSatisfy { $0 != 0x22 && $0 != 0x2C && $0 >= 0x20 }
    if isPlain { return field }
    var text = "\""
    for scalar in field.unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }
}
