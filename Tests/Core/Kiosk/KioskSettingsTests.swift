// A running kiosk whose configuration changes: accepted entries are sent, and the new settings apply from then on.

import Testing

@testable import TappetCore

extension KioskScript {
  /// Returns the current settings with a change.
  func settings(_ change: (inout KioskSettings) -> Void) -> KioskSettings {
    var settings = kiosk.settings
    change(&settings)
    return settings
  }
}

@Suite struct KioskSettingsTests {
  @Test func `a new action works immediately, and a removed one is refused by name`() {
    let story = KioskScript([.light])
    story.startAll()
    #expect(story.tap(at: 100, .of(.garageSecret)) == ["light refused", "report refused stray 2 of garage, gone"])
    #expect(story.at(200, .reconfigured(story.settings { $0.actions = [.garage] }, reconnect: false)) == [])
    #expect(story.tap(at: 300, .of(.garageSecret, uid: 2)) == ["store garage", "note garage-1"])
    #expect(
      story.tap(at: 400, .of(.lightSecret, uid: 3)) == ["light refused", "report refused stray 1 of light, gone"])
  }

  @Test func `an entry of a removed action is still sent, with its old message`() throws {
    let story = KioskScript()
    story.startOffline()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    story.at(200, .reconfigured(story.settings { $0.actions = [] }, reconnect: false))
    _ = story.sleep(until: 1_200)
    story.at(1_300, .link(.connected(sessionPresent: false)))
    #expect(story.at(1_310, .brokerOutbox(.fetched([entry], reachedEnd: true))) == ["publish light"])
    #expect(story.published.first?.message.text == "toggle")
  }

  @Test func `an entry that waits for its commit is accepted even if its action is removed`() {
    let story = KioskScript()
    story.startAll()
    story.tap(at: 100, .of(.lightSecret))
    let ordered = story.lastEffects
    story.at(101, .reconfigured(story.settings { $0.actions = [] }, reconnect: false))
    guard let entry = ordered.compactMap({ $0.storedEntry }).first else { Issue.record("nothing stored"); return }
    #expect(
      story.at(105, .brokerOutbox(.stored(entry.id, sequence: 1))) == [
        "publish light", "light accepted", "report accepted light",
      ])
  }

  @Test func `the kiosk connects to a new broker immediately, and resends entries in flight`() throws {
    let story = KioskScript(endpoints: 2)
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(200, .reconfigured(story.settings { $0.endpointCount = 1 }, reconnect: true)) == [
        "light starting", "disconnect",
      ])
    // Nothing is sent on a connection that was given up; its PUBACKs count.
    story.tap(at: 210, .of(.lightSecret, uid: 2))
    #expect(story.commit(at: 215).words.first == "light queued")
    #expect(story.at(300, .link(.disconnected)) == ["connect 0", "report link closed"])
    story.at(310, .link(.connected(sessionPresent: false)))
    #expect(story.at(320, .brokerOutbox(.fetched([entry], reachedEnd: true))) == ["publish light"])
  }

  @Test func `a new broker is tried immediately, without waiting for the next attempt`() {
    let story = KioskScript(endpoints: 3)
    story.startOffline()
    #expect(
      story.at(20, .reconfigured(story.settings { $0.endpointCount = 2 }, reconnect: false)) == ["connect 0"])
    // The attempt under way with the old settings is aborted.
    #expect(story.at(30, .reconfigured(story.settings { _ in }, reconnect: true)) == ["disconnect"])
    #expect(story.at(40, .reconfigured(story.settings { _ in }, reconnect: true)) == [])
    #expect(story.at(50, .link(.failed(.connectionRefused))) == ["connect 0"])
  }

  @Test func `a stop during a reconnect completes when the connection ends`() {
    let story = KioskScript()
    story.startAll()
    story.at(100, .reconfigured(story.settings { _ in }, reconnect: true))
    story.at(110, .stopRequested)
    story.at(120, .readerEnded(.exited(0)))
    #expect(story.at(130, .link(.disconnected)).contains("finish"))
  }

  @Test func `new settings are ignored during a stop`() {
    let story = KioskScript()
    story.startAll()
    story.accept(at: 50, .of(.lightSecret))
    story.at(100, .stopRequested)
    #expect(story.at(110, .reconfigured(story.settings { $0.actions = [] }, reconnect: true)) == [])
    #expect(story.kiosk.settings.actions.count == 3)
  }

  @Test func `tokens are sent as soon as the clock is trusted`() {
    let story = KioskScript()
    story.startAll(clockIsGood: false)
    #expect(
      story.at(100, .reconfigured(story.settings { $0.trustsClock = true }, reconnect: false)) == [
        "fetch after 0", "light ready", "report clock good",
      ])
    #expect(
      story.at(200, .reconfigured(story.settings { $0.trustsClock = false }, reconnect: false)).contains(
        "report clock unknown"))
  }

  @Test func `lower limits refuse new entries, but keep existing ones`() {
    let story = KioskScript()
    story.startOffline()
    story.accept(at: 100, .of(.lightSecret, uid: 1))
    story.accept(at: 200, .of(.lightSecret, uid: 2))
    story.at(250, .reconfigured(story.settings { $0.outboxCountMax = 1 }, reconnect: false))
    #expect(story.kiosk.outboxCount == 2)
    #expect(story.tap(at: 300, .of(.lightSecret, uid: 3)) == ["light refused", "report refused full light 2 12"])
  }

  @Test func `a new panel's buttons work once their lines are open, and old faults are cleared`() {
    let story = KioskScript(panel: .pressing("garage", "light"))
    story.startAll()
    story.openButtons()
    story.at(20, .panel(.failed(.indicator(7), .ledUnusable(code: 2))))
    #expect(story.kiosk.baseLight == .fault)
    story.at(30, .reconfigured(story.settings { $0.panel = .pressing("scene") }, reconnect: false))
    #expect(story.kiosk.baseLight == .ready)
    #expect(story.edge(0, true, at: 40) == [])
    story.edge(0, false, at: 50)
    story.openButtons()
    #expect(story.edge(0, true, at: 100) == ["store scene"])
  }

  @Test func `an unchanged panel keeps working while other settings change`() {
    let story = KioskScript(panel: .pressing("light"))
    story.startAll()
    story.openButtons()
    story.at(30, .reconfigured(story.settings { $0.outboxCountMax = 7 }, reconnect: false))
    #expect(story.edge(0, true, at: 40) == ["store light"])
  }

  @Test func `reopened lines leave no faults behind`() {
    let story = KioskScript(panel: .pressing("light"))
    story.startAll()
    story.at(20, .panel(.failed(.indicator(7), .ledUnusable(code: 2))))
    #expect(story.at(30, .panel(.closed)) == ["light ready"])
    #expect(story.edge(0, true, at: 40) == [])
  }

  @Test func `a new lock is locked, and an unchanged one stays open`() {
    var plan = PanelPlan.pressing("light")
    let story = KioskScript(panel: plan)
    story.startAll()
    story.openButtons()
    plan.lockAfter = .seconds(60)
    #expect(
      story.at(30, .reconfigured(story.settings { $0.panel = plan }, reconnect: false)) == [
        "light locked", "report panel locked",
      ])
    plan.lockAfter = nil
    #expect(
      story.at(40, .reconfigured(story.settings { $0.panel = plan }, reconnect: false)) == ["light ready"])
  }

  @Test func `a question ends when the configuration changes`() {
    let asking = Action(
      name: "light", title: "Light", index: 1, topic: "home/light", message: PayloadTemplate("toggle"),
      confirmWithin: .seconds(5))
    let story = KioskScript([asking], panel: .pressing("light"))
    story.startAll()
    story.openButtons()
    story.edge(0, true, at: 100)
    #expect(story.kiosk.baseLight == .confirming)
    #expect(
      story.at(200, .reconfigured(story.settings { $0.actions = [.light] }, reconnect: false)) == [
        "light refused", "light ready", "report not confirmed light closed",
      ])
  }

  @Test func `a new device ends the old reader without counting a loss, and starts another reader`() {
    let story = KioskScript()
    story.startAll()
    #expect(
      story.at(200, .reconfigured(story.settings { _ in }, reconnect: false, newReader: true)) == [
        "stop reader", "light starting",
      ])
    #expect(story.at(300, .readerEnded(.exited(0))) == [])
    #expect(story.sleep(until: 2_000) == ["start reader"])
    #expect(!story.at(2_100, .reader(.ready(device: "other"))).contains { $0.contains("lost") })
    // A reader that does not end is killed.
    #expect(
      story.at(3_000, .reconfigured(story.settings { _ in }, reconnect: false, newReader: true)) == [
        "stop reader", "light starting",
      ])
    #expect(story.sleep(until: 4_000) == ["kill reader"])
  }

  @Test func `a reader that is removed from the configuration ends without a loss, and can return`() {
    let story = KioskScript()
    story.startAll()
    #expect(
      story.at(200, .reconfigured(story.settings { $0.hasReader = false }, reconnect: false)) == ["stop reader"])
    #expect(story.kiosk.status.reader == .absent && story.kiosk.baseLight == .ready)
    #expect(story.at(300, .readerEnded(.exited(0))) == [])
    #expect(!story.sleep(until: 20_000).contains("start reader"))
    let back = story.at(20_000, .reconfigured(story.settings { $0.hasReader = true }, reconnect: false))
    #expect(back.contains("start reader") && back.contains("light starting"))
  }

  @Test func `without a reader the kiosk is ready, and starts no reader`() {
    let story = KioskScript(hasReader: false)
    story.startAll()
    #expect(story.kiosk.status.reader == .absent && story.kiosk.baseLight == .ready)
    #expect(!story.sleep(until: 20_000).contains { $0.contains("reader") })
  }
}
