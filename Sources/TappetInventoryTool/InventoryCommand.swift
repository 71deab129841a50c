// tappet building|room|spot|box|item: commands for individual entries of one kind.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

/// One run of a command for one kind of entry.
struct InventoryCommand {
  private let kind: InventoryKind
  private let arguments: Arguments
  private let inventory: Inventory
  private let configuration: KioskConfiguration

  init(
    _ kind: InventoryKind, _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) {
    self.kind = kind
    self.arguments = arguments
    self.configuration = configuration
    inventory = try Inventory.of(configuration)
  }

  func add() throws(CommandFailure) {
    var values = try values()
    values.name = arguments.operands[0]
    let entry = try judged { () throws(InventoryError) in
      let container = try self.container("in")
      return try inventory.add(kind, to: container, values, by: arguments.who)
    }
    try report(entry, "Added")
  }

  func list() throws(CommandFailure) {
    arguments.report?.beginList()
    try judged { () throws(InventoryError) in
      let pass = { (entry: InventoryEntry) throws(InventoryError) in try self.pass(entry) }
      if arguments.has("low") { return try inventory.forEachLowItem(pass) }
      if arguments.has("lent") { return try inventory.forEachLent(kind, pass) }
      if arguments.has("overdue") { return try inventory.forEachLent(kind, dueBefore: .today, pass) }
      if arguments.has("missing") {
        return try inventory.forEachMissing { (entry) throws(InventoryError) in
          try entry.kind == kind ? pass(entry) : true
        }
      }
      guard let words = arguments.value("in") else { return try inventory.forEach(kind, pass) }
      try inventory.forEach(kind, inside: try inventory.resolve(words, around: kind), pass)
    }
  }

  func show() throws(CommandFailure) {
    let entry = try named()
    if let report = arguments.report {
      return report.set(try judged { () throws(InventoryError) in try inventory.json(of: entry, hashesPhoto: true) })
    }
    for line in try judged({ () throws(InventoryError) in try inventory.lines(about: entry) }) { Output.print(line) }
    try judged { () throws(InventoryError) in
      try inventory.forEach(in: entry) { (content) throws(InventoryError) in
        Output.print("  " + content.line)
        return Output.isTaken
      }
    }
  }

  func move() throws(CommandFailure) {
    let entry = try named()
    let moved = try judged { () throws(InventoryError) in
      guard let container = try container("to") else { return entry }
      return try inventory.move(entry, to: container, by: arguments.who)
    }
    try report(moved, "Moved")
  }

  func edit() throws(CommandFailure) {
    let entry = try named()
    var values = try values()
    values.name = arguments.value(kind.nameOption)
    let edited = try judged { () throws(InventoryError) in
      try inventory.edit(entry, values, by: arguments.who)
    }
    try report(edited, "Changed")
    if values.quantity != nil { try warnOfLoans(edited) }
  }

  /// Reports that people have more pieces than the item's quantity.
  private func warnOfLoans(_ item: InventoryEntry) throws(CommandFailure) {
    let excess = try judged { () throws(InventoryError) in try inventory.excessLoans(of: item) }
    if let excess { Output.printError("note: \(excess); correct the quantity, or the loans") }
  }

  /// Increases or decreases an item's quantity; `sign` is 1 or -1.
  func adjust(_ sign: Int64) throws(CommandFailure) {
    let entry = try named()
    let pieces = arguments.operands.count > 1 ? Int64(decimal: arguments.operands[1].utf8) ?? 1 : 1
    let changed = try judged { () throws(InventoryError) in
      try inventory.adjust(entry, by: sign * pieces, by: arguments.who)
    }
    try report(changed, sign > 0 ? "Put back" : "Taken")
  }

  func count() throws(CommandFailure) {
    let entry = try named()
    let quantity = Int64(decimal: arguments.operands[1].utf8) ?? entry.quantity
    let counted = try judged { () throws(InventoryError) in
      do throws(InventoryError) { return try inventory.count(entry, found: quantity, by: arguments.who) } catch {
        // The counted quantity equals the stored quantity.
        guard case .unchanged = error else { throw error }
        return entry
      }
    }
    try report(counted, "Counted")
    try warnOfLoans(counted)
  }

