// The messages to Home Assistant, and their times, by a kiosk under a script.

import Testing

@testable import TappetCore

@Suite struct KioskHomeAssistantTests {
  private static func panel() -> PanelPlan {
    var panel = PanelPlan(buttons: [ButtonPlan(name: "b0", gestures: .with([.press: "light", .hold: "scene"]))])
    panel.outputs = [OutputPlan(name: "pump"), OutputPlan(name: "gate", pulse: .milliseconds(300))]
    return panel
  }

  private func story(seed: UInt64 = 1) -> KioskScript {
    let plan = HomeAssistantPlan(actions: ["light"], outputs: ["pump", "gate"])
    let command = CommandPlan(
      topic: "command", trust: .trusted, window: plan.window, actions: plan.actions, outputs: plan.outputs)
    let story = KioskScript(panel: Self.panel(), commands: [command], homeAssistant: plan, seed: seed)
    story.start()
    for index in 0...1 { story.at(1, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    story.openButtons()
    story.at(5, .reader(.ready(device: "chip")))
    return story
  }

  private func running(seed: UInt64 = 1) -> KioskScript {
    let story = story(seed: seed)
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(10, .brokerOutbox(.fetched([], reachedEnd: true)))
    return story
  }

  private func announced(_ words: [String]) -> [String] {
    words.filter { $0.hasPrefix("announce ") }.map { String($0.dropFirst(9)) }
  }

  /// The times of the discoveries until then, in milliseconds.
  private func discoveries(_ story: KioskScript, until end: Int) -> [Int] {
    var times: [Int] = []
    for time in stride(from: story.time + 50, through: end, by: 50) {
      let words = story.sleep(until: time) + story.at(time, .reader(.heartbeat))
      if announced(words).contains("discovery") { times.append(time) }
    }
    return times
  }

  @Test func `each connection starts with the discovery and the levels of all outputs`() {
    let story = story()
    let all = ["discovery", "output 0 off", "output 1 off"]
    #expect(announced(story.at(10, .link(.connected(sessionPresent: false)))) == all)
    #expect(discoveries(story, until: 20_000) == [])
    #expect(announced(story.at(20_000, .link(.lost(.closedByBroker)))) == [])
    _ = story.sleep(until: 30_000)
    #expect(announced(story.at(30_000, .link(.connected(sessionPresent: false)))) == all)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func `each kiosk answers a birth at a different time, within 5 s`(_ seed: UInt64) {
    let story = running(seed: seed)
    #expect(discoveries(story, until: 10_000) == [])
    story.at(10_000, .homeAssistant(isOnline: true))
    let times = discoveries(story, until: 30_000)
    #expect(times.count == 1 && times[0] <= 15_050)
    #expect(announced(story.at(30_000, .homeAssistant(isOnline: false))) == [])
    #expect(discoveries(story, until: 40_000) == [])
  }

  @Test func `Home Assistant counts as down only on the will's payload`() {
    let plan = HomeAssistantPlan()
    for birth in ["online", "Online", "ON", "1", "{}", "offline?", " offline"] {
      #expect(plan.isOnline(Array(birth.utf8)) == true, "\(birth)")
    }
    for will in ["offline", "OFFLINE", "Offline"] { #expect(plan.isOnline(Array(will.utf8)) == false, "\(will)") }
    #expect(plan.isOnline([]) == nil)
    #expect(plan.isOnline([0xFF, 0x00]) == true)
  }

  @Test func `births are answered after random delays`() {
    let delays = (1...20).map { (seed: UInt64) -> Int in
      let story = running(seed: seed)
      story.at(5_000, .homeAssistant(isOnline: true))
      return discoveries(story, until: 11_000).first ?? 0
    }
    #expect(Set(delays).count > 10)
  }

  @Test func `two discoveries are at least 2 s apart`() throws {
    let story = running()
    var times = [10]
    for step in 1...40 {
      var settings = story.kiosk.settings
      settings.homeAssistant?.name = "Name \(step)"
      let words = story.at(10 + step * 300, .reconfigured(settings, reconnect: false))
      if announced(words).contains("discovery") { times.append(story.time) }
      times += discoveries(story, until: 10 + step * 300 + 250)
    }
    times += discoveries(story, until: 20_000)
    #expect(times.count > 3)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 1_950 }, "\(times)")
    // The last change is in the last one.
    #expect(try #require(times.last) >= 12_010)
  }

  @Test func `a discovery ends when it is disabled, and starts again when it is enabled`() {
    let story = running()
    func reload(at time: Int, hasAnnounced: Bool, _ change: (inout KioskSettings) -> Void) -> [String] {
      var settings = story.kiosk.settings
      settings.hasAnnounced = hasAnnounced
      change(&settings)
      return announced(story.at(time, .reconfigured(settings, reconnect: false)))
    }
    let plan = story.kiosk.settings.homeAssistant
    story.at(4_000, .homeAssistant(isOnline: false))
    #expect(reload(at: 5_000, hasAnnounced: true) { $0.homeAssistant = nil } == ["discovery"])
    #expect(reload(at: 8_000, hasAnnounced: false) { $0.actions = [.light] } == [])
    #expect(story.kiosk.selfReport.homeAssistant.deadline == nil)
    #expect(reload(at: 10_000, hasAnnounced: false) { $0.publishesState = true }.contains("discovery"))
    #expect(reload(at: 13_000, hasAnnounced: true) { $0.publishesState = false } == ["discovery"])
    let again = reload(at: 16_000, hasAnnounced: false) { $0.homeAssistant = plan }
    #expect(again == ["discovery", "output 0 off", "output 1 off"])
    #expect(!story.kiosk.selfReport.homeAssistant.isAway)
  }

  @Test func `a reload with an unchanged description does not republish it`() {
    let story = running()
    var settings = story.kiosk.settings
    settings.outboxCountMax = 5
    #expect(announced(story.at(5_000, .reconfigured(settings, reconnect: false))) == [])
    #expect(discoveries(story, until: 9_000) == [])
  }

  @Test func `an accepted tap's scan is published after its own message, and then its delivery`() {
    let story = running()
    #expect(announced(story.tap(at: 3_000, .of(.lightSecret))) == [])
    let (words, entry) = story.commit(at: 3_010)
    #expect(announced(words) == ["tap scanned light"])
    #expect(words.firstIndex(of: "publish light") ?? 9 < words.firstIndex(of: "announce tap scanned light") ?? 0)
    guard let entry else { return }
    #expect(announced(story.at(3_050, .link(.acknowledged(entry.id)))) == ["tap delivered light"])
  }

  @Test func `a refused tag's scan is never published`() {
    let story = running()
    let foreign = TagReading.signed(index: 1, key: .repeating(0x99))
    #expect(announced(story.tap(at: 3_000, foreign)) == ["tap refused"])
  }

  @Test func `a gesture is published once, whatever its action`() {
    let story = running()
    var words = story.edge(0, true, at: 3_000)
    words += story.edge(0, false, at: 3_060) + story.sleep(until: 3_600)
    #expect(announced(words) == ["press 0"], "\(words)")
    words = story.edge(0, true, at: 4_000) + story.sleep(until: 6_000) + story.edge(0, false, at: 6_000)
    #expect(announced(words + story.sleep(until: 6_500)) == ["hold 0"], "\(words)")
  }

  @Test func `a chord is published once, and its presses are not`() {
    let panel = PanelPlan(
      buttons: [
        ButtonPlan(name: "b0", gestures: .with([.press: "scene"])), ButtonPlan(name: "b1", gestures: .with([:])),
      ], chords: [ChordPlan(first: 0, second: 1, action: "light")])
    let story = KioskScript(panel: panel, homeAssistant: HomeAssistantPlan())
    story.startAll()
    story.openButtons()
    var words = story.edge(0, true, at: 3_000) + story.edge(1, true, at: 3_010) + story.edge(0, false, at: 3_080)
    words += story.edge(1, false, at: 3_090) + story.sleep(until: 3_600)
    #expect(announced(words) == ["chord 0"], "\(words)")
  }

  @Test func `commands drive outputs and update their levels, and old or retained ones do nothing`() {
    let story = running()
    func command(_ request: OutputRequest, sent seconds: Int64, isRetained: Bool = false) -> Event {
      let target = CommandRequest(
        .target(.output(OutputOrder(output: "pump", request: request))),
        unixSeconds: story.moment(6_000).unixSeconds - seconds)
      return .commandArrived(
        CommandArrival(topic: "command", isRetained: isRetained, size: 50, content: .request(target)))
    }
    #expect(announced(story.at(6_000, command(.on, sent: 10))) == [])
    #expect(announced(story.at(6_000, command(.on, sent: 0, isRetained: true))) == [])
    #expect(announced(story.at(6_000, command(.on, sent: 0))) == ["output 0 on"])
    #expect(announced(story.at(6_100, command(.on, sent: 0))) == [])
    #expect(announced(story.at(6_200, command(.off, sent: 0))) == ["output 0 off"])
  }

  /// A kiosk whose action light waits for Home Assistant, and whose action scene does not.
  private func awaiting() -> KioskScript {
    let light = Action(
      name: "light", title: "Light", index: 1, topic: "home/light", message: PayloadTemplate("toggle"),
      expiresAfter: .seconds(60), cooldown: .zero, awaitsHomeAssistant: true)
    let story = KioskScript(
      [light, .scene], panel: PanelPlan.pressing("scene"), homeAssistant: HomeAssistantPlan(actions: ["light"]))
    story.startAll()
    story.openButtons()
    return story
  }

  @Test func `messages for Home Assistant wait while it is down, and others do not`() throws {
    let story = awaiting()
    story.at(3_000, .homeAssistant(isOnline: false))
    story.at(3_000, .brokerOutbox(.fetched([], reachedEnd: true)))
    story.tap(at: 4_000, .of(.lightSecret))
    let (words, entry) = story.commit(at: 4_010)
    let held = try #require(entry)
    #expect(words.contains("report queued light for Home Assistant") && story.published.isEmpty, "\(words)")
    story.press(0, at: 5_000)
    story.commit(at: 5_070)
    #expect(story.published.map(\.action) == ["scene"])
    let again = story.at(6_000, .homeAssistant(isOnline: true))
    #expect(again.contains("fetch after 0"), "\(again)")
    story.at(6_010, .brokerOutbox(.fetched([held], reachedEnd: true)))
    #expect(story.published.map(\.id) == [held.id])
    #expect(story.at(6_020, .link(.acknowledged(held.id))).contains("report delivered light"))
  }

  @Test func `a message that is held for Home Assistant expires like any other`() throws {
    let story = awaiting()
    story.at(3_000, .homeAssistant(isOnline: false))
    story.at(3_000, .brokerOutbox(.fetched([], reachedEnd: true)))
    let held = try #require(story.accept(at: 4_000, .of(.lightSecret)))
    #expect(story.sleep(until: 64_100).contains { $0.hasPrefix("expire") })
    let words = story.at(64_100, .brokerOutbox(.expired([held], earliest: nil)))
    #expect(words.contains("report expired light"), "\(words)")
    #expect(story.at(65_000, .homeAssistant(isOnline: true)).allSatisfy { !$0.hasPrefix("publish") })
  }

  @Test func `a held message is sent once Home Assistant is removed from the configuration`() throws {
    let story = awaiting()
    story.at(3_000, .homeAssistant(isOnline: false))
    story.at(3_000, .brokerOutbox(.fetched([], reachedEnd: true)))
    let held = try #require(story.accept(at: 4_000, .of(.lightSecret)))
    var settings = story.kiosk.settings
    settings.homeAssistant = nil
    let words = story.at(5_000, .reconfigured(settings, reconnect: false))
    #expect(words.contains("fetch after 0"), "\(words)")
    story.at(5_010, .brokerOutbox(.fetched([held], reachedEnd: true)))
    #expect(story.published.map(\.id) == [held.id])
  }

  @Test func `after a reconnect, everything is sent until Home Assistant's status is known`() throws {
    let story = awaiting()
    story.at(3_000, .homeAssistant(isOnline: false))
    story.at(3_000, .brokerOutbox(.fetched([], reachedEnd: true)))
    let held = try #require(story.accept(at: 4_000, .of(.lightSecret)))
    story.at(5_000, .link(.lost(.closedByBroker)))
    _ = story.sleep(until: 8_000)
    story.at(8_000, .link(.connected(sessionPresent: false)))
    story.at(8_010, .brokerOutbox(.fetched([held], reachedEnd: true)))
    #expect(story.published.map(\.id) == [held.id])
  }

  @Test func `a flood of taps does not become a flood of messages`() {
    let story = running()
    var count = 0
    for number in 0..<2_000 {
      count += announced(story.tap(at: 3_000 + number, .signed(index: 1, key: .repeating(0x99), uid: number))).count
    }
    #expect(count > 0 && count <= Limits.tapMessagesPerMinute + 40)
  }

  @Test func `without the configuration nothing is published`() {
    let story = KioskScript(panel: Self.panel())
    story.startAll()
    let words = story.tap(at: 3_000, .of(.lightSecret)) + story.commit(at: 3_010).words
    #expect(announced(words) == [] && announced(story.at(4_000, .homeAssistant(isOnline: true))) == [])
    #expect(story.kiosk.selfReport.homeAssistant.deadline == nil)
  }
}

@Suite struct DiscoveryNameTests {
  @Test(arguments: ["kiosk-lobby", "GPIO17", "a_b-C9"])
  func `safe names stay unchanged`(_ name: String) { #expect(DiscoveryName.mapped(name) == name) }

  @Test func `unsafe names are mapped to safe ones, and stay distinct`() {
    let names = ["a/b", "a+b", "a#b", "a b", "a_b", "🔔", "🚪", "ä", "ö", "", "{{x}}", "a.b"]
    let mapped = names.map { DiscoveryName.mapped($0) }
    #expect(Set(mapped).count == names.count)
    let safe = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    #expect(mapped.allSatisfy { $0.allSatisfy { safe.contains($0) } })
    // Ids of entities depend on it: it never changes.
    #expect(mapped[0] == "a_b-4f4f")
  }
}
