// Devices of users, as described by their homeservers. Client-server API v1.11, §11.12.1: a device signs its own keys;
// its owner's self-signing key, signed by the owner's master key, signs the device.

import TappetCore
import TappetJSON

/// A device with a valid signature of its own keys.
package struct Device: Hashable, Sendable {
  package let user: String
  package let id: String
  /// The key that identifies the device in Olm sessions.
  package let curve25519: String
  /// The key with which the device signs.
  package let ed25519: String
  /// Whether the device's owner has signed it.
  package let isSigned: Bool

  /// Reads a device's description; `nil` if it is for a different device, or not signed by the device itself.
  @export(interface)
  package init?(_ keys: JSON, user: String, id: String, _ owner: Owner?) {
    guard keys["user_id"]?.text == user, keys["device_id"]?.text == id,
      let curve25519 = keys["keys"]?["curve25519:" + id]?.text, let ed25519 = keys["keys"]?["ed25519:" + id]?.text,
      keys.isSigned(by: user, id, key: ed25519)
    else { return nil }
    self.user = user
    self.id = id
    self.curve25519 = curve25519
    self.ed25519 = ed25519
    isSigned = owner.map { keys.isSigned(by: user, $0.selfSigningKey, key: $0.selfSigningKey) } ?? false
  }

  /// Whether the policy allows the device to read and write.
  package func isAllowed(by policy: RoomEncryption.Devices) -> Bool { policy == .all || isSigned }

  /// Name of the device in the store and in lists.
  var name: String { user + " " + id }
}

/// A user's keys for signing devices.
package struct Owner: Hashable, Sendable {
  package let masterKey: String
  package let selfSigningKey: String

  /// Reads the keys; `nil` unless the master key has signed the self-signing key.
  @export(interface)
  package init?(user: String, master: JSON?, selfSigning: JSON?) {
    guard let master, let selfSigning, let masterKey = Owner.key(in: master, of: user, for: "master"),
      let selfSigningKey = Owner.key(in: selfSigning, of: user, for: "self_signing"),
      selfSigning.isSigned(by: user, masterKey, key: masterKey)
    else { return nil }
    self.masterKey = masterKey
    self.selfSigningKey = selfSigningKey
  }

  private static func key(in object: JSON, of user: String, for usage: String) -> String? {
    guard object["user_id"]?.text == user, object["usage"]?.elements?.contains(.string(usage)) == true,
      let member = object["keys"]?.members.first, let key = member.value.text, member.name == "ed25519:" + key
    else { return nil }
    return key
  }
}
