// The messages between the kiosk and tappet-inventory, one per datagram. Numbers are big-endian; a text is preceded by
// its two-byte size. Any bytes can be decoded; the result is a value or `nil`.
//
//   kiosk     ──▶ 1 begin      scanner layout
//             ──▶ 2 lookUp     number:4 uid code             either may be ""
//             ──▶ 3 move       number:4 id:16 place:16 who
//             ──▶ 4 lend       number:4 id:16 person who
//             ──▶ 5 takeBack   number:4 id:16 who
//             ──▶ 6 passedOn   news:8
//             ──▶ 7 passedLow  id:16
//             ──▶ 8 adjust     number:4 id:16 pieces:8 replaced:8 ticket:8 who counted:1 (stocktake:8 action)
//             ──▶ 9 endStocktake  number:4 stocktake:8 kept:1
//             ──▶ 10 see       number:4 id:16 role:1 who stocktake:8 action
//             ──▶ 16 follow    what:1                      bits: 1 lists, 2 overdue, 4 the clock is reliable
//             ──▶ 17 passedOverdue  id:16
//   inventory ──▶ 1 ready      version:1
//             ──▶ 2 found      number:4 thing
//             ──▶ 3 failed     number:4 fault:1
//             ──▶ 4 news       news:8 verb:1 unix_ms:8 who counted:1 (from:8 to:8) thing
//             ──▶ 5 low        thing
//             ──▶ 6 lowCount   count:8
//             ──▶ 7 scanned    code
//             ──▶ 8 scanner    errno:4                     0: open
//             ──▶ 9 stocktake  stocktake:8 action audit:1 who placed:1 (id:16 kind:1)
//             ──▶ 10 ended     number:4 items:8 checked:1 (list)
//             ──▶ 16 list      list
//             ──▶ 17 overdue   due thing
//             ──▶ 32 misread   fault:1
//
//   thing: id:16 kind:1 quantity:8 minimum:8 count:4 containers name code path holder pieceHolders
//          listed:1 (quantity:8 name)…
//          minimum: all ones if there is none; holder, pieceHolders: empty if there is none; containers: their ids
//          in one text, the innermost first
//   list:  kind:1 count:8 listed:1 (id:16 quantity:8 minimum:8 name path lent:1 loan)…
//   loan:  unix_ms:8 overdue:1 due person              only if lent is 1; overdue: 0 no, 1 yes, 2 unknown

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
  package static let protocolVersion: UInt8 = 4

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

extension InventoryOrder {
  @export(interface)
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .begin(let scanner, let layout):
      writer.byte(1)
      writer.text(scanner)
      writer.text(layout.rawValue)
    case .lookUp(let number, let key):
      writer.head(2, number)
      writer.sized(key.uid?.bytes ?? [])
      writer.text(key.code)
    case .move(let number, let id, let place, let who):
      writer.head(3, number)
      writer.bytes += id.bytes + place.bytes
      writer.text(who)
    case .lend(let number, let id, let person, let who):
      writer.head(4, number)
      writer.bytes += id.bytes
      writer.text(person)
      writer.text(who)
    case .takeBack(let number, let id, let who):
      writer.head(5, number)
      writer.bytes += id.bytes
      writer.text(who)
    case .passedOn(let news):
      writer.byte(6)
      writer.integer(news)
    case .passedLow(let id): writer.bytes = [7] + id.bytes
    case .adjust(let number, let adjustment, let who):
      writer.head(8, number)
      writer.bytes += adjustment.id.bytes
      writer.integer(adjustment.pieces)
      writer.integer(adjustment.replaced)
      writer.integer(adjustment.ticket)
      writer.text(who)
      writer.byte(adjustment.stocktake == nil ? 0 : 1)
      if let stocktake = adjustment.stocktake { writer.stocktake(stocktake) }
    case .endStocktake(let number, let stocktake, let isKept):
      writer.head(9, number)
      writer.integer(stocktake)
      writer.byte(isKept ? 1 : 0)
    case .see(let number, let id, let role, let stocktake, let who):
      writer.head(10, number)
      writer.bytes += id.bytes + [role.rawValue]
      writer.text(who)
      writer.stocktake(stocktake)
    case .follow(let lists, let overdue, let clockIsGood):
      writer.bytes = [16, (lists ? 1 : 0) | (overdue ? 2 : 0) | (clockIsGood ? 4 : 0)]
    case .passedOverdue(let id): writer.bytes = [17] + id.bytes
    }
    return writer.bytes
  }

  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 1:
      guard let scanner = reader.text(), let layout = reader.text().flatMap({ ScannerLayout(rawValue: $0) }) else {
        return nil
      }
      self = .begin(scanner: scanner, layout: layout)
    case 2:
      guard let number = reader.bigEndian32(), let uid = reader.sized(), let code = reader.text(),
        uid.isEmpty || TagUID(uid) != nil
      else { return nil }
      self = .lookUp(number, InventoryKey(uid: TagUID(uid), code: code))
    case 3:
      guard let number = reader.bigEndian32(), let id = reader.inventoryID(), let place = reader.inventoryID(),
        let who = reader.text()
      else { return nil }
      self = .move(number, id, to: place, who: who)
    case 4:
      guard let number = reader.bigEndian32(), let id = reader.inventoryID(), let person = reader.text(),
        let who = reader.text()
      else { return nil }
      self = .lend(number, id, to: person, who: who)
    case 5:
      guard let number = reader.bigEndian32(), let id = reader.inventoryID(), let who = reader.text() else {
        return nil
      }
      self = .takeBack(number, id, who: who)
    case 6:
      guard let news = reader.integer() else { return nil }
      self = .passedOn(news)
    case 7:
      guard let id = reader.inventoryID() else { return nil }
      self = .passedLow(id)
    case 8:
      guard let number = reader.bigEndian32(), let (adjustment, who) = reader.adjustment() else { return nil }
      self = .adjust(number, adjustment, who: who)
    case 9:
      guard let number = reader.bigEndian32(), let stocktake = reader.integer(), let kept = reader.byte(), kept < 2
      else { return nil }
      self = .endStocktake(number, stocktake, isKept: kept == 1)
    case 10:
      guard let number = reader.bigEndian32(), let id = reader.inventoryID(),
        let role = reader.byte().flatMap({ CheckedRole(rawValue: $0) }), let who = reader.text(),
        let stocktake = reader.stocktake()
      else { return nil }
      self = .see(number, id, role, in: stocktake, who: who)
    case 16:
      guard let what = reader.byte(), what < 8 else { return nil }
      self = .follow(lists: what & 1 != 0, overdue: what & 2 != 0, clockIsGood: what & 4 != 0)
    case 17:
      guard let id = reader.inventoryID() else { return nil }
      self = .passedOverdue(id)
    default: return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}

