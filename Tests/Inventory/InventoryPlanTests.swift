// How SQLite runs the inventory's statements: in a store room of a million items, one that reads all of them takes a
// second, and holds the write lock meanwhile if it is part of a change.

import Foundation
import TestSupport
import Testing

@Suite struct InventoryPlanTests {
  /// Files whose statements list, count or export all entries of a kind.
  private static let readersOfAll = ["Inventory+Reading.swift", "InventoryRecord.swift"]
  /// Statements for names without a letter or digit, which no index contains.
  private static let otherReadersOfAll = ["FROM item WHERE name = ?1"]

  @Test func `only lists and exports read all items or places`() throws {
    let folder = URL(fileURLWithPath: Repository.path("Sources/TappetInventory"))
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    var count = 0
    var script = """
      CREATE VIRTUAL TABLE temp.place_word USING fts5vocab(main, place_text, instance);
      CREATE VIRTUAL TABLE temp.item_word USING fts5vocab(main, item_text, instance);

      """
    for file in files where !file.hasSuffix("InventorySchema.swift") {
      let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for match in source.matches(of: try Regex(#"(?s)"""\n(.*?)"""|"([^"\n]*)""#)) {
        let literal = match.output[1].substring ?? match.output[2].substring ?? ""
        let sql = literal.split(separator: "\n").joined(separator: " ").split(separator: " ").joined(separator: " ")
        guard ["SELECT ", "DELETE ", "UPDATE ", "INSERT ", "WITH "].contains(where: { sql.hasPrefix($0) }),
          !Self.readersOfAll.contains(where: { file.hasSuffix($0) }),
          !Self.otherReadersOfAll.contains(where: { sql.contains($0) })
        else { continue }
        count += 1
        script += ".print '\(file): \(sql.replacingOccurrences(of: "'", with: "\""))'\nEXPLAIN QUERY PLAN \(sql);\n"
      }
    }
    let world = try TestInventory()
    let plan = try Programs.run(Programs.installed("sqlite3"), ["-bail", world.path], input: script)
    #expect(plan.status == 0 && count > 100, "\(count) statements: \(plan.errors)")
    var statement: Substring = ""
    for line in plan.output.split(separator: "\n") {
      if line.contains(".swift: ") { statement = line }
      let isScan = ["SCAN item", "SCAN place"].contains { line.hasSuffix($0) }
      #expect(!isScan, "reads all entries: \(statement)")
    }
  }
}
