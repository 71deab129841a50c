// The messages between the kiosk and tappet-inventory, one per datagram; WireField.swift defines the encoding of
// fields.
//
//   kiosk     ──▶ 1 begin      scanner layout
//             ──▶ 2 lookUp     number:4 uid? code             the code may be ""
//             ──▶ 3 move       number:4 id:16 place:16 who
//             ──▶ 4 lend       number:4 id:16 person who
//             ──▶ 5 takeBack   number:4 id:16 who
//             ──▶ 6 passedOn   news:8
//             ──▶ 7 passedLow  id:16
//             ──▶ 8 adjust     number:4 id:16 pieces:8 replaced:8 ticket:8 stocktake? who
//             ──▶ 9 endStocktake  number:4 stocktake:8 kept
//             ──▶ 10 see       number:4 id:16 role:1 stocktake who
//             ──▶ 16 follow    lists overdue clock_is_good
//             ──▶ 17 passedOverdue  id:16
//   inventory ──▶ 1 ready      version:1
//             ──▶ 2 found      number:4 thing
//             ──▶ 3 failed     number:4 fault:1
//             ──▶ 4 news       news:8 verb:8 unix_ms:8 who thing correction?
//             ──▶ 5 low        thing
//             ──▶ 6 lowCount   count:8
//             ──▶ 7 scanned    code
//             ──▶ 8 scanner    errno:4                     0: open
//             ──▶ 9 stocktake  stocktake audit who place?
//             ──▶ 10 ended     number:4 items:8 list?
//             ──▶ 16 list      list
//             ──▶ 17 overdue   due thing
//             ──▶ 32 misread   fault:1
//
//   stocktake:  number:8 action
//   correction: from:8 to:8
//   place:      id:16 kind:8
//   thing:      id:16 kind:8 name code containers… path quantity:8 minimum? holder? pieceHolders count:4 contents…
//               containers: their ids, the innermost first; contents: name quantity:8
//   list:       kind:1 count:8 items…; item: id:16 name path quantity:8 minimum? loan?
//   loan:       person unix_ms:8 due overdue?

/// The tag or the scanned code that identifies a thing.
package struct InventoryKey: Hashable, Sendable {
  /// The UID of the tag, which takes precedence over the code.
  package var uid: TagUID?
  /// The text of a QR code or a tag: a box's code, or the id of any thing.
  package var code: String

  /// Creates a key from a tag with a text on it, or from a scan.
  package init(uid: TagUID? = nil, code: String = "") {
    self.uid = uid
    self.code = code
  }

  /// The number of pieces on a label or a tag; `nil` if the code is an entry's.
  var pieces: Int64? { LabelCode.pieces(inLink: code) }
}

/// A request from the kiosk.
package enum InventoryOrder: Equatable, Sendable {
  /// Open the database, and the scanner at this path unless the path is empty; the response is `ready`. The layout has
  /// no effect on a serial line.
  case begin(scanner: String, layout: ScannerLayout = .us)
  /// Find a thing; the response is `found` or `failed`.
  case lookUp(UInt32, InventoryKey)
  /// Move a thing; the response is `found` with the new location once the move is on the disk, or `failed`.
  case move(UInt32, InventoryID, to: InventoryID, who: String)
  /// Check an item or a box out to a person; the response is the same as for `move`.
  case lend(UInt32, InventoryID, to: String, who: String)
  /// Check an item or a box in; the response is the same as for `move`.
  case takeBack(UInt32, InventoryID, who: String)
  /// Add pieces to an item or its tally or take them, in place of those that are replaced, unless this was done before
  /// with the same ticket; the response is the same as for `move`, with the tally as the quantity.
  case adjust(UInt32, Adjustment, who: String)
  /// Write the tally of the stocktake with this number to its items, or discard it; the response is `ended` or
  /// `failed`.
  case endStocktake(UInt32, Int64, isKept: Bool)
  /// Record that a thing was seen in a stocktake or an audit; the response is the same as for `move`.
  case see(UInt32, InventoryID, CheckedRole, in: Stocktake, who: String)
  /// The change with this number is on the kiosk's disk; the next change may be sent.
  case passedOn(Int64)
  /// The message about this low item is on the kiosk's disk; the next low item may be sent.
  case passedLow(InventoryID)
  /// Send the lists of low and lent items, or the items that become overdue, or neither; without a reliable clock,
  /// nothing is overdue. There is no response.
  case follow(lists: Bool, overdue: Bool, clockIsGood: Bool)
  /// The message about this overdue item is on the kiosk's disk; the next overdue item may be sent.
  case passedOverdue(InventoryID)
}

