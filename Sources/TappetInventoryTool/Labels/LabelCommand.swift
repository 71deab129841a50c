// tappet label: labels for boxes and other entries, to be viewed, printed on sheets, or sent to label printers.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetPlatform
import TappetQR

/// The text of a label and its QR code.
struct ThingLabel {
  var name: String
  /// The text of the QR code: the code of a box, or the id of any other entry; or a link that ends with it.
  var code: String
  /// The text below the name: the code of a box, or the kind of any other entry.
  var caption: String
  var path: String
  var picture: QRCode

  /// Creates the label for a number of pieces.
  fileprivate init(pieces: Int64) throws(CommandFailure) {
    code = LabelCode.number(pieces)
    (name, caption, path) = (String(pieces), pieces == 1 ? "piece" : "pieces", "")
    picture = try ThingLabel.picture(of: code)
  }

  /// Creates the label for an entry; with `page`, its code is a link to the entry on the kiosk's page.
  fileprivate init(_ thing: InventoryEntry, _ inventory: Inventory, page: String?) throws(CommandFailure) {
    name = thing.name.escaped
    // An id never has to be percent-encoded, so a scanner reads the link without decoding it.
    let isPlain = thing.labelText.percentEncoded == thing.labelText
    code = page.map { $0 + "/s/" + (isPlain ? thing.labelText : thing.id.text) } ?? thing.labelText
    caption = thing.kind == .box ? thing.code.escaped : thing.kind.title
    path = try judged { () throws(InventoryError) in try inventory.location(of: thing) }.path.escaped
    picture = try ThingLabel.picture(of: code)
  }

  private static func picture(of code: String) throws(CommandFailure) -> QRCode {
    do throws(QRCodeError) { return try QRCode(Array(code.utf8)) } catch {
      throw .failed("\(code.escaped): the QR code could not be created; the system is out of memory")
    }
  }
}

/// Creates labels for the entries that the arguments specify.
enum LabelCommand {
  static func run(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    var labels: [ThingLabel] = []
    for number in arguments.value("number").flatMap({ numbers($0) }) ?? [] {
      labels.append(try ThingLabel(pieces: number))
    }
    if !arguments.operands.isEmpty || arguments.has("in") || arguments.has("all") {
      labels += try self.labels(arguments, try Inventory.of(configuration))
    }
    if labels.isEmpty { throw .refused("there are no boxes to label") }
    switch arguments.value("format") {
    case "svg":
      let sheet = arguments.value("sheet").flatMap { LabelSheet(name: $0) } ?? .roll
      let sheets = sheet.drawings(of: labels, skipping: Int(arguments.number("skip") ?? 0))
      if let path = arguments.value("out") { return try write(sheets, to: path) }
      guard sheets.count == 1 else {
        throw .refused("\(labels.count) labels need \(sheets.count) sheets of \(sheet.name); specify --out FILE")
      }
      Output.write(sheets[0])
    case "zpl": for label in labels { Output.write(LabelPrinter.zpl(label)) }
    case "escpos": for label in labels { Output.write(bytes: LabelPrinter.escpos(label)) }
    default: for label in labels { show(label) }
    }
  }

  /// Parses the numbers of pieces to label, separated by commas; `nil` if one of them is not a number of pieces.
  static func numbers(_ text: String) -> [Int64]? {
    var numbers: [Int64] = []
    for field in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let number = LabelCode.pieces(typed: String(Substring(field))) else { return nil }
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }

  /// Creates labels for the specified entries, the boxes of a spot, or all boxes, without duplicates.
  private static func labels(_ arguments: Arguments, _ inventory: Inventory) throws(CommandFailure) -> [ThingLabel] {
    var things: [InventoryEntry] = []
    var ids: Set<InventoryID> = []
    let add = { (thing: InventoryEntry) throws(InventoryError) -> Bool in
      if ids.insert(thing.id).inserted { things.append(thing) }
      return things.count <= Limits.labelsMax
    }
    try judged { () throws(InventoryError) in
      for words in arguments.operands { _ = try add(try inventory.resolve(anything: words)) }
      if let spot = arguments.value("in") { try inventory.forEach(in: try inventory.resolve(spot, .spot), add) }
      if arguments.has("all") { try inventory.forEach(.box, add) }
    }
    if things.count > Limits.labelsMax {
      throw .refused("there are more than \(Limits.labelsMax) labels; create them spot by spot, with --in SPOT")
    }
    var labels: [ThingLabel] = []
    for thing in things { labels.append(try ThingLabel(thing, inventory, page: arguments.value("link"))) }
    return labels
  }

  /// Prints a label: on a terminal in black on white by colour number, otherwise as plain text.
  private static func show(_ label: ThingLabel) {
    let isTerminal = isatty(1) == 1
    for line in label.picture.lines {
      Output.write(isTerminal ? "\u{1B}[38;5;16;48;5;231m" + line + "\u{1B}[0m\n" : line + "\n")
    }
    Output.print("\(label.name)  [\(label.caption)]  \(label.path)")
  }

  /// Writes all sheets, numbered if there are several; if one sheet cannot be written, none are.
  private static func write(_ sheets: [String], to path: String) throws(CommandFailure) {
    let stem = path.dropLast(".svg".utf8.count)
    let paths = sheets.indices.map { sheets.count == 1 ? path : "\(stem)-\($0 + 1).svg" }
    for path in paths where access(path, F_OK) == 0 {
      throw .failed("\(path) already exists; delete it, or specify another name")
    }
    do throws(AtomicFilesError) {
      let files = AtomicFiles()
      for (path, sheet) in zip(paths, sheets) { try files.add(path, Array(sheet.utf8), mode: 0o644) }
      try files.commit()
    } catch { throw error.failure }
    for path in paths { Output.printError("wrote \(path)") }
  }
}