  func lend() throws(CommandFailure) {
    let item = try named()
    try judged { () throws(InventoryError) in
      try inventory.lend(
        item, to: arguments.value("to") ?? "", quantity: arguments.number("quantity"), until: arguments.day("until"),
        by: arguments.who)
    }
    try report(item, "Lent")
    warnOfStranger("to")
  }

  /// Reports that the kiosk has people, but none with the name in an option.
  private func warnOfStranger(_ option: String) {
    guard let name = arguments.value(option)?.trimmedLabel,
      access(configuration.stateFolder + "/" + Store.fileName, F_OK) == 0,
      let people = try? SecretClient(configuration).askAll("people", page: { .listPeople(from: $0) }).elements,
      !people.isEmpty, !people.contains(where: { $0["name"]?.text == name })
    else { return }
    Output.printError("note: no person is named '\(name.escaped)'; use 'tappet person list' to list the people")
  }

  func takeBack() throws(CommandFailure) {
    let item = try named()
    try judged { () throws(InventoryError) in
      try inventory.takeBack(
        item, from: arguments.value("from"), quantity: arguments.number("quantity"), by: arguments.who)
    }
    try report(item, "Returned")
  }

  func reserve() throws(CommandFailure) {
    let item = try named()
    try judged { () throws(InventoryError) in
      guard let first = arguments.day("from"), let last = arguments.day("until") else { return }
      let wanted = InventoryReservation(
        person: arguments.value("for") ?? "", first: first, last: last, quantity: arguments.number("quantity"))
      try inventory.reserve(item, wanted, by: arguments.who)
    }
    try report(item, "Reserved")
    warnOfStranger("for")
  }

  func unreserve() throws(CommandFailure) {
    let item = try named()
    try judged { () throws(InventoryError) in
      guard let first = arguments.day("from") else { return }
      try inventory.unreserve(item, from: first, for: arguments.value("for"), by: arguments.who)
    }
    try report(item, "No longer reserved")
  }

  func remove() throws(CommandFailure) {
    let entry = try named()
    let (count, whole) = try judged { () throws(InventoryError) in
      (try inventory.contentCount(of: entry), try inventory.wholeCount(in: entry))
    }
    if count > 0 {
      let contents = "\(count) " + (entry.contentKind.map { count == 1 ? $0.name : $0.plural } ?? "")
      let all = whole > count ? contents + ", \(whole) entries in all" : contents
      try Prompt.require(
        "remove", "This removes the \(kind.name) with \(all).",
        fact: "the \(kind.name) contains \(all), which 'tappet inventory undo' can restore", arguments)
    }
    let json = try judged { () throws(InventoryError) in try inventory.json(of: entry, hashesPhoto: false) }
    try judged { () throws(InventoryError) in try inventory.remove(entry, by: arguments.who) }
    if let report = arguments.report { return report.set(json) }
    Output.printError("Removed: \(entry.name). Use 'tappet inventory undo' to restore it.")
  }

  // MARK: Words

  private func named() throws(CommandFailure) -> InventoryEntry {
    try judged { () throws(InventoryError) in try inventory.resolve(arguments.operands[0], kind) }
  }

  /// Returns the container that an option specifies; `nil` if the option is missing.
  private func container(_ option: String) throws(InventoryError) -> InventoryEntry? {
    guard let words = arguments.value(option), let container = kind.container else { return nil }
    return try inventory.resolve(words, container)
  }

