// The inventory at the shelf: the process tappet-inventory, the requests to the process, and the news to be published.

struct StockPublisher: Sendable {
  var process = HelperSupervision(.inventory)
  var desk = InventoryDesk()
  var news = InventoryNewsDuties()
}
