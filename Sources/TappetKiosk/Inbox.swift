// Events that wait to be handled: posts of other threads, and the events that follow from handling one.

import TappetCore
import TappetPlatform

/// The runtime's events, handled one after the other and never one inside another.
///
/// Other threads post into the mailbox; everything else belongs to the reactor's thread.
final class Inbox {
  /// Where other threads post.
  let mailbox: Mailbox<Runtime.Notice>
  private var watch: Watch?
  private var events: [Event] = []
  private var nextIndex = 0
  private(set) var isHandling = false
  /// Whether the kiosk has come to rest.
  var isFinished = false

  init(_ mailbox: Mailbox<Runtime.Notice>) { self.mailbox = mailbox }

  /// Calls `onNotices` with what other threads post.
  func open(_ reactor: Reactor, _ onNotices: @escaping ([Runtime.Notice]) -> Void) throws(SystemError) {
    watch = try reactor.watch(
      mailbox.fileDescriptor, for: .readable, calling(self) { inbox, _ in onNotices(inbox.mailbox.drain()) })
  }

  func append(_ event: Event) { events.append(event) }

  /// Whether the caller is to handle what waits: not while it is being handled.
  func beginHandling() -> Bool {
    guard !isHandling else { return false }
    isHandling = true
    return true
  }

  /// The next event; `nil` when nothing waits.
  func next() -> Event? {
    guard nextIndex < events.count else { return nil }
    defer { nextIndex += 1 }
    return events[nextIndex]
  }

  /// Everything was handled.
  func endHandling() {
    events.removeAll(keepingCapacity: true)
    nextIndex = 0
    isHandling = false
  }
}
