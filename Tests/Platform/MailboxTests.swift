import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@Suite struct MailboxTests {
  private func isReadable(_ fd: Int32) -> Bool {
    var entry = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  @Test func `a full mailbox refuses new values and keeps the old ones`() throws {
    let mailbox = try Mailbox<Int>(capacity: 2)
    #expect([1, 2, 3].map { mailbox.post($0) } == [true, true, false])
    #expect(mailbox.drain() == [1, 2])
    #expect(mailbox.post(4))
    #expect(mailbox.drain() == [4])
  }

  @Test func `the mailbox's descriptor is readable exactly while values are pending`() throws {
    let mailbox = try Mailbox<String>(capacity: 8)
    #expect(!isReadable(mailbox.fileDescriptor))
    mailbox.post("a")
    mailbox.post("b")
    #expect(isReadable(mailbox.fileDescriptor))
    #expect(mailbox.drain() == ["a", "b"])
    #expect(!isReadable(mailbox.fileDescriptor))
    #expect(mailbox.drain().isEmpty)
  }

  @Test func `values from four threads are neither lost nor duplicated nor reordered`() throws {
    let mailbox = try Mailbox<Int>(capacity: 100)
    let perThread = 5000
    for thread in 0..<4 {
      Thread.detachNewThread {
        for index in 0..<perThread { while !mailbox.post(thread * perThread + index) { usleep(50) } }
      }
    }
    var received: [[Int]] = [[], [], [], []]
    while received.map(\.count).reduce(0, +) < 4 * perThread {
      var entry = pollfd(fd: mailbox.fileDescriptor, events: Int16(POLLIN), revents: 0)
      // A lost ring shows as a wait that ends without a value.
      try #require(poll(&entry, 1, Int32(patience * 1000)) == 1)
      for value in mailbox.drain() { received[value / perThread].append(value) }
    }
    for thread in 0..<4 { #expect(received[thread] == Array(thread * perThread..<(thread + 1) * perThread)) }
  }
}
