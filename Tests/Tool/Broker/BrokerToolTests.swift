// The parts of the broker tool that need no broker.

import TappetCore
import Testing

@testable import TappetBrokerTool
@testable import TappetCommandLine

@Suite struct BrokerToolTests {
  @Test func `a probe connects under its own id with a will like the kiosk's, and leaves nothing behind`() {
    let kiosk = BrokerSettings(endpoints: [], clientID: "kiosk")
    let probe = kiosk.forProbe
    let will = BrokerWill(topic: "tappet/kiosk-check/status", payload: [], qos: 1, isRetained: true)
    #expect(probe.lastWill == will && probe.needsQoS1 && !probe.announcesStatus)
    #expect(kiosk.lastWill?.payload == Array("offline".utf8))
  }

  @Test func `a percentile is at most one thirty-second too high`() {
    var generator = Randomness(seed: (1, 2, 3, 4))
    for bound: Int64 in [10, 100, 5000, 3_000_000] {
      var histogram = LatencyHistogram()
      var values: [Int64] = []
      for _ in 0..<2000 {
        let value = Int64.random(in: 0...bound, using: &generator)
        values.append(value)
        histogram.add(value)
      }
      values.sort()
      for share: UInt64 in [500, 900, 990, 999, 1000] {
        let exact = values[Int((UInt64(values.count) * share + 999) / 1000) - 1]
        let found = histogram.percentile(thousandths: share)
        #expect(found >= exact && found <= exact + exact / 32 + 1, "\(bound) \(share): \(found), not \(exact)")
      }
      #expect(histogram.largest == values.last && histogram.smallest == values.first)
      #expect(histogram.doublings.reduce(0) { $0 + $1.count } == 2000)
    }
    var histogram = LatencyHistogram()
    histogram.add(.max)
    histogram.add(-1)
    #expect(histogram.percentile(thousandths: 1) == 0 && histogram.count == 2)
  }

  @Test func `reconnects follow after 1, 2, 4 … 64 s, and pause after a storm`() {
    var policy = ReconnectPolicy()
    var now = Instant(nanoseconds: 0)
    var pauses: [Int64] = []
    for _ in 0..<8 {
      pauses.append(policy.lost(at: now).pause.wholeMilliseconds / 1000)
      now = now + .seconds(120)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 64])
    policy.connected()
    #expect(policy.lost(at: now).pause == .seconds(1))
    var storms = 0
    for _ in 0..<11 {
      policy.connected()
      now = now + .seconds(1)
      if policy.lost(at: now).isStorm { storms += 1 }
    }
    #expect(storms == 1)
  }

  @Test(arguments: [
    ("on", "switched on", true), ("on", "off", false), ("", "anything", true),
    ("state.open=false", #"{"state":{"open":false}}"#, true), ("state.open=false", #"{"state":{"open":true}}"#, false),
    ("name=lamp", #"{"name":"lamp"}"#, true), ("t=21", #"{"t":21.7}"#, true), ("name=lamp", "not JSON", false),
    ("a.b=1", #"{"a":1}"#, false),
  ])
  func `a message is matched by a text, or by a member of its JSON object`(
    _ match: String, _ payload: String, _ fits: Bool
  ) {
    #expect(PayloadMatch(match).fits(Array(payload.utf8)) == fits)
  }

  @Test func `wildcards are whole levels, and '#' must be the last`() {
    for filter in ["#", "+", "a/+/b", "a/#", "+/+/#", "/", "$share/group/a/#"] {
      #expect(TopicFilter.mistake(in: filter) == nil, "\(filter)")
    }
    for filter in ["", "a#", "#/a", "a/b+", "+a/b", "a/#/b"] {
      #expect(TopicFilter.mistake(in: filter) != nil, "\(filter)")
    }
    let map = TopicMap("home/#=test/home/#")
    #expect(map?.applied(to: "home/a/b") == "test/home/a/b" && map?.applied(to: "homes/a") == "homes/a")
    for text in ["a=b", "a/#", "a/#=b", "/#=b/#", "a/#=b/#=c/#"] { #expect(TopicMap(text) == nil, "\(text)") }
  }

  @Test func `a recorded message round-trips, and anything else is refused`() {
    let line = Array(#"{"us":1500,"topic":"a/b","qos":2,"retain":true,"payload":"AP8="}"#.utf8)
    let entry = RecordedMessage(line)
    #expect(entry?.microseconds == 1500 && entry?.message.topic == "a/b" && entry?.message.qos == 2)
    #expect(entry?.message.isRetained == true && entry?.message.payload == [0, 255])
    for text in [
      "", "{}", #"{"us":-1,"topic":"a","qos":1,"payload":""}"#, #"{"us":1,"topic":"","qos":1,"payload":""}"#,
      #"{"us":1,"topic":"a","qos":3,"payload":""}"#, #"{"us":1,"topic":"a","qos":1,"payload":"*"}"#,
    ] { #expect(RecordedMessage(Array(text.utf8)) == nil, "\(text)") }
  }

  @Test func `a measurement's messages start with their number and their time`() throws {
    let plan = BenchPlan(try Arguments.parse(["--size", "20", "--rate", "3"], for: .mqttBench))
    let payload = plan.payload(0x0102, due: Instant(nanoseconds: 0x0A0B))
    #expect(
      payload.count == 20 && payload[..<16].elementsEqual([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0x0A, 0x0B]))
    #expect(BenchPlan.number(payload, at: 0) == 0x0102 && BenchPlan.number([1, 2], at: 0) == nil)
    #expect(plan.due(1) == .nanoseconds(333_333_333) && plan.due(3) == .seconds(1))
  }
}
