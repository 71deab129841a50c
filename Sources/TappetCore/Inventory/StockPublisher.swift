// The inventory at the shelf: the process tappet-inventory, the requests to it, and the news to be passed on.

struct StockPublisher: Sendable {
  var process = HelperSupervision(.inventory)
  var desk = InventoryDesk()
  var news = InventoryNewsDuties()
}
