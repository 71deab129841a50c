// The encryption that tappet-matrix adds to the listener. A protocol, because the arrow points the other way: this
// module must not know libolm, which tappet-webhook does not load.

import TappetCore

/// The encryption of the rooms in which a session takes part; used in the listener's thread.
package protocol RoomCipher: AnyObject {
  /// Opens the device's keys, before the process gives up the disk; returns an errno when they cannot be had.
  func open(user: String, device: String, _ encryption: RoomEncryption, state: String) -> Int32?
  /// Whether the room is known to be encrypted; rooms are ids.
  func isEncrypted(_ room: String) -> Bool
  /// Remembers for good that it is.
  func noteEncrypted(_ room: String)
  /// Takes news about keys and devices; false when they could not be committed, and are wanted again.
  func learn(_ news: SyncNews) -> Bool
  /// Takes an `m.room.encrypted` event, as JSON.
  func hear(_ event: [UInt8], in room: String)
  /// The lines that can be read now.
  func takeLines() -> [RoomLine]
  /// Takes a message; its outcome is wanted if `isAnswered`.
  func post(_ id: EntryID, in room: String, _ body: [UInt8], isAnswered: Bool)
  /// The next request; `nil` when none is due. One at a time.
  func nextCall() -> HTTPClient.Call?
  /// When a request is due that is not due now.
  var dueAt: Instant? { get }
  /// Handles the outcome of the last request.
  func called(_ outcome: HTTPClient.Outcome)
  /// The messages for the kiosk.
  func takeMessages() -> [RoomMessage]
  /// Whether it is of no use any more, and another process is to begin with the keys on the disk.
  var isUnusable: Bool { get }
}

/// The news about keys and devices in an answer to /sync.
package struct SyncNews {
  /// Whether nothing is known of the time before.
  package var isFirst = false
  /// The events to this device, as JSON.
  package var toDevice: [[UInt8]] = []
  /// The users whose devices have changed.
  package var changed: [String] = []
  /// The users who share no room with the kiosk any more.
  package var left: [String] = []
  /// The one-time keys that are left; `nil` when it does not say.
  package var keyCount: Int64?
  /// Whether the fallback key is unused; `nil` when it does not say.
  package var hasFallback: Bool?
}
