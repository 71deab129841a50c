// The configuration of the inventory: the section `inventory:` of kiosk.yaml.

/// How the inventory is used at the reader.
package struct InventoryPlan: Hashable, Sendable {
  /// Time within which the second of two taps must follow the first.
  package var moveWithin = Limits.inventoryMoveWithin
  /// Time without a tap after which a job ends.
  package var jobEnds = Limits.inventoryJobEnds
  /// The name of the action that a scanned code triggers; `nil` means that scans have no effect.
  package var scanAction: String?
  /// The name of the action that runs when the stock of an item becomes low.
  package var lowStockAction: String?
  /// The name of the action that runs when a loan becomes overdue.
  package var overdueAction: String?
  /// The prefix of the topics to which changes are published; `nil` means that changes are not published.
  package var topic: String?

  /// Creates a plan that only responds to taps.
  package init() {}

  /// The name under which messages about changes appear in the outbox and the log.
  package static let feedName = "inventory"

  /// The action that publishes changes.
  package var feed: Action? {
    @export(interface) get {
      guard let topic else { return nil }
      let message = """
        {"change": %{change}, "verb": "%{verb}", "kind": "%{kind}", "id": "%{id}", "name": "%{thing}", \
        "code": "%{code}", "path": "%{path}", "quantity": %{quantity}, "from": %{from}, "to": %{to}, \
        "holder": "%{holder}", "by": "%{who}", "time": "%{time}"}
        """
      return PayloadTemplate(configured: message, format: .json).map {
        Action(
          name: InventoryPlan.feedName, title: "Changes of the inventory", index: -1, topic: topic + "/change/%{verb}",
          message: $0)
      }
    }
  }
}

/// The events from tappet-inventory.
package enum InventoryEvent: Sendable {
  case message(InventoryMessage)
  /// The process sent bytes that are not a message.
  case malformed
  case ended(ProcessEnd)
  /// The process could not be started; `code` is the errno.
  case notStarted(code: Int32)
}

/// One successful touch, for the log, the live view and programs.
package struct InventoryReport: Sendable {
  /// The action of the tag, or the action that scans trigger.
  package var action: String
  /// The tag that was tapped; `nil` for a scan.
  package var uid: TagUID?
  /// Result of the touch; `nil` if it was a person's tag or a number of pieces, which now waits for an item.
  package var result: TouchResult?
  /// The current state of the thing; `nil` if there was no result.
  package var thing: InventoryThing?
  /// The name of the person who made the touch, or the kiosk's name if the person is not known.
  package var who: String
  /// Whether the thing was counted or seen in a place where it does not belong.
  package var isMisplaced = false
  /// The job that the person does from now on, if their tag was tapped during one.
  package var job: InventoryJob?
  /// The number of pieces that were moved or counted, or that the next item will be; `nil` if pieces do not matter.
  package var pieces: Int64?
  /// The number of pieces of an earlier movement that the pieces replace; 0 if there was none.
  package var replaced: Int64 = 0
}
