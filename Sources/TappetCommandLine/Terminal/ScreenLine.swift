// Wraps a line that may be wider than the terminal, preferably at a space, preserving its colours.

package enum ScreenLine {
  /// Indentation of continuation lines, in columns.
  private static let indent = 11
  private static let reset = "\u{1B}[0m"

  /// Returns the line in parts of at most `columns` visible scalars; a colour is reset at the end of a part, and set
  /// again at the start of the next part.
  @export(interface)
  package static func wrapped(_ line: String, _ columns: Int) -> [String] {
    var parts: [String] = []
    var rest = Array(line.unicodeScalars)
    var colour: [Unicode.Scalar] = []
    while true {
      let margin = parts.isEmpty || columns <= 3 * indent ? 0 : indent
      let (size, next) = fitting(rest, max(1, columns - margin))
      let part = rest[..<size]
      parts.append(String(repeating: " ", count: margin) + text(colour[...]) + text(part) + reset)
      colour = lastColour(part) ?? colour
      guard next < rest.count else { return parts }
      rest = Array(rest[next...])
    }
  }

  /// Returns the number of scalars that fit, and the start of the next part.
  private static func fitting(_ scalars: [Unicode.Scalar], _ columns: Int) -> (size: Int, next: Int) {
    var width = 0
    var isInEscape = false
    var space: Int?
    for (index, scalar) in scalars.enumerated() {
      if scalar == "\u{1B}" { isInEscape = true }
      if isInEscape {
        if scalar == "m" { isInEscape = false }
        continue
      }
      width += 1
      if width > columns {
        if scalar == " " { return (index, index + 1) }
        return space.map { ($0, $0 + 1) } ?? (index, index)
      }
      // A break near the start would leave a part that is too short to be useful.
      if scalar == " ", width > columns / 2 { space = index }
    }
    return (scalars.count, scalars.count)
  }

  /// Returns the colour in effect at the end of the part, empty if none; `nil` if the part does not change the colour.
  private static func lastColour(_ part: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar]? {
    guard let start = part.lastIndex(of: "\u{1B}") else { return nil }
    let escape = Array(part[start...].prefix { $0 != "m" }) + ["m"]
    return text(escape[...]) == reset ? [] : escape
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
