// Lookup of entries from user input: by a box's code, an id, a name, or a path of names.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Returns the only entry of a kind that the text matches; throws if there is none, or more than one.
  ///
  /// The text is a box's code, a barcode, an id, a name, or a path `Building / Room / …`, whose start may be omitted.
  @export(interface)
  package func resolve(_ words: String, _ kind: InventoryKind) throws(InventoryError) -> InventoryEntry {
    let words = words.trimmedLabel ?? ""
    if let entry = try thing(onLabel: words), entry.kind == kind { return entry }
    var found = try named(words, kind)
    for names in InventoryPath.readings(of: words) where found.isEmpty { found = try located(names, kind) }
    switch found.count {
    case 1: return found[0]
    case 0: throw kind == .box ? .unknownCode(words) : .unknown(kind, words)
    default: throw .ambiguous(kind, words, count: found.count)
    }
  }

  /// Returns the place that the text matches, of any kind that can contain entries of `kind`, nearest kind first.
  @export(interface)
  package func resolve(_ words: String, around kind: InventoryKind) throws(InventoryError) -> InventoryEntry {
    var next = kind.container
    while let container = next {
      do throws(InventoryError) { return try resolve(words, container) } catch {
        switch error {
        case .unknown, .unknownCode: next = container.container
        default: throw error
        }
      }
    }
    throw .unknownPlace(words)
  }

  /// Returns the only entry of any kind that the text matches, nearest kind of place first, and items last.
  @export(interface)
  package func resolve(anything words: String) throws(InventoryError) -> InventoryEntry {
    if let thing = try words.trimmedLabel.flatMap({ (text) throws(InventoryError) in try thing(onLabel: text) }) {
      return thing
    }
    do throws(InventoryError) { return try resolve(words, around: .item) } catch {
      guard case .unknownPlace = error else { throw error }
    }
    do throws(InventoryError) { return try resolve(words, .item) } catch {
      guard case .unknown = error else { throw error }
      throw .unknownCode(words)
    }
  }

  /// Returns the only place of a kind that the given names match; leading names may be empty.
  func resolve(names: [String], _ kind: InventoryKind) throws(InventoryError) -> InventoryEntry {
    let path = Array(names.drop { $0.isEmpty })
    let found = path.count > 1 ? try located(path, kind) : try named(path.last ?? "", kind)
    let words = path.joined(separator: " / ")
    if found.count > 1 { throw .ambiguous(kind, words, count: found.count) }
    guard let place = found.first else { throw kind == .box ? .unknownCode(words) : .unknown(kind, words) }
    return place
  }

  /// Returns the entries with the given name.
  private func named(
    _ name: String, _ kind: InventoryKind, max: Int = Limits.inventoryNamesakesMax
  ) throws(InventoryError) -> [InventoryEntry] {
    var found: [InventoryEntry] = []
    let query = kind == .item ? SearchText.phrase(name) : nil
    let statement: Statement
    if kind != .item {
      statement = try self.statement(
        kind,
        place: """
          SELECT id, uuid, parent, kind, name, code, created FROM place WHERE name = ?1 AND kind = ?2 ORDER BY id
          """, item: "")
      statement.bind(kind.rawValue, at: 2)
    } else if let query {
      statement = try self.statement(
        kind, place: "",
        item: """
          SELECT item.id, uuid, box, item.name, item.notes, quantity, minimum, photo, photo_hash, created
          FROM item_text JOIN item ON item.id = item_text.rowid WHERE item_text MATCH ?2 AND item.name = ?1
          ORDER BY item_text.rowid
          """)
      statement.bind(query, at: 2)
    } else {
      statement = try self.statement(
        kind, place: "",
        item: """
          SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item WHERE name = ?1
          """)
    }
    statement.bind(name, at: 1)
    try forEachRow(of: statement, kind) { entry in
      found.append(entry)
      return found.count < max
    }
    return found
  }

  /// Returns the entries at the end of a path, searched from its first name, which may be the only rare name.
  private func located(_ path: [String], _ kind: InventoryKind) throws(InventoryError) -> [InventoryEntry] {
    guard path.count > 1, let outer = InventoryKind(rawValue: kind.rawValue - Int64(path.count - 1)) else { return [] }
    var found = try named(path[0], outer, max: .max)
    for name in path.dropFirst() {
      var inside: [InventoryEntry] = []
      for place in found {
        if place.kind == .box {
          inside += try items(named: name, in: place)
        } else if let kind = place.contentKind {
          inside += try children(of: place, name, kind)
        }
      }
      found = inside
    }
    return found
  }
}

/// Names in one text, from outermost to innermost.
package enum InventoryPath {
  /// Returns the ways to read a path, the first of which is the likeliest: names are separated by the arrow used in
  /// locations or by slashes, and may themselves contain a slash.
  @export(interface)
  package static func readings(of text: String) -> [[String]] {
    let scalars = Array(text.unicodeScalars)
    let isSpaced = { (index: Int) in
      index > 0 && index + 1 < scalars.count && scalars[index - 1] == " " && scalars[index + 1] == " "
    }
    let separators: [(Int) -> Bool] = [
      { scalars[$0] == arrow }, { scalars[$0] == "/" && isSpaced($0) },
      { scalars[$0] == arrow || scalars[$0] == "/" && isSpaced($0) }, { scalars[$0] == arrow || scalars[$0] == "/" },
    ]
    return separators.map { names(in: scalars, isSeparator: $0) }.filter { $0.count > 1 }
  }

  private static var arrow: Unicode.Scalar { "\u{2192}" }

  /// Splits a text into names without surrounding spaces; an empty part is also a name.
  private static func names(in scalars: [Unicode.Scalar], isSeparator: (Int) -> Bool) -> [String] {
    var names: [String] = []
    var name = String.UnicodeScalarView()
    for index in scalars.indices {
      if isSeparator(index) {
        names.append(String(name).trimmedLabel ?? "")
        name = String.UnicodeScalarView()
      } else {
        name.append(scalars[index])
      }
    }
    return names + [String(name).trimmedLabel ?? ""]
  }
}
