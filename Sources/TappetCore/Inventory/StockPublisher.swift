// The inventory at the shelf: the process tappet-inventory, the requests to the process, and what is to be published.

struct StockPublisher: Sendable {
  var process = HelperSupervision(.inventory)
  var desk = InventoryDesk()
  var news = InventoryNewsDuties()
  /// The last `follow` order to the running process; `nil` before the first one, or to repeat it.
  var followed: InventoryOrder?

  var deadline: Instant? { .earliest(process.deadline, desk.deadline) }

  /// Whether the next tap does something: with the subject of an earlier tap, or for a job.
  var isAwaitingTap: Bool { desk.holding != nil || desk.job != nil && process.isRunning }
}
