// tappet inventory export: everything, in a form that an import reads back unchanged.

import TappetConfig
import TappetCore
import TappetInventory

/// Writes all things to standard output.
struct ExportCommand {
  private var text: [UInt8] = []
  private let isJSON: Bool
  private var count = 0

  static func run(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    var export = ExportCommand(isJSON: arguments.value("format") == "json")
    export.begin()
    try judged { () throws(InventoryError) in
      try inventory.forEachRecord { record in
        export.write(record)
        return Output.isTaken
      }
    }
    export.end()
  }

  private init(isJSON: Bool) { self.isJSON = isJSON }

  private mutating func begin() {
    put(isJSON ? "[" : InventoryColumn.allCases.map { $0.rawValue }.joined(separator: ",") + "\r\n")
  }

  private mutating func end() {
    if isJSON { put("\n]\n") }
    flush()
  }

  private mutating func write(_ record: InventoryRecord) {
    if isJSON {
      put(count == 0 ? "\n" : ",\n")
      text += record.json.encoded()
    } else {
      for (index, column) in InventoryColumn.allCases.enumerated() {
        if index > 0 { put(",") }
        put(field: record.field(column))
      }
      put("\r\n")
    }
    count += 1
    if text.count >= Limits.tablePieceSize { flush() }
  }

  /// A field with quotes where it needs them (RFC 4180 §2); spaces at an end would be lost without.
  private mutating func put(field: String) {
    let bytes = field.utf8
    let needsQuotes =
      bytes.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D } || bytes.first == 0x20
      || bytes.first == 0x09 || bytes.last == 0x20 || bytes.last == 0x09
    guard needsQuotes else { return put(field) }
    put("\"")
    for byte in bytes {
      if byte == 0x22 { text.append(byte) }
      text.append(byte)
    }
    put("\"")
  }

  private mutating func put(_ more: String) { text += more.utf8 }

  private mutating func flush() {
    Output.write(bytes: text)
    text = []
  }
}

extension InventoryRecord {
  /// The row as an object; members without a value are left out.
  fileprivate var json: JSON {
    var members: [JSON.Member] = []
    for column in InventoryColumn.allCases {
      let text = field(column)
      if text.isEmpty { continue }
      let isNumber = column == .quantity || column == .minimum
      members.append(
        JSON.Member(name: column.rawValue, value: isNumber ? .number(Int64(decimal: text.utf8) ?? 0) : .string(text)))
    }
    return .object(members)
  }
}
