// The window of unacknowledged messages, by a script in seconds.

import TappetCore
import Testing

@testable import TappetBroker

private func second(_ number: Int64) -> Instant { Instant(nanoseconds: number * 1_000_000_000) }
private func id(_ number: UInt64) -> EntryID { EntryID(high: 0, low: number) }

extension BrokerLinkWindow {
  /// Of a broker that is never silent.
  fileprivate var deadline: Instant? { deadline(receivedAt: second(1000), answerMax: .seconds(5)) }
}

@Suite struct BrokerLinkWindowTests {
  @Test func `the response timeout runs only while a PUBACK is pending, from the last sign of life`() {
    var window = BrokerLinkWindow(size: 2)
    #expect(window.deadline(receivedAt: second(0), answerMax: .seconds(5)) == nil)
    window.took(1, id(1), at: second(10))
    #expect(window.deadline(receivedAt: second(3), answerMax: .seconds(5)) == second(15))
    #expect(window.deadline(receivedAt: second(12), answerMax: .seconds(5)) == second(17))
    #expect(window.deadline(receivedAt: second(29), answerMax: .seconds(5)) == second(30))
    #expect(window.deadline(receivedAt: second(3), answerMax: .seconds(60)) == second(70))
  }

  @Test func `the PUBACK timeout of a queued message starts when it is sent`() {
    var window = BrokerLinkWindow(size: 2)
    #expect(window.deadline == nil)
    for number in 1...4 { window.took(Int32(number), id(UInt64(number)), at: second(0)) }
    #expect(window.deadline == second(20))
    #expect(window.acknowledged(1, at: second(15)) == id(1))
    #expect(window.acknowledged(2, at: second(19)) == id(2))
    #expect(window.deadline == second(35))
    #expect(window.acknowledged(3, at: second(30)) == id(3))
    #expect(window.deadline == second(39))
  }

  @Test func `each PUBACK counts once, in any order, and unknown ones are ignored`() {
    var window = BrokerLinkWindow(size: 2)
    for number in 1...3 { window.took(Int32(number), number == 2 ? nil : id(UInt64(number)), at: second(0)) }
    #expect(window.acknowledged(7, at: second(1)) == nil)
    #expect(window.acknowledged(3, at: second(1)) == id(3))
    #expect(window.acknowledged(2, at: second(1)) == nil)
    #expect(window.acknowledged(1, at: second(1)) == id(1))
    #expect(window.acknowledged(1, at: second(1)) == nil && window.deadline == nil)
  }
}
