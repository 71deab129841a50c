// The kiosk's condition, as `tappet status` and the service manager get it.

import Testing

@testable import TappetCore

@Suite struct KioskStatusTests {
  @Test func `before its start a kiosk is starting and connecting, and reports nothing else`() {
    let status = KioskScript().kiosk.status
    #expect(status.reader == .starting && status.link == .connecting && status.store == nil && status.panel.isEmpty)
    #expect(status.clock.isGood == nil && status.isLocked == nil)
  }

  @Test func `a kiosk without faults is ready and connected`() {
    let story = KioskScript()
    story.startAll()
    let status = story.kiosk.status
    #expect(status.reader == .ready && status.link == .connected(endpoint: 0) && status.clock.isGood == true)
    #expect(status.light == .ready)
  }

  @Test func `a lost connection or reader is reported as lost until it returns, despite retries`() {
    let story = KioskScript()
    story.startAll()
    story.at(100, .link(.lost(.closedByBroker)))
    story.at(100, .reader(.lost(.silent, code: -1)))
    _ = story.sleep(until: 400)
    #expect(story.kiosk.status.link == .failed(endpoint: 0, .closedByBroker))
    #expect(story.kiosk.status.reader == .lost(.fault(.silent, code: -1)))
    #expect(story.kiosk.status.light == .readerLost)
  }

  @Test func `the disk's fault is shown until a write succeeds`() {
    let story = KioskScript()
    story.startAll()
    story.at(100, .store(.checkFailed(.full)))
    #expect(story.kiosk.status.store == .full)
    story.at(200, .store(.checked))
    #expect(story.kiosk.status.store == nil)
  }

  @Test func `the panel's problems list missing parts first, then faulty buttons`() {
    let story = KioskScript(
      panel: .init(
        buttons: [
          ButtonPlan(name: "a", gestures: GestureSettings()), ButtonPlan(name: "b", gestures: GestureSettings()),
        ], lockAfter: .seconds(9)))
    story.startAll()
    story.at(100, .panel(.opened(.input(1), isActive: true, debouncesItself: false)))
    story.at(100, .panel(.failed(.input(0), .line(.chipGone))))
    #expect(story.kiosk.status.panel == [.lost(.input(0), .line(.chipGone)), .stuck(button: 1)])
    #expect(story.kiosk.status.isLocked == true)
  }
}
