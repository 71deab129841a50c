// Sheets of labels as SVG images at actual size.

import TappetCommandLine
import TappetCore
import TappetQR

/// The layout of labels on a sheet; all lengths are in hundredths of a millimetre.
struct LabelSheet {
  /// The name on the command line: `a4-3x8` is A4 with three columns of eight.
  let name: String
  private let page: (width: Int, height: Int)
  private let label: (width: Int, height: Int)
  /// Upper left corner of the first label.
  private let origin: (x: Int, y: Int)
  /// Distance from one label to the next.
  private let pitch: (x: Int, y: Int)
  private let columns: Int
  private let rows: Int
  /// Unprinted margin of a label.
  private var margin = 150

  /// Labels on a roll, 62 by 29 mm, each on a separate sheet.
  static let roll = LabelSheet(
    name: "roll-62x29", page: (6200, 2900), label: (6200, 2900), origin: (0, 0), pitch: (6200, 2900), columns: 1,
    rows: 1)

  /// The supported sheets, with the dimensions of the manufacturers' templates.
  static let all = [
    roll,
    // Avery L7159, L7160 and L7163, and 5160 on Letter.
    LabelSheet(
      name: "a4-3x8", page: (21_000, 29_700), label: (6350, 3390), origin: (725, 1310), pitch: (6600, 3390),
      columns: 3, rows: 8),
    LabelSheet(
      name: "a4-3x7", page: (21_000, 29_700), label: (6350, 3810), origin: (725, 1515), pitch: (6604, 3810),
      columns: 3, rows: 7),
    LabelSheet(
      name: "a4-2x7", page: (21_000, 29_700), label: (9910, 3810), origin: (465, 1515), pitch: (10_160, 3810),
      columns: 2, rows: 7),
    LabelSheet(
      name: "letter-3x10", page: (21_590, 27_940), label: (6668, 2540), origin: (476, 1270), pitch: (6985, 2540),
      columns: 3, rows: 10),
    // Tapes; a printer for 24 mm tape has a print width of 18 mm.
    tape("tape-12", height: 1200, width: 6000, margin: 150), tape("tape-18", height: 1800, width: 7000, margin: 150),
    tape("tape-24", height: 2400, width: 8000, margin: 300),
  ]

  /// Returns the layout of a tape, with one label per sheet.
  private static func tape(_ name: String, height: Int, width: Int, margin: Int) -> LabelSheet {
    var sheet = LabelSheet(
      name: name, page: (width, height), label: (width, height), origin: (0, 0), pitch: (width, height), columns: 1,
      rows: 1)
    sheet.margin = margin
    return sheet
  }

  /// Finds the sheet with this name.
  init?(name: String) {
    guard let sheet = Self.all.first(where: { $0.name == name }) else { return nil }
    self = sheet
  }

  private init(
    name: String, page: (width: Int, height: Int), label: (width: Int, height: Int), origin: (x: Int, y: Int),
    pitch: (x: Int, y: Int), columns: Int, rows: Int
  ) {
    (self.name, self.page, self.label, self.origin, self.pitch) = (name, page, label, origin, pitch)
    (self.columns, self.rows) = (columns, rows)
  }

  /// Returns an image of each sheet; the first `skipped` labels of the first sheet remain empty.
  func drawings(of labels: [ThingLabel], skipping skipped: Int) -> [String] {
    let perSheet = columns * rows
    var drawings: [String] = []
    var body = ""
    for (index, label) in labels.enumerated() {
      let place = (skipped + index) % perSheet
      if place == 0, index > 0 {
        drawings.append(drawing(body))
        body = ""
      }
      body += drawing(of: label, x: origin.x + place % columns * pitch.x, y: origin.y + place / columns * pitch.y)
    }
    return drawings + [drawing(body)]
  }

  private func drawing(_ body: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.millimetres(page.width))" \
    height="\(Self.millimetres(page.height))" viewBox="0 0 \(page.width) \(page.height)">
    \(body)</svg>

    """
  }

  /// Returns one label: the code on the left, as high as the label, with the text next to it.
  private func drawing(of thing: ThingLabel, x: Int, y: Int) -> String {
    let side = label.height - 2 * margin
    let left = x + margin + side
    let room = label.width - 2 * margin - side
    var text = """
      <svg x="\(x + margin)" y="\(y + margin)" width="\(side)" height="\(side)" \
      viewBox="0 0 \(thing.picture.width) \(thing.picture.width)" shape-rendering="crispEdges">\
      <path d="\(thing.picture.path)"/></svg>

      """
    // The number of lines that fit at full size; on a narrow tape, the text is scaled down.
    let (nameLines, pathLines) = side < 1200 ? (1, 1) : side < 1700 ? (2, 1) : side < 2200 ? (2, 2) : (2, 3)
    let height = (400 * nameLines + 300 + 240 * pathLines) * 6 / 5
    var top = y + margin + min(margin, max(0, side - height))
    for (words, fullSize, linesMax, style) in [
      (thing.name, 400, nameLines, "font-family=\"sans-serif\" font-weight=\"bold\""),
      (thing.caption, 300, 1, "font-family=\"monospace\""), (thing.path, 240, pathLines, "font-family=\"sans-serif\""),
    ] {
      let size = height <= side ? fullSize : fullSize * side / height
      // In most fonts, the average width of a character is at most 0.6 of the font size.
      for line in LabelText.lines(words, columns: room * 10 / (size * 6), max: linesMax) {
        top += size * 6 / 5
        text += """
          <text x="\(left)" y="\(top - size / 5)" font-size="\(size)" \(style)>\
          \(LabelText.escaped(line))</text>

          """
      }
    }
    return text
  }

  private static func millimetres(_ hundredths: Int) -> String {
    let rest = hundredths % 100
    return "\(hundredths / 100)" + (rest == 0 ? "" : "." + (rest < 10 ? "0" : "") + "\(rest)") + "mm"
  }
}

/// Formats the text of a label.
enum LabelText {
  /// Returns up to `max` lines of up to `columns` characters, broken at spaces; longer text ends in an ellipsis.
  static func lines(_ text: String, columns: Int, max: Int) -> [String] {
    let columns = Swift.max(2, columns)
    var rest = Array(text.unicodeScalars)[...]
    var lines: [String] = []
    while !rest.isEmpty {
      if rest.count <= columns { return lines + [string(rest)] }
      if lines.count == max - 1 { return lines + [string(rest.prefix(columns - 1)) + "…"] }
      let head = rest.prefix(columns + 1)
      let end = head.lastIndex(of: " ") ?? rest.startIndex + columns
      lines.append(string(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return lines
  }

  /// Escapes the text for XML.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
