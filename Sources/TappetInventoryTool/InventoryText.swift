// Inventory entries as text lines and as JSON.

import TappetCommandLine
import TappetCore
import TappetInventory
import TappetJSON
import TappetMessages
import TappetPlatform

extension InventoryEntry {
  /// The entry's name and attributes, without its location.
  var line: String {
    switch kind {
    case .building, .room, .spot: return name
    case .box: return name + "  [" + code + "]"
    case .item:
      let low = minimum.map { isLow ? ", low: at least \($0)" : "" } ?? ""
      return name + "  \(quantity)" + low
    }
  }
}

extension String {
  /// The text with its second and later lines below the first, so that none of them looks like another attribute.
  fileprivate var indentedLines: String {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line))
    }.joined(separator: "\n" + Help.padded("", 12))
  }
}

extension InventoryLoan {
  var json: JSON {
    .object([
      "person": .string(person), "quantity": quantity.map { .number($0) } ?? .null,
      "lent_at": .time(unixMilliseconds: unixMilliseconds), "due": .optional(due?.text), "overdue": .bool(isOverdue),
    ])
  }

  /// The due date as part of a line.
  fileprivate var end: String { due.map { ", until \($0.text)" + (isOverdue ? ": overdue" : "") } ?? "" }
}

extension InventoryReservation {
  fileprivate var json: JSON {
    .object([
      "person": .string(person), "quantity": quantity.map { .number($0) } ?? .null, "from": .string(first.text),
      "until": .string(last.text),
    ])
  }
}

extension Inventory {
  /// Returns the line for an entry in a list.
  func line(of entry: InventoryEntry) throws(InventoryError) -> String {
    let place = try place(of: entry)
    return entry.line + (place.isEmpty ? "" : "  " + place)
  }

  /// Returns the person who has an entry, or its place and the people who have pieces of it.
  func place(of entry: InventoryEntry) throws(InventoryError) -> String {
    let loans = entry.kind.isLendable ? try loans(of: entry) : []
    if let loan = loans.first(where: { $0.quantity == nil }) { return "with " + loan.person + loan.end }
    return try location(of: entry).path + loans.map { "  \($0.quantity ?? 0) with " + $0.person + $0.end }.joined()
  }

  /// Returns the details of an entry, one per line.
  func lines(about entry: InventoryEntry) throws(InventoryError) -> [String] {
    var lines = ["\(entry.kind.title) \(entry.name)"]
    func add(_ name: String, _ text: String) {
      if !text.isEmpty { lines.append("  " + Help.padded(name, 10) + text) }
    }
    add("in", try location(of: entry).path)
    add("code", entry.code)
    for loan in entry.kind.isLendable ? try loans(of: entry) : [] {
      let since = WallTime.second(unixMilliseconds: loan.unixMilliseconds)
      add("with", loan.person + (loan.quantity.map { ": \($0)" } ?? "") + ", since " + since + loan.end)
    }
    if entry.kind == .item {
      for other in try reservations(of: entry) {
        let pieces = other.quantity.map { "\($0) " } ?? ""
        add("reserved", pieces + "for \(other.person), \(other.first.text) to \(other.last.text)")
      }
      let minimum = entry.minimum.map { ", at least \($0)" + (entry.isLow ? ": low" : "") } ?? ""
      add("quantity", "\(entry.quantity)" + minimum)
    }
    add("notes", entry.notes.indentedLines)
    if let photo = entry.photo { add("photo", photo.path.escaped + " (" + PhotoFile.state(of: photo) + ")") }
    if let sighting = try sighting(of: entry) {
      add("seen", WallTime.second(unixMilliseconds: sighting.unixMilliseconds) + " by " + sighting.who)
    }
    for code in try barcodes(of: entry) { add("barcode", code) }
    for tag in try tags(of: entry) { add("tag", Hex.encode(tag.bytes)) }
    add("id", entry.id.text)
    add("added", WallTime.second(unixMilliseconds: entry.createdUnixMilliseconds))
    if let content = entry.contentKind {
      let count = try contentCount(of: entry)
      lines.append("  \(count) \(count == 1 ? content.name : content.plural)" + (count == 0 ? "" : ":"))
    }
    return lines
  }

  /// Returns the entry as JSON; with `hashesPhoto`, the photo's file is compared with the stored hash.
  func json(of entry: InventoryEntry, hashesPhoto: Bool) throws(InventoryError) -> JSON {
    let location = try location(of: entry)
    let isItem = entry.kind == .item
    let loans = entry.kind.isLendable ? try loans(of: entry) : []
    let loan = loans.first { $0.quantity == nil }
    let sighting = try sighting(of: entry)
    return .object([
      "kind": .string(entry.kind.name), "id": .string(entry.id.text), "name": .string(entry.name),
      "code": entry.kind == .box ? .string(entry.code) : .null,
      "barcodes": .array(try barcodes(of: entry).map { .string($0) }),
      "building": .optional(location.name(of: .building)),
      "room": .optional(location.name(of: .room)), "spot": .optional(location.name(of: .spot)),
      "box": .optional(location.name(of: .box)), "location_path": .string(location.path),
      "contents": .number(try contentCount(of: entry)), "notes": isItem ? .string(entry.notes) : .null,
      "quantity": isItem ? .number(entry.quantity) : .null, "minimum": entry.minimum.map { .number($0) } ?? .null,
      "low": .bool(entry.isLow), "holder": .optional(loan?.person),
      "lent_at": loan.map { .time(unixMilliseconds: $0.unixMilliseconds) } ?? .null,
      "due": .optional(loan?.due?.text), "overdue": .bool(loans.contains { $0.isOverdue }),
      "loans": .array(loans.map { $0.json }),
      "reservations": .array(isItem ? try reservations(of: entry).map { $0.json } : []),
      "seen_at": sighting.map { .time(unixMilliseconds: $0.unixMilliseconds) } ?? .null,
      "seen_by": .optional(sighting?.who),
      "tags": .array(try tags(of: entry).map { .string(Hex.encode($0.bytes)) }), "photo": .optional(entry.photo?.path),
      "photo_sha256": .optional(entry.photo.map { Hex.encode($0.hash) }),
      "photo_state": .optional(hashesPhoto ? entry.photo.map { PhotoFile.state(of: $0) } : nil),
      "created_at": .time(unixMilliseconds: entry.createdUnixMilliseconds),
    ])
  }
}
