// Events that wait for the kiosk, in the order in which they arrived.

import TappetCore
import TappetPlatform
import Testing

@testable import TappetKiosk

@Suite struct InboxTests {
  private func id(_ number: UInt64) -> EntryID { EntryID(high: 1, low: number) }

  @Test func `consecutive acknowledgements become one event, in order`() throws {
    let inbox = Inbox(try Mailbox())
    inbox.append(.link(.acknowledged(id(1))))
    #expect(inbox.beginHandling())
    #expect(inbox.next().map { $0.acknowledgements.map { $0.id } } == [id(1)])
    // The first one is being handled.
    for event in [LinkEvent.acknowledged(id(2)), .acknowledgedUnheard(id(3)), .acknowledged(id(4))] {
      inbox.append(.link(event))
    }
    inbox.append(.timerFired)
    inbox.append(.link(.acknowledged(id(5))))
    let together = try #require(inbox.next()).acknowledgements
    #expect(together.map { $0.id } == [id(2), id(3), id(4)] && together.map { $0.isHeard } == [true, false, true])
    #expect(inbox.next()?.acknowledgements.isEmpty == true)
    #expect(inbox.next().map { $0.acknowledgements.map { $0.id } } == [id(5)])
    guard inbox.next() == nil else { return #expect(Bool(false), "one event too many") }
  }
}
