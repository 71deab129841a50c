// Pending events: notices posted by other threads, and events that result from handling other events.

import TappetCore
import TappetPlatform

/// The runtime's events, handled one after another and never nested.
///
/// Other threads post to the mailbox; everything else belongs to the reactor's thread.
final class Inbox {
  /// Mailbox for notices from other threads.
  let mailbox: Mailbox<Runtime.Notice>
  private var watch: Watch?
  private var events: [Event] = []
  private var nextIndex = 0
  private(set) var isHandling = false
  /// Whether the kiosk has finished its work after a stop.
  var isFinished = false

  init(_ mailbox: Mailbox<Runtime.Notice>) { self.mailbox = mailbox }

  /// Calls `onNotices` with the notices posted by other threads.
  func open(_ reactor: Reactor, _ onNotices: @escaping ([Runtime.Notice]) -> Void) throws(SystemError) {
    watch = try reactor.watch(
      mailbox.fileDescriptor, for: .readable, calling(self) { inbox, _ in onNotices(inbox.mailbox.drain()) })
  }

  /// Adds an event; combines acknowledgements that follow each other.
  func append(_ event: Event) {
    let added = event.acknowledgements
    let known = added.isEmpty || nextIndex == events.count ? [] : events[events.count - 1].acknowledgements
    if known.isEmpty { return events.append(event) }
    events[events.count - 1] = .delivered(known + added)
  }

  /// Returns whether the caller must handle the pending events; returns false if they are already being handled.
  func beginHandling() -> Bool {
    guard !isHandling else { return false }
    isHandling = true
    return true
  }

  /// Returns the next event; `nil` if none is pending.
  func next() -> Event? {
    guard nextIndex < events.count else { return nil }
    defer { nextIndex += 1 }
    return events[nextIndex]
  }

  /// Ends handling and discards the handled events.
  func endHandling() {
    events.removeAll(keepingCapacity: true)
    nextIndex = 0
    isHandling = false
  }
}
