// The inventory as the configuration has it: the part `inventory:` of kiosk.yaml.

/// The use of the inventory at the reader.
package struct InventoryPlan: Hashable, Sendable {
  /// Time for the second of two taps.
  package var moveWithin = Limits.inventoryMoveWithin
  /// The name of the action that a scanned code sets off; `nil` means that no scan does anything.
  package var scanAction: String?
  /// The name of the action that is performed when an item becomes low.
  package var lowStockAction: String?
  /// The beginning of the topics to which changes are published; `nil` means that they are not.
  package var topic: String?

  /// A plan that only answers taps.
  package init() {}

  /// The name, in the outbox and the log, of what is published about changes.
  package static let feedName = "inventory"

  /// The action that publishes changes.
  package var feed: Action? {
    guard let topic else { return nil }
    let message = """
      {"change": %{change}, "verb": "%{verb}", "kind": "%{kind}", "id": "%{id}", "name": "%{thing}", \
      "code": "%{code}", "path": "%{path}", "quantity": %{quantity}, "holder": "%{holder}", "by": "%{who}", \
      "time": "%{time}"}
      """
    return PayloadTemplate(configured: message, format: .json).map {
      Action(
        name: InventoryPlan.feedName, title: "Changes of the inventory", index: -1, topic: topic + "/%{verb}",
        message: $0)
    }
  }
}

/// The events of tappet-inventory.
package enum InventoryEvent: Sendable {
  case message(InventoryMessage)
  /// It sent bytes that are not a message.
  case malformed
  case ended(ProcessEnd)
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}

/// One touch that did something, for the log, the live view and programs.
package struct InventoryReport: Sendable {
  /// The action whose tag it was, or which scans set off.
  package var action: String
  /// The tag that was tapped; `nil` for a scan.
  package var uid: TagUID?
  /// Result of the touch; `nil` when a person's tag is held for an item.
  package var result: TouchResult?
  /// The thing as it is now; `nil` likewise.
  package var thing: InventoryThing?
  /// The name of the person who did it, else the kiosk's.
  package var who: String
}
