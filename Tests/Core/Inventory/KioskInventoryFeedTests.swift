// The kiosk's requests to tappet-inventory, the lists that it publishes, and its actions for low items and overdue
// loans.

import Testing

@testable import TappetCore

@Suite struct KioskInventoryFeedTests {
  private static let item: InventoryThing = {
    guard let id = InventoryID([UInt8](1...16)) else { preconditionFailure() }
    var item = InventoryThing(id: id, kind: .item, name: "Drill")
    (item.holder, item.path) = ("Ann", "House → Box")
    return item
  }()

  private static let late = Action(
    name: "late", title: "late", index: 40, topic: "shop/late",
    message: PayloadTemplate(configured: "%{verb} %{thing} %{holder} %{due} %{path}", format: .text)
      ?? PayloadTemplate(""), cooldown: .zero)

  private func plan(publishes: Bool = true) -> InventoryPlan {
    var plan = InventoryPlan()
    plan.overdueAction = Self.late.name
    plan.lowStockAction = Action.scene.name
    if publishes { plan.topic = "tappet/kiosk/inventory" }
    return plan
  }

  /// A kiosk whose tappet-inventory became ready at 20 ms, and the effects of that.
  private func running(
    _ plan: InventoryPlan, homeAssistant: HomeAssistantPlan? = nil, clockIsGood: Bool = true
  ) -> (story: KioskScript, words: [String]) {
    let story = KioskScript([.light, .garage, .scene, Self.late], homeAssistant: homeAssistant)
    story.kiosk.settings.inventory = plan
    story.startAll(clockIsGood: clockIsGood)
    return (story, story.at(20, .inventory(.message(.ready))))
  }

  private func list(_ count: Int64, _ kind: InventoryList.Kind = .low) -> Event {
    .inventory(.message(.list(InventoryList(kind, count: count))))
  }

  private func lists(_ words: [String]) -> [String] { words.filter { $0.hasPrefix("announce list") } }

  private func orders(_ words: [String]) -> [String] { words.filter { $0.hasPrefix("order ") } }

  @Test func `the inventory process receives its orders once, and again when the clock is set`() {
    let (story, words) = running(plan(), clockIsGood: false)
    #expect(orders(words) == ["order follow lists overdue"])
    #expect(orders(story.at(30, .reader(.heartbeat))) == [])
    #expect(orders(story.at(40, .clockChecked(isSynchronized: true))) == ["order follow lists overdue by the clock"])
    // Another day may have begun when the clock is set.
    #expect(orders(story.at(50, .clockChecked(isSynchronized: true))) == ["order follow lists overdue by the clock"])
    #expect(orders(story.at(60, .clockChecked(isSynchronized: false))) == ["order follow lists overdue"])
  }

  @Test func `a restarted inventory process receives its orders, too`() {
    let (story, _) = running(plan())
    story.at(30, .inventory(.ended(.signaled(9))))
    var time = 30
    while time < 60_000, !story.sleep(until: time).contains("start inventory") { time += 50 }
    #expect(orders(story.at(time, .inventory(.message(.ready)))) == ["order follow lists overdue by the clock"])
  }

  @Test func `a kiosk that publishes nothing requests no lists`() {
    var quiet = InventoryPlan()
    let (story, words) = running(quiet)
    #expect(orders(words) == ["order follow by the clock"])
    #expect(lists(story.at(30, list(1))) == [])
    quiet.overdueAction = Self.late.name
    #expect(orders(running(quiet).words) == ["order follow overdue by the clock"])
    let assisted = running(InventoryPlan(), homeAssistant: HomeAssistantPlan())
    #expect(orders(assisted.words) == ["order follow lists by the clock"])
  }

