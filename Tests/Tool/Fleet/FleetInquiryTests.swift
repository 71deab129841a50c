// Whom 'fleet run' asks, whose answers count, and what it says about those who are silent.

import TappetCore
import TappetPlatform
import Testing

@testable import TappetBroker
@testable import TappetBrokerTool

@Suite struct FleetInquiryTests {
  private let start = Instant(nanoseconds: 0)

  private func message(_ topic: String, _ payload: String, isRetained: Bool = false) -> LinkMessage {
    LinkMessage(
      topic: topic, payload: Array(payload.utf8), size: payload.utf8.count, qos: 1, isRetained: isRetained)
  }

  private func answer(_ nonce: String, good: Bool = true) -> String {
    """
    {"nonce":"\(nonce)","version":"0.1.0","time":"2026-11-23T02:13:20.000Z","mood":0.5,
     "findings":[{"part":"reader","good":\(good),"code":"x","text":"it is\\u001b[2J missing"}]}
    """
  }

  private func inquiry(
    _ online: [String], topic: String = "tappet/+/command", kiosks: [String] = []
  ) -> FleetInquiry {
    var inquiry = FleetInquiry(topic: topic, kiosks: kiosks, patience: .seconds(10))
    for name in online { inquiry.take(message("tappet/\(name)/status", "online", isRetained: true), at: start) }
    return inquiry
  }

  /// Asks until nobody may be asked now; the topics.
  private func ask(_ inquiry: inout FleetInquiry, at now: Instant) -> [String] {
    var topics: [String] = []
    while let question = inquiry.next(at: now, nonce: { "nonce-\(topics.count)" }) { topics.append(question.topic) }
    return topics
  }

  private func results(_ inquiry: FleetInquiry) -> [String] {
    inquiry.subjects.map { $0.clientID + " " + $0.result }
  }

  @Test func `each kiosk is queried at its own topic, and only its own response to this query counts`() {
    var inquiry = inquiry(["a", "b", "c"])
    #expect(inquiry.begin(at: start, nonce: { "never" }) == nil)
    #expect(ask(&inquiry, at: start) == ["tappet/a/command", "tappet/b/command", "tappet/c/command"])
    inquiry.take(message("tappet/a/check", answer("nonce-1")), at: start)
    inquiry.take(message("tappet/b/check", answer("nonce-1", good: false)), at: start)
    inquiry.take(message("tappet/c/check", answer("nonce-2"), isRetained: true), at: start)
    inquiry.take(message("tappet/d/check", answer("nonce-2")), at: start)
    #expect(results(inquiry) == ["a silent", "b bad", "c silent"] && !inquiry.isDone)
    inquiry.take(message("tappet/c/check", answer("nonce-2")), at: start)
    #expect(inquiry.expire(at: start + .seconds(9)) == start + .seconds(10))
    #expect(inquiry.expire(at: start + .seconds(10)) == nil && inquiry.isDone)
    let report = FleetReport(inquiry.subjects)
    #expect(
      report.lines() == [
        #"b  FAIL  reader: it is\u{1b}[2J missing"#, "a  -     no response", "c  ok    1 part is good",
      ])
    #expect(!report.isGood)
  }

  @Test func `with ten thousand kiosks, at most a hundred responses are pending at a time`() {
    var inquiry = inquiry((0..<10_000).map { "k\($0)" })
    _ = inquiry.begin(at: start, nonce: { "" })
    #expect(ask(&inquiry, at: start).count == Limits.fleetQuestionsMax)
    #expect(ask(&inquiry, at: start).isEmpty)
    inquiry.take(message("tappet/k0/check", answer("nonce-0")), at: start)
    #expect(ask(&inquiry, at: start) == ["tappet/k100/command"])
    _ = inquiry.expire(at: start + .seconds(10))
    #expect(ask(&inquiry, at: start + .seconds(10)).count == Limits.fleetQuestionsMax)
  }

  @Test func `one topic queries all kiosks once, and waits for the kiosks that are named`() {
    var inquiry = inquiry(["a", "b", "c"], topic: "site/command", kiosks: ["b", "gone"])
    let question = inquiry.begin(at: start, nonce: { "nonce" })
    #expect(question?.topic == "site/command" && question?.clientID == nil)
    #expect(ask(&inquiry, at: start).isEmpty)
    inquiry.take(message("tappet/a/check", answer("nonce")), at: start)
    inquiry.take(message("tappet/b/check", answer("nonce")), at: start)
    #expect(results(inquiry) == ["b good", "gone offline"] && inquiry.isDone)
  }

  @Test func `garbage, a refusal by the broker and odd names are reported, and do not affect other kiosks`() {
    var inquiry = inquiry(["a", "b", "x\u{1B}[2J", "c"])
    _ = inquiry.begin(at: start, nonce: { "" })
    #expect(ask(&inquiry, at: start).count == 3)
    inquiry.take(message("tappet/a/check", "nonce-0" + String(repeating: "[", count: 1 << 20)), at: start)
    inquiry.take(message("tappet/c/check", "\u{0}"), at: start)
    inquiry.refused("b", code: 135)
    #expect(results(inquiry) == ["a unreadable", "b refused", "x\u{1B}[2J unnameable", "c silent"])
    #expect(FleetReport(inquiry.subjects).lines().allSatisfy { !$0.contains("\u{1B}") })
  }
}
