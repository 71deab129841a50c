// The datagrams between the kiosk and tappet-inventory: their bytes, and what is refused.

import Testing

@testable import TappetCore

@Suite struct InventoryWireTests {
  private static let id = identity(1...16)
  private static let place = identity(17...32)
  private static let uid = TagUID([4, 0xA1, 0xB2, 0xC3])

  private static func identity(_ bytes: ClosedRange<UInt8>) -> InventoryID {
    guard let id = InventoryID([UInt8](bytes)) else { preconditionFailure() }
    return id
  }

  /// The size and the bytes of a text.
  private static func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
  }

  /// The eight bytes of a number.
  private static func number(_ number: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// A box with everything that a thing can have.
  private static var box: InventoryThing {
    var box = InventoryThing(id: id, kind: .box, name: "Größe")
    (box.code, box.path, box.holder, box.containers) = ("B-17", "House → Cellar", "Ann", [place, id])
    (box.quantity, box.minimum, box.contentCount) = (0x0102, 0, 3)
    box.pieceHolders = "Ben, Cy"
    box.contents = [.init(name: "M4", quantity: 200), .init(name: "", quantity: -1)]
    return box
  }

  private static let boxBytes: [UInt8] =
    [UInt8](1...16) + number(3) + text("Größe") + text("B-17") + [2] + [UInt8](17...32) + [UInt8](1...16)
    + text("House → Cellar") + number(0x0102) + [1] + number(0) + [1] + text("Ann") + text("Ben, Cy") + [0, 0, 0, 3]
    + [2] + text("M4") + number(200) + text("") + number(-1)

  /// An item of which only the least is known.
  private static let item = InventoryThing(id: place, kind: .item, name: "")
  private static let itemBytes: [UInt8] =
    [UInt8](17...32) + number(4) + text("") + text("") + [0] + text("") + number(1) + [0, 0] + text("")
    + [0, 0, 0, 0, 0]

  /// 256 lent items, of which two are listed.
  private static var out: InventoryList {
    var out = InventoryList(.out, count: 256)
    var drill = InventoryList.Item(id: id, name: "Drill", path: "House", quantity: 1)
    drill.loan = .init(person: "Ann", unixMilliseconds: 258, due: "2026-12-24", isOverdue: true)
    var saw = InventoryList.Item(id: place, name: "Saw", path: "", quantity: 2)
    (saw.minimum, saw.loan) = (3, .init(person: "Ben", unixMilliseconds: 0, due: "", isOverdue: nil))
    out.items = [drill, saw]
    return out
  }

  private static let outBytes: [UInt8] =
    [UInt8](1...16) + text("Drill") + text("House") + number(1) + [0, 1] + text("Ann") + number(258)
    + text("2026-12-24") + [1, 1] + [UInt8](17...32) + text("Saw") + text("") + number(2) + [1] + number(3) + [1]
    + text("Ben") + number(0) + text("") + [0]

  private static var orders: [(InventoryOrder, [UInt8])] {
    [
      (.begin(scanner: ""), [1, 0, 0] + text("us")),
      (.begin(scanner: "/dev/é", layout: .de), [1] + text("/dev/é") + text("de")),
      (.lookUp(0x0102_0304, InventoryKey()), [2, 1, 2, 3, 4, 0, 0, 0]),
      (
        .lookUp(.max, InventoryKey(uid: uid, code: "B-17")),
        [2, 255, 255, 255, 255, 1, 4, 4, 0xA1, 0xB2, 0xC3] + text("B-17")
      ),
      (.move(5, id, to: place, who: "Ann"), [3, 0, 0, 0, 5] + [UInt8](1...32) + text("Ann")),
      (.lend(6, id, to: "Ben", who: ""), [4, 0, 0, 0, 6] + [UInt8](1...16) + text("Ben") + [0, 0]),
      (.takeBack(7, id, who: "客"), [5, 0, 0, 0, 7] + [UInt8](1...16) + text("客")),
      (.passedOn(.max), [6, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
      (.passedLow(id), [7] + [UInt8](1...16)),
      (
        .adjust(8, Adjustment(id: id, pieces: -1, replacing: 259, ticket: 258), who: "Ann"),
        [8, 0, 0, 0, 8] + [UInt8](1...16) + number(-1) + number(259) + number(258) + [0] + text("Ann")
      ),
      (
        .adjust(9, Adjustment(id: id, pieces: 1, ticket: -1, in: Stocktake(number: 3, action: "co")), who: ""),
        [8, 0, 0, 0, 9] + [UInt8](1...16) + number(1) + number(0) + number(-1) + [1] + number(3) + text("co")
          + text("")
      ),
      (.endStocktake(10, 258, isKept: true), [9, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 1, 2, 1]),
      (.endStocktake(10, 258, isKept: false), [9, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 1, 2, 0]),
      (
        .see(11, id, .auditedPlace, in: Stocktake(number: 3, action: "co"), who: "Ann"),
        [10, 0, 0, 0, 11] + [UInt8](1...16) + [3] + number(3) + text("co") + text("Ann")
      ),
      (.follow(lists: false, overdue: false, clockIsGood: false), [16, 0, 0, 0]),
      (.follow(lists: true, overdue: false, clockIsGood: false), [16, 1, 0, 0]),
      (.follow(lists: false, overdue: true, clockIsGood: false), [16, 0, 1, 0]),
      (.follow(lists: false, overdue: false, clockIsGood: true), [16, 0, 0, 1]),
      (.passedOverdue(place), [17] + [UInt8](17...32)),
    ]
  }

  private static var messages: [(InventoryMessage, [UInt8])] {
    [
      (.ready, [1, 5]),
      (.found(0x0102_0304, box), [2, 1, 2, 3, 4] + boxBytes),
      (.found(0, item), [2, 0, 0, 0, 0] + itemBytes),
      (.failed(1, .unknown), [3, 0, 0, 0, 1, 1]), (.failed(1, .gone), [3, 0, 0, 0, 1, 2]),
      (.failed(1, .database), [3, 0, 0, 0, 1, 3]), (.failed(1, .away), [3, 0, 0, 0, 1, 4]),
      (.failed(1, .reserved), [3, 0, 0, 0, 1, 5]), (.failed(1, .needsBox), [3, 0, 0, 0, 1, 6]),
      (.failed(1, .noneLeft), [3, 0, 0, 0, 1, 7]), (.failed(1, .tooMany), [3, 0, 0, 0, 1, 8]),
      (.failed(1, .notItem), [3, 0, 0, 0, 1, 9]), (.failed(1, .full), [3, 0, 0, 0, 1, 10]),
      (.failed(1, .notNumber), [3, 0, 0, 0, 1, 11]), (.failed(1, .numberUnclear), [3, 0, 0, 0, 1, 12]),
      (
        .news(258, .lent, unixMilliseconds: 259, who: "Ann", box),
        [4] + number(258) + number(6) + number(259) + text("Ann") + boxBytes + [0]
      ),
      (
        .news(1, .counted, unixMilliseconds: 2, who: "", item, counted: StockCorrection(from: 3, to: 258)),
        [4] + number(1) + number(10) + number(2) + text("") + itemBytes + [1] + number(3) + number(258)
      ),
      (
        .stocktake(Stocktake(number: 258, action: "co"), isAudit: false, who: "Ann"),
        [9, 0, 0, 0, 0, 0, 0, 1, 2] + text("co") + [0] + text("Ann") + [0]
      ),
      (
        .stocktake(Stocktake(number: 258, action: ""), isAudit: true, who: "", CheckedPlace(id: place, kind: .spot)),
        [9] + number(258) + text("") + [1] + text("") + [1] + [UInt8](17...32) + number(2)
      ),
      (.ended(12, items: 3), [10, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 3, 0]),
      (
        .ended(12, items: 3, missing: InventoryList(.missing, count: 7)),
        [10, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 3, 1, 3, 0, 0, 0, 0, 0, 0, 0, 7, 0]
      ),
      (.low(item), [5] + itemBytes),
      (.lowCount(.min), [6, 0x80] + [UInt8](repeating: 0, count: 7)),
      (.scanned("B-17"), [7] + text("B-17")),
      (.scanner(errno: 0), [8, 0, 0, 0, 0]), (.scanner(errno: 19), [8, 0, 0, 0, 19]),
      (.scanner(errno: -2), [8, 255, 255, 255, 254]),
      (.list(InventoryList(.low, count: 0)), [16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
      (.list(out), [16, 2, 0, 0, 0, 0, 0, 0, 1, 0, 2] + outBytes),
      (.overdue(due: "2026-12-24", item), [17] + text("2026-12-24") + itemBytes),
      (.misread(.scanTooLong), [32, 32]), (.misread(.scanIncomplete), [32, 33]), (.misread(.scanUnreadable), [32, 34]),
    ]
  }

  @Test func `every kind is encoded and decoded as the layout specifies`() {
    for (order, bytes) in Self.orders {
      #expect(order.encode() == bytes && InventoryOrder.decoded(bytes) == order, "\(order)")
    }
    for (message, bytes) in Self.messages {
      #expect(message.encode() == bytes && InventoryMessage.decoded(bytes) == message, "\(message)")
    }
    for kind in InventoryKind.allCases {
      let low = InventoryMessage.low(InventoryThing(id: Self.id, kind: kind, name: "a"))
      #expect(InventoryMessage.decoded(low.encode()) == low)
    }
    for verb in (0..<14).compactMap({ InventoryVerb(rawValue: $0) }) {
      let news = InventoryMessage.news(1, verb, unixMilliseconds: -1, who: "", Self.item)
      #expect(InventoryMessage.decoded(news.encode()) == news)
    }
  }

  @Test func `a datagram that is too short or too long is refused`() {
    for (order, bytes) in Self.orders {
      for size in 0..<bytes.count {
        #expect(InventoryOrder.decoded(Array(bytes[..<size])) == nil, "\(size) bytes of \(order)")
      }
      #expect(InventoryOrder.decoded(bytes + [0]) == nil && InventoryOrder.decoded(bytes + bytes) == nil)
    }
    for (message, bytes) in Self.messages {
      for size in 0..<bytes.count {
        #expect(InventoryMessage.decoded(Array(bytes[..<size])) == nil, "\(size) bytes of \(message)")
      }
      #expect(InventoryMessage.decoded(bytes + [0]) == nil && InventoryMessage.decoded(bytes + bytes) == nil)
    }
  }

  @Test func `undefined numbers and invalid strings are refused`() {
    func isRefused(_ bytes: [UInt8], at offset: Int, _ value: UInt8) -> Bool {
      var bytes = bytes
      bytes[offset] = value
      return InventoryMessage.decoded(bytes) == nil
    }
    for kind in [0, 11, 255] as [UInt8] { #expect(InventoryOrder.decoded([kind]) == nil) }
    for kind in [0, 11, 255] as [UInt8] { #expect(InventoryMessage.decoded([kind]) == nil) }
    for version in [0, 4, 255] as [UInt8] { #expect(InventoryMessage.decoded([1, version]) == nil) }
    for fault in [0, 13, 255] as [UInt8] { #expect(InventoryMessage.decoded([3, 0, 0, 0, 1, fault]) == nil) }
    let news = InventoryMessage.news(1, .added, unixMilliseconds: 1, who: "", Self.box).encode()
    for verb in [14, 255] as [UInt8] { #expect(isRefused(news, at: 16, verb)) }
    let low = InventoryMessage.low(Self.box).encode()
    for kind in [5, 255] as [UInt8] { #expect(isRefused(low, at: 24, kind)) }
    // One listed thing more and one less than there are.
    let listed = low.count - 1 - (2 + 2 + 8) - (2 + 8)
    #expect(low[listed] == 2 && isRefused(low, at: listed, 1) && isRefused(low, at: listed, 3))
    // A UID of a size that no tag has.
    for size in [11, 255] as [UInt8] {
      let uid = [UInt8](repeating: 1, count: Int(size))
      #expect(InventoryOrder.decoded([2, 0, 0, 0, 1, 1, size] + uid + [0, 0]) == nil)
    }
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
      let size = [0, UInt8(bytes.count)]
      #expect(InventoryOrder.decoded([1] + size + bytes + [0, 2, 0x75, 0x73]) == nil, "\(bytes)")
      #expect(InventoryMessage.decoded([7] + size + bytes) == nil, "\(bytes)")
    }
    #expect(InventoryMessage.decoded([7, 255, 255] + [UInt8](repeating: 0x61, count: 65_534)) == nil)
  }

  @Test(arguments: 65_532...65_538) func `text that is too long is truncated between characters`(_ size: Int) {
    for filling in ["x", "é", "客", "🏠"] {
      let text = String(repeating: "x", count: size) + filling
      guard case .scanned(let code)? = InventoryMessage.decoded(InventoryMessage.scanned(text).encode()) else {
        Issue.record("\(size) and \(filling) did not arrive")
        continue
      }
      #expect(text.hasPrefix(code) && code.utf8.count <= 65_535)
      #expect(code == text || code.utf8.count > 65_535 - filling.utf8.count)
    }
  }

  @Test func `a thing with too much content is truncated to its first entries`() throws {
    var box = Self.box
    box.contents = (0..<300).map { .init(name: "\($0)", quantity: $0) }
    box.contentCount = .max
    let decoded = InventoryMessage.decoded(InventoryMessage.low(box).encode())
    box.contents = Array(box.contents.prefix(255))
    box.contentCount = Int(UInt32.max)
    #expect(decoded == .low(box))
  }

  @Test func `the largest possible thing fits into a datagram`() {
    let name = String(repeating: "x", count: Limits.inventoryNameSizeMax)
    var box = InventoryThing(id: Self.id, kind: .box, name: name)
    box.code = String(repeating: "x", count: Limits.inventoryCodeSizeMax)
    box.path = "\(name) → \(name) → \(name) → \(name)"
    box.holder = name
    box.pieceHolders = String(repeating: name, count: Limits.inventoryPeopleMax)
    box.contents = Array(
      repeating: .init(name: name, quantity: Limits.inventoryQuantityMax), count: Limits.inventoryContentsMax)
    let news = InventoryMessage.news(.max, .moved, unixMilliseconds: .max, who: name, box)
    #expect(news.encode().count <= Limits.inventoryMessageSizeMax)
    #expect(InventoryMessage.decoded(news.encode()) == news)
  }

  @Test func `a datagram with changed bytes is refused, or re-encodes to the same bytes`() {
    var generator = Randomness(seed: 20)
    var decodedCount = 0
    for (bytes, isOrder) in Self.orders.map({ ($0.1, true) }) + Self.messages.map({ ($0.1, false) }) {
      for _ in 0..<1_000 {
        var changed = bytes
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
          changed[Int.random(in: changed.indices, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
        }
        if isOrder, let order = InventoryOrder.decoded(changed) {
          decodedCount += 1
          #expect(InventoryOrder.decoded(order.encode()) == order)
        } else if !isOrder, let message = InventoryMessage.decoded(changed) {
          decodedCount += 1
          #expect(InventoryMessage.decoded(message.encode()) == message)
        }
      }
    }
    #expect(decodedCount > 1_000)
  }
}