extension InventoryMessage {
  @export(interface)
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .ready: writer.bytes = [1, InventoryMessage.protocolVersion]
    case .found(let number, let thing):
      writer.head(2, number)
      writer.thing(thing)
    case .failed(let number, let fault):
      writer.head(3, number)
      writer.byte(fault.rawValue)
    case .news(let news, let verb, let milliseconds, let who, let thing, let correction):
      writer.byte(4)
      writer.integer(news)
      writer.byte(UInt8(clamping: verb.rawValue))
      writer.integer(milliseconds)
      writer.text(who)
      writer.byte(correction == nil ? 0 : 1)
      if let correction {
        writer.integer(correction.from)
        writer.integer(correction.to)
      }
      writer.thing(thing)
    case .low(let thing):
      writer.byte(5)
      writer.thing(thing)
    case .lowCount(let count):
      writer.byte(6)
      writer.integer(count)
    case .scanned(let code):
      writer.byte(7)
      writer.text(code)
    case .scanner(let code):
      writer.byte(8)
      writer.integer(UInt32(bitPattern: code))
    case .stocktake(let stocktake, let isAudit, let who, let place):
      writer.byte(9)
      writer.stocktake(stocktake)
      writer.byte(isAudit ? 1 : 0)
      writer.text(who)
      writer.byte(place == nil ? 0 : 1)
      if let place { writer.bytes += place.id.bytes + [UInt8(clamping: place.kind.rawValue)] }
    case .ended(let number, let items, let missing):
      writer.head(10, number)
      writer.integer(items)
      writer.byte(missing == nil ? 0 : 1)
      if let missing { writer.list(missing) }
    case .list(let list):
      writer.byte(16)
      writer.list(list)
    case .overdue(let due, let thing):
      writer.byte(17)
      writer.text(due)
      writer.thing(thing)
    case .misread(let fault): writer.bytes = [32, fault.rawValue]
    }
    return writer.bytes
  }

  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 1:
      guard reader.byte() == InventoryMessage.protocolVersion else { return nil }
      self = .ready
    case 2:
      guard let number = reader.bigEndian32(), let thing = reader.thing() else { return nil }
      self = .found(number, thing)
    case 3:
      guard let number = reader.bigEndian32(), let fault = reader.byte().flatMap({ InventoryFault(rawValue: $0) })
      else { return nil }
      self = .failed(number, fault)
    case 4:
      guard let news = reader.integer(), let verb = reader.byte().flatMap({ InventoryVerb(rawValue: Int64($0)) }),
        let milliseconds = reader.integer(), let who = reader.text(), let counted = reader.byte(), counted < 2
      else { return nil }
      var correction: StockCorrection?
      if counted == 1 {
        guard let from = reader.integer(), let to = reader.integer() else { return nil }
        correction = StockCorrection(from: from, to: to)
      }
      guard let thing = reader.thing() else { return nil }
      self = .news(news, verb, unixMilliseconds: milliseconds, who: who, thing, counted: correction)
    case 5:
      guard let thing = reader.thing() else { return nil }
      self = .low(thing)
    case 6:
      guard let count = reader.integer() else { return nil }
      self = .lowCount(count)
    case 7:
      guard let code = reader.text() else { return nil }
      self = .scanned(code)
    case 8:
      guard let code = reader.bigEndian32() else { return nil }
      self = .scanner(errno: Int32(bitPattern: code))
    case 9:
      guard let stocktake = reader.stocktake(), let audit = reader.byte(), audit < 2, let who = reader.text(),
        let place = reader.checkedPlace()
      else { return nil }
      self = .stocktake(stocktake, isAudit: audit == 1, who: who, place)
    case 10:
      guard let number = reader.bigEndian32(), let items = reader.integer(), let checked = reader.byte(), checked < 2
      else { return nil }
      let missing = checked == 1 ? reader.list() : nil
      guard checked == 0 || missing != nil else { return nil }
      self = .ended(number, items: items, missing: missing)
    case 16:
      guard let list = reader.list() else { return nil }
      self = .list(list)
    case 17:
      guard let due = reader.text(), let thing = reader.thing() else { return nil }
      self = .overdue(due: due, thing)
    case 32:
      guard let fault = reader.byte().flatMap({ InventoryFault(rawValue: $0) }) else { return nil }
      self = .misread(fault)
    default: return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}
