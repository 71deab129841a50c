// The fields of the messages in InventoryWire.swift that are themselves structured.

extension ScannerLayout: WireField {}
extension CheckedRole: WireField {}
extension InventoryFault: WireField {}
extension InventoryKind: WireField {}
extension InventoryVerb: WireField {}
extension InventoryList.Kind: WireField {}

extension Stocktake: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(number, action) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(number: try reader.next(), action: try reader.next())
  }
}

extension CheckedPlace: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(id, kind) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(id: try reader.next(), kind: try reader.next())
  }
}

extension StockCorrection: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(from, to) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(from: try reader.next(), to: try reader.next())
  }
}

extension Adjustment: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(id, pieces, replaced, ticket, stocktake) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(
      id: try reader.next(), pieces: try reader.next(), replacing: try reader.next(), ticket: try reader.next(),
      in: try reader.next())
  }
}

extension InventoryThing: WireField {
  package func write(to writer: inout ByteWriter) {
    writer.fields(id, kind, name, code, containers, path)
    writer.fields(quantity, minimum, holder, pieceHolders, UInt32(clamping: contentCount), contents)
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(id: try reader.next(), kind: try reader.next(), name: try reader.next())
    (code, containers, path) = (try reader.next(), try reader.next(), try reader.next())
    (quantity, minimum, holder, pieceHolders) = (
      try reader.next(), try reader.next(), try reader.next(), try reader.next()
    )
    let count: UInt32 = try reader.next()
    (contentCount, contents) = (Int(count), try reader.next())
  }
}

extension InventoryThing.Content: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(name, quantity) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(name: try reader.next(), quantity: try reader.next())
  }
}

extension InventoryList: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(kind, count, items) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(try reader.next(), count: try reader.next())
    items = try reader.next()
  }
}

extension InventoryList.Item: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(id, name, path, quantity, minimum, loan) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(id: try reader.next(), name: try reader.next(), path: try reader.next(), quantity: try reader.next())
    (minimum, loan) = (try reader.next(), try reader.next())
  }
}

extension InventoryList.Loan: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(person, unixMilliseconds, due, isOverdue) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(
      person: try reader.next(), unixMilliseconds: try reader.next(), due: try reader.next(),
      isOverdue: try reader.next())
  }
}

extension InventoryID: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let offset = reader.offset
    guard let id = InventoryID(try reader.bytes(16)) else { throw .invalid(offset: offset) }
    self = id
  }

  package func write(to writer: inout ByteWriter) { writer.bytes += bytes }
}
