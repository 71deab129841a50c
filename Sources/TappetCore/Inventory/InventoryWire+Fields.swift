// The parts of the messages between the kiosk and tappet-inventory that several messages contain; InventoryWire.swift
// shows their layout.

extension ByteWriter {
  mutating func stocktake(_ stocktake: Stocktake) {
    integer(stocktake.number)
    text(stocktake.action)
  }

  mutating func thing(_ thing: InventoryThing) {
    bytes += thing.id.bytes
    byte(UInt8(clamping: thing.kind.rawValue))
    integer(thing.quantity)
    integer(thing.minimum ?? -1)
    integer(UInt32(clamping: thing.contentCount))
    sized(thing.containers.flatMap { $0.bytes })
    for value in [thing.name, thing.code, thing.path, thing.holder ?? "", thing.pieceHolders] { text(value) }
    let listed = thing.contents.prefix(Int(UInt8.max))
    byte(UInt8(listed.count))
    for content in listed {
      integer(content.quantity)
      text(content.name)
    }
  }
}

extension ByteReader {
  mutating func inventoryID() -> InventoryID? { slice(16).flatMap { InventoryID(Array($0)) } }

  mutating func stocktake() -> Stocktake? {
    guard let number = integer(), let action = text() else { return nil }
    return Stocktake(number: number, action: action)
  }

  /// Reads the place of a stocktake; the result is `nil` if the bytes are invalid, and contains `nil` if there is none.
  mutating func checkedPlace() -> CheckedPlace?? {
    guard let isPlaced = byte(), isPlaced < 2 else { return nil }
    if isPlaced == 0 { return .some(nil) }
    guard let id = inventoryID(), let kind = byte().flatMap({ InventoryKind(rawValue: Int64($0)) }) else { return nil }
    return CheckedPlace(id: id, kind: kind)
  }

  private mutating func containers() -> [InventoryID]? {
    guard let bytes = sized(), bytes.count.isMultiple(of: 16) else { return nil }
    return stride(from: 0, to: bytes.count, by: 16).compactMap { InventoryID(Array(bytes[$0..<$0 + 16])) }
  }

  mutating func adjustment() -> (Adjustment, who: String)? {
    guard let id = inventoryID(), let pieces = integer(), let replaced = integer(), let ticket = integer(),
      let who = text(), let counted = byte(), counted < 2
    else { return nil }
    var adjustment = Adjustment(id: id, pieces: pieces, replacing: replaced, ticket: ticket)
    if counted == 1 {
      guard let stocktake = stocktake() else { return nil }
      adjustment.stocktake = stocktake
    }
    return (adjustment, who)
  }

  mutating func thing() -> InventoryThing? {
    guard let id = inventoryID(), let kind = byte().flatMap({ InventoryKind(rawValue: Int64($0)) }),
      let quantity = integer(), let minimum = integer(), let count = bigEndian32(), let containers = containers(),
      let name = text(), let code = text(), let path = text(),
      let holder = text(), let pieceHolders = text(), let listed = byte()
    else { return nil }
    var thing = InventoryThing(id: id, kind: kind, name: name)
    (thing.containers, thing.code, thing.path, thing.quantity) = (containers, code, path, quantity)
    thing.minimum = minimum < 0 ? nil : minimum
    (thing.holder, thing.pieceHolders) = (holder.isEmpty ? nil : holder, pieceHolders)
    thing.contentCount = Int(count)
    for _ in 0..<listed {
      guard let quantity = integer(), let name = text() else { return nil }
      thing.contents.append(InventoryThing.Content(name: name, quantity: quantity))
    }
    return thing
  }
}
