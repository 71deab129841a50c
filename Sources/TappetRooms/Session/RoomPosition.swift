// The position in the homeserver's events: what was read, and what the kiosk may record. Pure decision logic.

import TappetCore

struct RoomPosition {
  /// Position from which the next request continues; `nil` means the present.
  private(set) var next: String?
  /// Position before the first event that could not be decrypted yet: a successor has to read it again.
  private var firstUnread: String?
  /// Whether /sync has been answered with the state of all rooms.
  var isSynchronized = false
  /// Whether lines were passed on since the last batch, or none is recorded.
  var hasPassed = false
  /// Position of the last batch, as recorded; `nil` if it is before a line that may be read again.
  private(set) var settling: String?

  /// Creates the position in the present.
  init() {}

  /// Creates the recorded position, unless another device has recorded it.
  init(_ recorded: String, device: String) {
    guard recorded.begins(with: device + " ") else { return }
    next = String(Substring(recorded.utf8.dropFirst(device.utf8.count + 1)))
  }

  /// Whether the next response to /sync is the first one, or the first with all rooms.
  var isFirst: Bool { next == nil || !isSynchronized }

  mutating func startFromPresent() { (next, firstUnread) = (nil, nil) }

  /// Records that everything before this position was read.
  mutating func advance(to position: String) {
    firstUnread = firstUnread ?? next
    // Not earlier: the position of the predecessor, whose lines come again, is not the one after them.
    if isFirst { hasPassed = true }
    (next, isSynchronized) = (position, true)
  }

  /// Returns the position that the kiosk has to record; `nil` if no lines were passed on since the last one.
  ///
  /// `isComplete` means that no event is waiting for its key.
  mutating func endBatch(_ device: String, isComplete: Bool) -> String? {
    if isComplete { firstUnread = nil }
    guard hasPassed, let position = firstUnread ?? next else { return nil }
    hasPassed = false
    let recorded = device + " " + position
    settling = firstUnread == nil ? recorded : nil
    return recorded
  }
}
