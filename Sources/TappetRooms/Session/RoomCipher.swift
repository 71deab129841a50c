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
  /// Returns what is needed before a message can be encrypted for these users, whose room has these limits.
  func need(of room: String, _ users: [String], _ rotation: Rotation) -> RoomNeed
  /// Returns the encrypted event for the content of a message, once nothing is needed; `nil` on failure.
  func encrypt(_ message: [UInt8], in room: String) -> [UInt8]?
  /// Returns the next request that no message needs, if one is due; the caller sends one request at a time.
  func nextCall() -> HTTPCall?
  /// Time at which a delayed request is due.
  var dueAt: Instant? { get }
  /// Handles the outcome of the last request; returns whether the response is valid.
  func called(_ outcome: HTTPOutcome) -> Bool
  /// Whether the cipher is unusable, so that a new process must start with the keys on disk.
  var isUnusable: Bool { get }
}

/// The next step before a message can be encrypted.
package enum RoomNeed {
  case request(HTTPCall)
  case ready
  /// Nothing can be encrypted.
  case unusable
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
