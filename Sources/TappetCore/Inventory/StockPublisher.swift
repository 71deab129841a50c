// The inventory at the shelf: the process tappet-inventory, what is asked of it, and what it wants to be passed on.

struct StockPublisher: Sendable {
  var process = HelperSupervision(.inventory)
  var desk = InventoryDesk()
  var news = InventoryNewsDuties()
}