  private func values() throws(CommandFailure) -> InventoryEdit {
    var values = InventoryEdit()
    values.code = arguments.value("code")
    values.notes = arguments.value("notes")
    values.tag = arguments.value("tag").flatMap { TagUID(written: $0) }
    values.barcode = arguments.value("barcode")
    values.removedBarcode = arguments.value("remove-barcode")
    values.quantity = arguments.number("quantity")
    if let text = arguments.value("minimum") { values.minimum = .some(Int64(decimal: text.utf8)) }
    if let path = arguments.value("photo") { values.photo = .some(try PhotoFile.photo(at: path)) }
    return values
  }

  // MARK: Output

  private func pass(_ entry: InventoryEntry) throws(InventoryError) -> Bool {
    if let day = arguments.day("unseen-since"), !(try inventory.isUnseen(entry, since: day)) { return true }
    if let report = arguments.report {
      report.print(try inventory.json(of: entry, hashesPhoto: false))
    } else {
      Output.print(try inventory.line(of: entry))
    }
    return Output.isTaken
  }

  private func report(_ entry: InventoryEntry, _ what: String) throws(CommandFailure) {
    try judged { () throws(InventoryError) in
      if let report = arguments.report { return report.set(try inventory.json(of: entry, hashesPhoto: false)) }
      Output.printError("\(what): " + (try inventory.line(of: entry)))
    }
  }
}

extension Inventory {
  /// Describes the loans of an item if people have more pieces than its quantity; otherwise, returns `nil`.
  ///
  /// A loan without a quantity is of the whole item, whatever its quantity is.
  func excessLoans(of item: InventoryEntry) throws(InventoryError) -> String? {
    let loans = try loans(of: item)
    let lent = loans.reduce(0) { $0 + ($1.quantity ?? 0) }
    guard lent > item.quantity else { return nil }
    return "\(plural(lent, "piece is", "pieces are")) checked out to \(loans.people), more than the quantity"
  }
}

extension Arguments {
  /// Returns the date in an option's value; `nil` if the option is missing.
  func day(_ option: String) -> CalendarDay? { value(option).flatMap { CalendarDay($0) } }
}

/// Access to photos, which are the user's files and are only read.
enum PhotoFile {
  /// Returns the photo at a path; `nil` for an empty path.
  static func photo(at path: String) throws(CommandFailure) -> InventoryPhoto? {
    if path.isEmpty { return nil }
    switch TextFile.read(path, sizeMax: Limits.inventoryPhotoSizeMax) {
    case .success(let file):
      guard isPicture(file.bytes) else { throw .failed("\(path) is not a picture (JPEG, PNG, GIF, WebP, HEIC, AVIF)") }
      guard let place = resolvedPath(path) else { throw .failed("\(path) cannot be read") }
      return InventoryPhoto(path: place, hash: LibCrypto.digest(file.bytes))
    case .failure(let error): throw .failed("\(path) cannot be read: \(error.text)")
    }
  }

  /// Returns the state of a photo's file: `there`, `missing` or `changed`.
  ///
  /// An imported path may be that of any file, so a file that is not a picture is `missing`, whatever its hash.
  static func state(of photo: InventoryPhoto) -> String {
    guard case .success(let file) = TextFile.read(photo.path, sizeMax: Limits.inventoryPhotoSizeMax),
      isPicture(file.bytes)
    else { return "missing" }
    return LibCrypto.digest(file.bytes) == photo.hash ? "there" : "changed"
  }

  /// Whether a file starts like one of the formats that cameras and phones write.
  private static func isPicture(_ bytes: [UInt8]) -> Bool {
    func has(_ signature: [UInt8], at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: signature) }
    let (png, webP): ([UInt8], [UInt8]) = ([0x89] + Array("PNG\r\n\u{1A}\n".utf8), Array("WEBP".utf8))
    return has([0xFF, 0xD8, 0xFF]) || has(png) || has(Array("GIF8".utf8))
      || has(Array("RIFF".utf8)) && has(webP, at: 8)
      // ISO base media (ISO/IEC 14496-12): the size of the first box precedes its type.
      || has(Array("ftyp".utf8), at: 4)
        && ["heic", "heix", "mif1", "avif"].contains { has(Array($0.utf8), at: 8) }
  }
}
