// MQTT 3.1.1 where MQTT 5 does not work: remembered for days, and forgotten with the broker.

import Testing

@testable import TappetCore

@Suite struct KioskFallbackTests {
  private let day = 24 * 3600 * 1000

  @Test func `a broker that refuses MQTT 5 is tried with 3.1.1 for a week`() {
    let story = KioskScript()
    story.start()
    let until = (story.wallOffset + 10) / 1000 + 7 * 24 * 3600
    #expect(
      story.at(10, .link(.didFallBack(.refused(.unsupportedProtocolVersion)))) == [
        "note fallback 0 until \(until)", "report fell back 0 for \(7 * day)",
      ])
    #expect(story.at(11, .link(.connected(sessionPresent: false))).contains("report link up 0 with 3.1.1"))
    #expect(story.kiosk.status.link == .connected(endpoint: 0, usesFallback: true))
    story.at(20, .link(.lost(.closedByBroker)))
    #expect(story.sleep(until: 1_500).contains("connect 0 with 3.1.1"))
    story.at(1_600, .link(.connected(sessionPresent: false)))
    story.at(7 * day + 20, .link(.lost(.closedByBroker)))
    #expect(story.sleep(until: 7 * day + 2_000).contains("connect 0"))
    #expect(story.at(7 * day + 2_000, .link(.connected(sessionPresent: false))).contains("report link up 0"))
  }

  @Test func `a broker that only closed the connection is tried with MQTT 5 again after a day`() {
    let story = KioskScript()
    story.start()
    let gone = LinkFailure.closedBeforeConnack(usesTLS: true, clientCertificateGiven: true)
    #expect(story.at(10, .link(.didFallBack(gone))).contains("report fell back 0 for \(day)"))
  }

  @Test func `a remembered fallback makes the kiosk start with 3.1.1, and a change of broker clears it`() {
    let story = KioskScript(fallbacks: [0: 2_000_000_000])
    #expect(story.at(0, .started(OutboxSummary())).contains("connect 0 with 3.1.1"))
    story.at(10, .link(.connected(sessionPresent: false)))
    let effects = story.at(20, .reconfigured(story.kiosk.settings, reconnect: true))
    #expect(effects.contains("forget fallbacks") && effects.contains("disconnect"))
    #expect(story.at(30, .link(.disconnected)).contains("connect 0"))
  }

  @Test func `after a lost connection a broker that supports MQTT 5 is tried with it again, even after a restart`() {
    let story = KioskScript()
    story.start()
    #expect(story.at(10, .link(.foundMQTT5)) == ["note fallback 0 until 0"])
    #expect(story.at(11, .link(.connected(sessionPresent: false))).contains("report link up 0"))
    let cut = LinkFailure.closedBeforeConnack(usesTLS: true, clientCertificateGiven: true)
    let later = KioskScript(fallbacks: [0: 0], hasReader: false)
    #expect(later.at(0, .started(OutboxSummary())).contains("connect 0 with 5"))
    for attempt in 1...5 {
      later.at(attempt * 20_000 + 1, .link(.failed(cut)))
      let effects = later.sleep(until: (attempt + 1) * 20_000)
      #expect(effects.contains(attempt < 5 ? "connect 0 with 5" : "connect 0"), "\(attempt): \(effects)")
    }
    #expect(!later.at(130_000, .link(.foundMQTT5)).contains("note fallback 0 until 0"))
    later.at(130_001, .link(.connected(sessionPresent: false)))
    later.at(130_002, .link(.lost(.closedByBroker)))
    #expect(later.sleep(until: 200_000).contains("connect 0 with 5"))
  }

  @Test func `an unknown MQTT 5 property causes a reconnect with 3.1.1`() {
    let story = KioskScript()
    story.startAll()
    #expect(story.at(100, .link(.didFallBack(.propertyUnknown))).contains("report fell back 0 for \(day)"))
    story.at(100, .link(.lost(.propertyUnknown)))
    #expect(story.sleep(until: 3_000).contains("connect 0 with 3.1.1"))
  }

  @Test func `a message without subscribers is delivered and reported`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(110, .link(.acknowledgedUnheard(entry.id))) == [
        "light delivered-by-tag", "report delivered light unheard", "forget",
      ])
    #expect(story.kiosk.counters.delivered == 1)
  }
}
