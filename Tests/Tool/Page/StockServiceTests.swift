// The store room's answers for the page.

import Foundation
import TappetCore
import TappetJSON
import TappetKiosk
import TappetPlatform
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetInventoryTool

@Suite struct StockServiceTests {
  private let folder = TestFolder.make("stock")

  private func service() throws -> StockService {
    try StockService(parent: try UnixSocket.pair().ours, folder: folder)
  }

  private func ask(_ service: inout StockService, _ request: StockRequest) throws -> JSON {
    try service.json(answering: StockInquiry(request, by: "Hall", number: 1, until: Instant.now() + .seconds(600)))
  }

  @discardableResult
  private func add(
    _ inventory: Inventory, _ kind: InventoryKind, _ name: String, _ container: InventoryEntry? = nil,
    code: String? = nil
  ) throws -> InventoryEntry {
    var values = InventoryEdit()
    (values.name, values.code) = (name, code)
    return try inventory.add(kind, to: container, values, by: "Ann")
  }

  /// A room with seven spots `Shelf …`, each with a box `Screws …`; returns the first box.
  private func fill(_ inventory: Inventory) throws -> InventoryEntry {
    let room = try add(inventory, .room, "Cellar", try add(inventory, .building, "House"))
    var first: InventoryEntry?
    for number in 1...7 {
      let spot = try add(inventory, .spot, "Shelf \(number)", room)
      let box = try add(inventory, .box, "Screws \(number)", spot, code: "B-\(number)")
      first = first ?? box
    }
    return try #require(first)
  }

  @Test func `a move to one of several places names five of them`() throws {
    let box = try fill(try Inventory.open(folder: folder))
    var service = try service()
    let answer = try ask(&service, .move(id: box.id.text, to: "shelf"))
    let sentence = try #require(answer["error"]?.text)
    #expect(answer["code"]?.text == "thing-ambiguous" && sentence.contains("7 places match 'shelf'"), "\(sentence)")
    #expect(sentence.contains("such as House → Cellar → Shelf"), "\(sentence)")
    #expect(sentence.components(separatedBy: "House → Cellar → Shelf").count == 6, "\(sentence)")
  }

  @Test func `a code is found in either case`() throws {
    _ = try fill(try Inventory.open(folder: folder))
    var service = try service()
    for text in ["B-3", "b-3"] {
      let found = try ask(&service, .find(text))["things"]?.elements ?? []
      #expect(found.map { $0["code"]?.text } == ["B-3"], "\(text)")
    }
  }

  @Test func `an inventory that is replaced is opened again, and a missing one is not created`() throws {
    _ = try fill(try Inventory.open(folder: folder))
    var service = try service()
    #expect(try ask(&service, .find("b-3"))["things"]?.elements?.count == 1)
    let (path, other) = (folder + "/" + Inventory.fileName, TestFolder.make("stock"))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix(Inventory.fileName) {
      try FileManager.default.removeItem(atPath: folder + "/" + name)
    }
    #expect(try ask(&service, .find("b-3"))["error"]?.text?.contains("is missing") == true)
    #expect(!FileManager.default.fileExists(atPath: path))
    try add(try Inventory.open(folder: other), .building, "Barn")
    try FileManager.default.moveItem(atPath: other + "/" + Inventory.fileName, toPath: path)
    #expect(try ask(&service, .find("b-3"))["things"]?.elements?.isEmpty == true)
    #expect(try ask(&service, .find("barn"))["things"]?.elements?.count == 1)
  }
}
