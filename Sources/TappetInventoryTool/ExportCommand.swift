// tappet inventory export: exports all entries in a format that an import reads back unchanged.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON

/// Writes all entries to standard output.
struct ExportCommand {
  private var table: CSVWriter
  private var text: [UInt8] = []
  private let isJSON: Bool
  private var count = 0

  static func run(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    var export = ExportCommand(
      isJSON: arguments.value("format") == "json", forExcel: arguments.has("excel"))
    export.begin()
    try judged { () throws(InventoryError) in
      try inventory.forEachRecord { record in
        export.write(record)
        return Output.isTaken
      }
    }
    export.end()
  }

  private init(isJSON: Bool, forExcel: Bool) {
    self.isJSON = isJSON
    table = CSVWriter(forExcel: forExcel)
  }

  private mutating func begin() {
    if isJSON { text += "[".utf8 } else { table.write(InventoryColumn.allCases.map { $0.rawValue }) }
  }

  private mutating func end() {
    if !isJSON { return table.flush() }
    text += "\n]\n".utf8
    flush()
  }

  private mutating func write(_ record: InventoryRecord) {
    if !isJSON { return table.write(InventoryColumn.allCases.map { record.field($0) }) }
    text += (count == 0 ? "\n" : ",\n").utf8
    text += record.json.encoded()
    count += 1
    if text.count >= Limits.tablePieceSize { flush() }
  }

  private mutating func flush() {
    Output.write(bytes: text)
    text = []
  }
}

extension InventoryRecord {
  /// The row as a JSON object; members without a value are omitted.
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