/// A message from tappet-inventory.
package enum InventoryMessage: Equatable, Sendable {
  /// Version of these messages; a different version means a different build.
  package static let protocolVersion: UInt8 = 5

  case ready
  case found(UInt32, InventoryThing)
  case failed(UInt32, InventoryFault)
  /// A change from any source, with the current state of the thing, or its last state if the thing was removed; of a
  /// stocktake, with the quantities before and after it.
  case news(
    Int64, InventoryVerb, unixMilliseconds: Int64, who: String, InventoryThing, counted: StockCorrection? = nil)
  /// An item whose stock has become low.
  case low(InventoryThing)
  /// Number of items whose stock is low, sent when the number changes.
  case lowCount(Int64)
  /// A list that has changed.
  case list(InventoryList)
  /// An item that has become overdue, with its due date.
  case overdue(due: String, InventoryThing)
  /// A code was scanned.
  case scanned(String)
  /// The scanner was opened, and `errno` is 0; or it could not be opened, for the reason in `errno`.
  case scanner(errno: Int32)
  /// A stocktake that has not ended, the last person in it, and the last place; sent after `ready`, the last one first.
  case stocktake(Stocktake, isAudit: Bool, who: String, CheckedPlace? = nil)
  /// The end of a stocktake is on the disk; it had this number of items. If it was of places, the list contains what
  /// was not seen in them.
  case ended(UInt32, items: Int64, missing: InventoryList? = nil)
  /// A code was scanned, but cannot be used.
  case misread(InventoryFault)
}

extension InventoryOrder: WireField {
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .begin(let scanner, let layout): writer.message(1, scanner, layout)
    case .lookUp(let number, let key): writer.message(2, number, key.uid, key.code)
    case .move(let number, let id, let place, let who): writer.message(3, number, id, place, who)
    case .lend(let number, let id, let person, let who): writer.message(4, number, id, person, who)
    case .takeBack(let number, let id, let who): writer.message(5, number, id, who)
    case .passedOn(let news): writer.message(6, news)
    case .passedLow(let id): writer.message(7, id)
    case .adjust(let number, let adjustment, let who): writer.message(8, number, adjustment, who)
    case .endStocktake(let number, let stocktake, let isKept): writer.message(9, number, stocktake, isKept)
    case .see(let number, let id, let role, let stocktake, let who):
      writer.message(10, number, id, role, stocktake, who)
    case .follow(let lists, let overdue, let clockIsGood): writer.message(16, lists, overdue, clockIsGood)
    case .passedOverdue(let id): writer.message(17, id)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1: self = try .begin(scanner: reader.next(), layout: reader.next())
    case 2: self = try .lookUp(reader.next(), InventoryKey(uid: reader.next(), code: reader.next()))
    case 3: self = try .move(reader.next(), reader.next(), to: reader.next(), who: reader.next())
    case 4: self = try .lend(reader.next(), reader.next(), to: reader.next(), who: reader.next())
    case 5: self = try .takeBack(reader.next(), reader.next(), who: reader.next())
    case 6: self = try .passedOn(reader.next())
    case 7: self = try .passedLow(reader.next())
    case 8: self = try .adjust(reader.next(), reader.next(), who: reader.next())
    case 9: self = try .endStocktake(reader.next(), reader.next(), isKept: reader.next())
    case 10: self = try .see(reader.next(), reader.next(), reader.next(), in: reader.next(), who: reader.next())
    case 16: self = try .follow(lists: reader.next(), overdue: reader.next(), clockIsGood: reader.next())
    case 17: self = try .passedOverdue(reader.next())
    default: throw .unknownKind(kind)
    }
  }
}

extension InventoryMessage: WireField {
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .ready: writer.message(1, InventoryMessage.protocolVersion)
    case .found(let number, let thing): writer.message(2, number, thing)
    case .failed(let number, let fault): writer.message(3, number, fault)
    case .news(let news, let verb, let milliseconds, let who, let thing, let correction):
      writer.message(4, news, verb, milliseconds, who, thing, correction)
    case .low(let thing): writer.message(5, thing)
    case .lowCount(let count): writer.message(6, count)
    case .scanned(let code): writer.message(7, code)
    case .scanner(let code): writer.message(8, code)
    case .stocktake(let stocktake, let isAudit, let who, let place): writer.message(9, stocktake, isAudit, who, place)
    case .ended(let number, let items, let missing): writer.message(10, number, items, missing)
    case .list(let list): writer.message(16, list)
    case .overdue(let due, let thing): writer.message(17, due, thing)
    case .misread(let fault): writer.message(32, fault)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1:
      try reader.expect(version: InventoryMessage.protocolVersion)
      self = .ready
    case 2: self = try .found(reader.next(), reader.next())
    case 3: self = try .failed(reader.next(), reader.next())
    case 4:
      self = try .news(
        reader.next(), reader.next(), unixMilliseconds: reader.next(), who: reader.next(), reader.next(),
        counted: reader.next())
    case 5: self = try .low(reader.next())
    case 6: self = try .lowCount(reader.next())
    case 7: self = try .scanned(reader.next())
    case 8: self = try .scanner(errno: reader.next())
    case 9: self = try .stocktake(reader.next(), isAudit: reader.next(), who: reader.next(), reader.next())
    case 10: self = try .ended(reader.next(), items: reader.next(), missing: reader.next())
    case 16: self = try .list(reader.next())
    case 17: self = try .overdue(due: reader.next(), reader.next())
    case 32: self = try .misread(reader.next())
    default: throw .unknownKind(kind)
    }
  }
}
