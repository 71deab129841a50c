// The promises of InventoryOrder, InventoryMessage, RoomOrder and RoomMessage: any datagram gives a value or nothing,
// what it gives arrives unchanged, and so does whatever the kiosk and tappet-inventory can make.

import TappetCore

/// One input, three times: as a datagram of either side, and as the choices that make a message and an order.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  if let order = try? InventoryOrder(decoding: bytes) {
    promise(order.encode() == bytes, "\(order) encodes to another datagram")
  }
  if let message = try? InventoryMessage(decoding: bytes) {
    promise(message.encode() == bytes, "\(message) encodes to another datagram")
  }
  if let order = try? RoomOrder(decoding: bytes) {
    promise(order.encode() == bytes, "\(order) encodes to another datagram")
  }
  if let message = try? RoomMessage(decoding: bytes) {
    promise(message.encode() == bytes, "\(message) encodes to another datagram")
  }
  var choices = Choices(bytes)
  let order = order(&choices)
  promise((try? InventoryOrder(decoding: order.encode())) == order, "\(order) does not arrive unchanged")
  choices = Choices(bytes)
  let message = message(&choices)
  promise((try? InventoryMessage(decoding: message.encode())) == message, "\(message) does not arrive unchanged")
  return 0
}

private func id(_ choices: inout Choices) -> InventoryID {
  let bytes = choices.take(16)
  return InventoryID(bytes + [UInt8](repeating: 0, count: 16 - bytes.count)) ?? InventoryID(unixMilliseconds: 0)
}

private func number(_ choices: inout Choices) -> UInt32 { UInt32(truncatingIfNeeded: choices.word()) }

private func integer(_ choices: inout Choices) -> Int64 { Int64(truncatingIfNeeded: choices.word()) }

private func order(_ choices: inout Choices) -> InventoryOrder {
  switch choices.byte() % 12 {
  case 0:
    let layouts = ScannerLayout.allCases
    return .begin(scanner: choices.text(), layout: layouts[choices.below(layouts.count)])
  case 1:
    let uid = TagUID(choices.take(Int(choices.byte()) % 11))
    return .lookUp(number(&choices), InventoryKey(uid: uid, code: choices.text()))
  case 2: return .move(number(&choices), id(&choices), to: id(&choices), who: choices.text())
  case 3: return .lend(number(&choices), id(&choices), to: choices.text(), who: choices.text())
  case 4: return .takeBack(number(&choices), id(&choices), who: choices.text())
  case 5: return .passedOn(integer(&choices))
  case 6: return .passedLow(id(&choices))
  case 7: return .follow(lists: choices.bit(), overdue: choices.bit(), clockIsGood: choices.bit())
  case 8:
    var adjustment = Adjustment(
      id: id(&choices), pieces: integer(&choices), replacing: integer(&choices), ticket: integer(&choices))
    if choices.bit() { adjustment.stocktake = Stocktake(number: integer(&choices), action: choices.text()) }
    return .adjust(number(&choices), adjustment, who: choices.text())
  case 9: return .endStocktake(number(&choices), integer(&choices), isKept: choices.bit())
  case 10:
    let role = CheckedRole(rawValue: choices.byte() % 3 + 1) ?? .content
    let stocktake = Stocktake(number: integer(&choices), action: choices.text())
    return .see(number(&choices), id(&choices), role, in: stocktake, who: choices.text())
  default: return .passedOverdue(id(&choices))
  }
}

private func message(_ choices: inout Choices) -> InventoryMessage {
  switch choices.byte() % 13 {
  case 0: return .ready
  case 1: return .found(number(&choices), thing(&choices))
  case 2: return .failed(number(&choices), fault(&choices))
  case 3:
    let verb = InventoryVerb(rawValue: Int64(choices.byte() % 12)) ?? .added
    var correction: StockCorrection?
    if choices.bit() { correction = StockCorrection(from: integer(&choices), to: integer(&choices)) }
    return .news(
      integer(&choices), verb, unixMilliseconds: integer(&choices), who: choices.text(), thing(&choices),
      counted: correction)
  case 4: return .low(thing(&choices))
  case 5: return .lowCount(integer(&choices))
  case 6: return .scanned(choices.text())
  case 7: return .scanner(errno: Int32(bitPattern: number(&choices)))
  case 8: return .list(list(&choices))
  case 9:
    let stocktake = Stocktake(number: integer(&choices), action: choices.text())
    let place = choices.bit() ? CheckedPlace(id: id(&choices), kind: kind(&choices)) : nil
    return .stocktake(stocktake, isAudit: choices.bit(), who: choices.text(), place)
  case 10:
    return .ended(number(&choices), items: integer(&choices), missing: choices.bit() ? list(&choices) : nil)
  case 11: return .misread(fault(&choices))
  default: return .overdue(due: choices.text(), thing(&choices))
  }
}

private func fault(_ choices: inout Choices) -> InventoryFault {
  let faults = InventoryFault.allCases
  return faults[choices.below(faults.count)]
}

private func list(_ choices: inout Choices) -> InventoryList {
  let kinds = InventoryList.Kind.allCases
  var list = InventoryList(kinds[choices.below(kinds.count)], count: integer(&choices))
  while !choices.isUsedUp, list.items.count < 255 {
    var item = InventoryList.Item(
      id: id(&choices), name: choices.text(), path: choices.text(), quantity: integer(&choices))
    item.minimum = choices.bit() ? choices.number() : nil
    if choices.bit() {
      item.loan = InventoryList.Loan(
        person: choices.text(), unixMilliseconds: integer(&choices), due: choices.text(),
        isOverdue: choices.bit() ? choices.bit() : nil)
    }
    list.items.append(item)
  }
  return list
}

private func kind(_ choices: inout Choices) -> InventoryKind {
  InventoryKind.allCases[choices.below(InventoryKind.allCases.count)]
}

private func thing(_ choices: inout Choices) -> InventoryThing {
  var thing = InventoryThing(id: id(&choices), kind: kind(&choices), name: choices.text())
  while choices.bit(), thing.containers.count < 4 { thing.containers.append(id(&choices)) }
  (thing.code, thing.path, thing.quantity) = (choices.text(), choices.text(), integer(&choices))
  thing.minimum = choices.bit() ? choices.number() : nil
  let holder = choices.text()
  (thing.holder, thing.pieceHolders) = (holder.isEmpty ? nil : holder, choices.text())
  thing.contentCount = Int(number(&choices))
  while !choices.isUsedUp, thing.contents.count < 255 {
    thing.contents.append(InventoryThing.Content(name: choices.text(), quantity: integer(&choices)))
  }
  return thing
}
