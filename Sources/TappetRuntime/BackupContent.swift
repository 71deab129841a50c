// What a backup holds: the actions' secrets and the other sealed values. Not the outbox, whose messages would be sent a second
// time, and not kiosk.yaml and the files it names, which are copied like any others.

import TappetCore
import TappetDevices

/// All that is sealed, opened.
///
/// Only in a process that ends soon: its texts are not wiped.
public struct BackupContent: Sendable {
  /// When it was made, seconds since 1970.
  public var madeUnixSeconds: Int64
  /// The actions' secrets.
  public var secrets: [TagSecret]
  /// The timestamp key, tags' passwords.
  public var values: [(name: String, value: [UInt8])]

  /// What is in a vault.
  public init(madeUnixSeconds: Int64, secrets: [TagSecret], values: [(name: String, value: [UInt8])]) {
    self.madeUnixSeconds = madeUnixSeconds
    self.secrets = secrets
    self.values = values
  }

  /// As JSON, for the caller to wipe.
  public func encoded() -> [UInt8] {
    var secretObjects: [JSON] = []
    for secret in secrets {
      var digits = secret.key.revealedHexDigits()
      defer { LibCrypto.wipe(&digits) }
      secretObjects.append(
        .object([
          "id": .string(secret.id), "action": .string(secret.action), "index": .number(secret.index),
          "label": .optional(secret.label), "created": .number(secret.createdUnixSeconds),
          "key": .string(String(decoding: digits, as: UTF8.self)),
        ]))
    }
    var valueObjects: [JSON] = []
    for (name, value) in values {
      valueObjects.append(.object(["name": .string(name), "value": .string(Hex.encode(value))]))
    }
    return JSON.object([
      "made": .number(madeUnixSeconds), "secrets": .array(secretObjects), "values": .array(valueObjects),
    ]).encoded()
  }

  /// Nil unless it is what `encoded` makes, every rule of the store kept.
  public init?(decoding bytes: [UInt8]) {
    guard let json = JSON(decoding: bytes), let made = json["made"]?.wholeNumber,
      let secretObjects = json["secrets"]?.elements, let valueObjects = json["values"]?.elements
    else { return nil }
    var secrets: [TagSecret] = []
    for object in secretObjects {
      guard let secret = TagSecret(backedUp: object) else { return nil }
      let own = secrets.filter { $0.action == secret.action }
      guard own.count < Limits.secretsPerActionMax, !own.contains(where: { $0.key == secret.key }),
        !secrets.contains(where: { $0.id == secret.id })
      else { return nil }
      secrets.append(secret)
    }
    var values: [(name: String, value: [UInt8])] = []
    for object in valueObjects {
      guard let name = object["name"]?.text, let value = object["value"]?.text.flatMap({ Hex.decode($0) }),
        name != "check", value.count <= Limits.sealedValueSizeMax, !values.contains(where: { $0.name == name })
      else { return nil }
      values.append((name, value))
    }
    self.init(madeUnixSeconds: made, secrets: secrets, values: values)
  }
}

extension TagSecret {
  fileprivate init?(backedUp json: JSON) {
    guard let id = json["id"]?.text, let action = json["action"]?.text, let index = json["index"]?.wholeNumber,
      let created = json["created"]?.wholeNumber, let key = json["key"]?.text.flatMap({ SecretKey(hex: $0) })
    else { return nil }
    self.init(
      id: id, action: action, index: index, key: key, createdUnixSeconds: created,
      label: json["label"]?.text?.trimmedLabel)
  }
}
