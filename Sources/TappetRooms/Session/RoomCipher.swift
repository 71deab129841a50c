// The encryption that tappet-matrix adds to the listener. It is a protocol, so that this module does not depend on
// libolm, which tappet-webhook does not load.

import TappetCore

/// The encryption of the rooms that a session has joined; confined to the listener's thread.
package protocol RoomCipher: AnyObject {
  /// Loads the device's keys before the process gives up access to the disk; returns an errno on failure.
  func open(user: String, device: String, _ encryption: RoomEncryption, state: String) -> Int32?
  /// Whether the room with this id is known to be encrypted.
  func isEncrypted(_ room: String) -> Bool
  /// Records permanently that the room is encrypted.
  func recordEncrypted(_ room: String)
  /// Sets the users who may send commands.
  func favor(_ users: Set<String>)
  /// Handles a possible change to the members of an encrypted room in which the kiosk listens.
  func membersChanged(in room: String)
  /// Whether the homeserver has to list the members of the room before the next request for changes.
  func needsMembers(of room: String) -> Bool
  func setMembers(_ users: [String], of room: String)
  /// Handles changes to keys and devices; returns false if they were not committed and must be requested again.
  func learn(_ news: SyncNews) -> Bool
  /// Handles an `m.room.encrypted` event, as JSON.
  func hear(_ event: [UInt8], in room: String)
  /// Returns the lines that can be decrypted now.
  func takeLines() -> [RoomLine]
  /// Whether an event could not be decrypted yet.
  var hasWaitingEvents: Bool { get }
  /// Returns the events of those who may send commands that could not be decrypted.
  func takeUnreadable() -> [UnreadableLine]
  /// Records that the kiosk has recorded all lines that were taken: none of them may come again.
  func recorded()
  /// Queues an entry's message, whose outcome is reported; or the final answer to an event, which `settled` reports.
  func post(_ id: EntryID, in room: String, _ body: [UInt8], settling event: String?)
  /// Returns the next request, if one is due; the caller sends one request at a time.
  func nextCall() -> HTTPCall?
  /// Time at which a delayed request is due.
  var dueAt: Instant? { get }
  /// Handles the outcome of the last request.
  func called(_ outcome: HTTPOutcome)
  /// Returns the messages for the kiosk.
  func takeMessages() -> [RoomMessage]
  /// Whether the cipher is unusable, so that a new process must start with the keys on disk.
  var isUnusable: Bool { get }
}

/// Changes to keys and devices in a response to /sync.
package struct SyncNews {
  /// Whether changes before this response may have been missed.
  package var isFirst = false
  /// The events addressed to this device, as JSON.
  package var toDevice: [[UInt8]] = []
  /// The users whose devices have changed.
  package var changed: [String] = []
  /// The users who no longer share a room with the kiosk.
  package var left: [String] = []
  /// Number of one-time keys left on the homeserver; `nil` if not reported.
  package var keyCount: Int64?
  /// Whether the fallback key is unused; `nil` if not reported.
  package var hasFallback: Bool?
}
