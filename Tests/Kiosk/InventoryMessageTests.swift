// The published lists of the inventory and the results of touches, as JSON: their members and their size.

import Foundation
import TappetConfig
import TappetJSON
import TappetMessages
import TappetStore
import Testing

@testable import TappetCore
@testable import TappetKiosk

@Suite struct InventoryMessageTests {
  private let id: InventoryID
  private let longest = String(repeating: "\"", count: Limits.inventoryNameSizeMax)

  init() throws { id = try #require(InventoryID([UInt8](1...16))) }

  private func json(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  private func item(_ name: String) -> InventoryList.Item {
    var item = InventoryList.Item(id: id, name: name, path: "House → Box", quantity: 1)
    item.minimum = 5
    return item
  }

  @Test func `a list of low items contains no loans`() throws {
    var list = InventoryList(.low, count: 1)
    list.items = [item("M4")]
    #expect(
      String(decoding: list.message, as: UTF8.self) == """
        {"count":1,"items":[{"id":"01020304-0506-0708-090a-0b0c0d0e0f10","name":"M4","quantity":1,\
        "location_path":"House → Box","minimum":5}],"more":0}
        """)
    #expect(try json(InventoryList(.low, count: 0).message)["items"] as? [String] == [])
  }

  @Test func `a list shows who has which item since when, and whether it is overdue`() throws {
    var list = InventoryList(.out, count: 3)
    var (drill, saw) = (item("Drill"), item("Saw"))
    drill.loan = .init(person: "Ann", unixMilliseconds: 0, due: "2026-12-24", isOverdue: true)
    saw.loan = .init(person: "Ben", unixMilliseconds: 0, due: "", isOverdue: nil)
    list.items = [drill, saw]
    let message = try json(list.message)
    #expect(message["count"] as? Int == 3 && message["more"] as? Int == 1)
    let items = try #require(message["items"] as? [[String: Any]])
    #expect(items[0]["person"] as? String == "Ann" && items[0]["since"] as? String == "1970-01-01T00:00:00.000Z")
    #expect(items[0]["due"] as? String == "2026-12-24" && items[0]["overdue"] as? Bool == true)
    #expect(items[0]["minimum"] == nil)
    #expect(items[1]["due"] is NSNull && items[1]["overdue"] is NSNull)
  }

  @Test func `a list names missing items with their places`() throws {
    var list = InventoryList(.missing, count: 1)
    list.items = [item("M4")]
    let message = try json(list.message)
    let missing = try #require((message["items"] as? [[String: Any]])?.first)
    #expect(missing["name"] as? String == "M4" && missing["location_path"] as? String == "House → Box")
    #expect(missing["minimum"] == nil && missing["person"] == nil && message["more"] as? Int == 0)
  }

  @Test func `a list contains at most 50 items and 8 KB, and counts the others`() throws {
    for (name, count) in [("M4", 50), (longest, 1...7)] as [(String, any Sendable)] {
      var list = InventoryList(.low, count: 100)
      list.items = (0..<60).map { _ in item(name) }
      #expect(list.message.count <= Limits.inventoryListSizeMax)
      let message = try json(list.message)
      let listed = try #require(message["items"] as? [Any]).count
      if let count = count as? Int { #expect(listed == count) }
      if let range = count as? ClosedRange<Int> { #expect(range.contains(listed)) }
      #expect(message["more"] as? Int == 100 - listed)
    }
  }

  @Test func `the largest result of a touch stays below Home Assistant's limit`() throws {
    var thing = InventoryThing(id: id, kind: .box, name: longest)
    (thing.path, thing.code, thing.contentCount) = ([longest, longest, longest].joined(separator: " → "), longest, 60)
    thing.contents = (0..<50).map { _ in InventoryThing.Content(name: longest, quantity: 7) }
    let report = InventoryReport(action: "shelf", uid: nil, result: .moved, thing: thing, who: "Ann")
    let touch = try #require(TouchTransition(.inventory(report)))
    #expect(touch.message.count < 16_384)
    let message = try json(touch.message)
    #expect(message["event_type"] as? String == "moved" && message["by"] as? String == "Ann")
    let listed = try #require(message["contents"] as? [Any]).count
    #expect(message["more"] as? Int == 60 - listed)
  }

  @Test(arguments: [false, true]) func `a tap reports whether the thing belongs elsewhere`(_ isMisplaced: Bool) throws {
    let thing = InventoryThing(id: id, kind: .item, name: "M4")
    var report = InventoryReport(action: "shelf", uid: nil, result: .counted, thing: thing, who: "Ann")
    report.isMisplaced = isMisplaced
    let message = try json(try #require(TouchTransition(.inventory(report))).message)
    #expect(message["misplaced"] as? Bool == isMisplaced && message["event_type"] as? String == "counted")
  }

  @Test func `a refused tap states the reason`() throws {
    for (fault, word, reason) in [
      (InventoryFault.unknown, "unknown", "thing-unknown"), (.reserved, "refused", "item-reserved"),
      (.scanIncomplete, "refused", "scan-incomplete"),
    ] {
      let report = Report.tap(.refused(by: .tag, uid: nil, .notInInventory(action: "shelf", fault), nil))
      let message = try json(try #require(TouchTransition(report)).message)
      #expect(message["event_type"] as? String == word && message["reason"] as? String == reason)
      #expect(message["name"] is NSNull && message["action"] as? String == "shelf")
    }
  }

  @Test func `a scanned code without an entry is in the message, the log and the history`() throws {
    let refusal = TapRefusal.notInInventory(action: "shelf", .unknown, code: "0012345678905")
    let report = Report.tap(.refused(by: .tag, uid: nil, refusal, nil))
    let message = try json(try #require(TouchTransition(report)).message)
    #expect(message["code"] as? String == "0012345678905" && message["event_type"] as? String == "unknown")
    #expect(refusal.sentence(.tag).contains("'tappet item edit ITEM --barcode 0012345678905'"))
    let now = Moment(instant: Instant(nanoseconds: 0), unixMilliseconds: 0)
    let row = try #require(TapRecord.row(of: report, .bare(), at: now))
    #expect(row.row.line(.bare(), person: nil).contains("(0012345678905)"))
  }
}
