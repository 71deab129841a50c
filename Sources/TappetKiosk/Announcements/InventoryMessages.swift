// Messages about the inventory: the lists of low, lent and missing items, which the broker retains, and the results of
// touches. Home Assistant adopts their members as attributes, of which its recorder keeps at most 16,384 bytes.

import TappetBroker
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

extension KioskConfiguration {
  /// Topics of the retained lists; none if the lists are not published.
  var inventoryListTopics: [String] {
    guard let broker, let inventory, inventory.plan.topic != nil || homeAssistant != nil else { return [] }
    return InventoryList.Kind.allCases.map { broker.homeAssistantTopics.inventoryList($0) }
  }
}

extension InventoryList {
  /// The published list as JSON; items that do not fit are only counted.
  var message: [UInt8] {
    let size = message(listing: []).encoded().count
    return message(listing: items.prefix(Limits.inventoryListMax).map { $0.message(kind) }.fitting(after: size))
      .encoded()
  }

  private func message(listing listed: [JSON]) -> JSON {
    .object([
      "count": .number(count), "items": .array(listed), "more": .number(max(0, count - Int64(listed.count))),
    ])
  }
}

extension InventoryList.Item {
  fileprivate func message(_ kind: InventoryList.Kind) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "id", value: .string(id.text)), JSON.Member(name: "name", value: .string(name)),
      JSON.Member(name: "quantity", value: .number(quantity)),
      JSON.Member(name: "location_path", value: .string(path)),
    ]
    switch kind {
    case .missing: break
    case .low: members.append(JSON.Member(name: "minimum", value: minimum.map { .number($0) } ?? .null))
    case .out:
      guard let loan else { break }
      members += [
        JSON.Member(name: "person", value: .string(loan.person)),
        JSON.Member(name: "since", value: .time(unixMilliseconds: loan.unixMilliseconds)),
        JSON.Member(name: "due", value: .optional(loan.due.isEmpty ? nil : loan.due)),
        JSON.Member(name: "overdue", value: loan.isOverdue.map { .bool($0) } ?? .null),
      ]
    }
    return .object(members)
  }
}

extension TouchTransition.Kind {
  /// Names of all results.
  static let words = TouchResult.allCases.map { $0.rawValue } + ["person", "number", "unknown", "refused"]

  fileprivate var word: String {
    switch self {
    case .done(let result): result.rawValue
    case .person: "person"
    case .number: "number"
    case .refused(let fault): fault == .unknown ? "unknown" : "refused"
    }
  }

  fileprivate var reason: String? { if case .refused(let fault) = self { fault.code } else { nil } }
}

extension TouchTransition {
  /// The result in the format of Home Assistant's event entity.
  var message: [UInt8] {
    let size = message(listing: []).encoded().count
    let contents = thing?.contents.prefix(Limits.inventoryTouchContentsMax) ?? []
    let elements = contents.map { JSON.object(["name": .string($0.name), "quantity": .number($0.quantity)]) }
    return message(listing: elements.fitting(after: size)).encoded()
  }

  private func message(listing contents: [JSON]) -> JSON {
    .object([
      "event_type": .string(kind.word), "action": .string(action), "reason": .optional(kind.reason),
      "kind": .optional(thing?.kind.name), "id": .optional(thing?.id.text), "name": .optional(thing?.name),
      "code": .optional(thing?.code ?? unknownCode), "location_path": .optional(thing?.path),
      "quantity": thing.map { .number($0.quantity) } ?? .null, "pieces": pieces.map { .number($0) } ?? .null,
      "person": .optional(thing?.holders), "misplaced": .bool(isMisplaced),
      "by": .optional(who.isEmpty ? nil : who), "contents": .array(contents),
      "more": .number(Int64(max(0, (thing?.contentCount ?? 0) - contents.count))),
    ])
  }
}

extension [JSON] {
  /// Returns the first elements that fit in a message that takes `size` bytes without any.
  fileprivate func fitting(after size: Int) -> [JSON] {
    var left = Limits.inventoryListSizeMax - size
    return Array(
      prefix { element in
        left -= element.encoded().count + 1
        return left >= 0
      })
  }
}

extension Runtime {
  /// Publishes a list, which the broker retains.
  func publish(_ list: InventoryList, _ topics: HomeAssistantTopics) {
    broker?.publish(id: nil, topic: topics.inventoryList(list.kind), payload: list.message, isRetained: true)
  }

  /// Publishes the result of a touch.
  func publish(_ touch: TouchTransition, _ topics: HomeAssistantTopics) {
    broker?.publish(id: nil, topic: topics.touch, payload: touch.message, isRetained: false)
  }
}