  @Test func `a list is published immediately, on each connection, and at most once a second`() {
    let (story, _) = running(plan())
    #expect(lists(story.at(1_000, list(2))) == ["announce list of 2"])
    #expect(lists(story.at(1_100, list(0, .out))) == ["announce list of 0"])
    #expect(lists(story.at(1_200, list(2))) == [])
    #expect(lists(story.at(1_300, list(3))) == [] && lists(story.at(1_400, list(4))) == [])
    #expect(lists(story.sleep(until: 1_999)) == [])
    #expect(lists(story.sleep(until: 2_000)) == ["announce list of 4"])
    story.at(3_000, .link(.lost(.closedByBroker)))
    #expect(lists(story.at(3_100, list(5))) == [] && lists(story.sleep(until: 9_000)) == [])
    #expect(
      Set(lists(story.at(9_000, .link(.connected(sessionPresent: false)))))
        == ["announce list of 5", "announce list of 0"])
  }

  @Test func `a list that changes and changes back within a second is not published again`() {
    let (story, _) = running(plan())
    _ = story.at(1_000, list(1))
    _ = story.at(1_100, list(2))
    _ = story.at(1_200, list(1))
    #expect(lists(story.sleep(until: 5_000)) == [])
  }

  @Test func `an overdue item triggers its action, and is confirmed once the entry is on disk`() throws {
    let (story, _) = running(plan())
    let words = story.at(100, .inventory(.message(.overdue(due: "2026-12-24", Self.item))))
    #expect(orders(words) == [])
    let entry = try #require(story.lastEffects.compactMap { $0.storedEntry }.first)
    #expect(entry.action == "late" && entry.trigger == .inventory)
    #expect(
      String(decoding: entry.message.fill(token: "", id: entry.id), as: UTF8.self)
        == "overdue Drill Ann 2026-12-24 House → Box")
    #expect(orders(story.at(110, .brokerOutbox(.stored(entry.id, sequence: 1)))) == ["order passed overdue"])
    // Another event does not do it again.
    #expect(story.at(120, .reader(.heartbeat)).allSatisfy { !$0.contains("late") })
  }

  @Test func `an alert that could not be written is repeated, and confirmed only once written`() throws {
    let (story, _) = running(plan())
    _ = story.at(100, .inventory(.message(.low(Self.item))))
    let first = try #require(story.lastEffects.compactMap { $0.storedEntry }.first)
    #expect(orders(story.at(110, .store(.storeFailed(first.id, .full)))) == [])
    _ = story.sleep(until: 20_000)
    story.at(20_000, .store(.checked))
    let second = try #require(story.lastEffects.compactMap { $0.storedEntry }.first)
    #expect(second.action == first.action && second.id != first.id)
    #expect(orders(story.at(20_010, .brokerOutbox(.stored(second.id, sequence: 1)))) == ["order passed low"])
  }

  @Test func `an alert without an action is confirmed immediately`() {
    let (story, _) = running(InventoryPlan())
    #expect(orders(story.at(100, .inventory(.message(.low(Self.item))))) == ["order passed low"])
    #expect(
      orders(story.at(110, .inventory(.message(.overdue(due: "2026-12-24", Self.item))))) == ["order passed overdue"])
  }

  @Test func `a touch is announced with its result, if configured`() throws {
    for publishes in [true, false] {
      let (story, _) = running(plan(publishes: publishes))
      let shelf = Action(
        name: "shelf", title: "shelf", index: 41, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
        mode: .inventory)
      var settings = story.kiosk.settings
      settings.actions.append(shelf)
      settings.inventory?.scanAction = shelf.name
      story.at(100, .reconfigured(settings, reconnect: false, newReader: false))
      let asked = story.at(200, .inventory(.message(.scanned("B-17"))))
      #expect(orders(asked) == ["order look up B-17"])
      let found = story.at(210, .inventory(.message(.found(1, Self.item))))
      #expect(found.contains("announce touch shown Drill") == publishes)
      story.at(300, .inventory(.message(.scanned("B-18"))))
      let unknown = story.at(310, .inventory(.message(.failed(2, .unknown))))
      #expect(unknown.contains("announce touch refused unknown") == publishes)
    }
  }
}
