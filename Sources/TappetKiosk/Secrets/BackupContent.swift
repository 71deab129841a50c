// The content of a backup: the actions' secrets and the other sealed values. Not the outbox, whose messages would be
// sent a second time, and not kiosk.yaml and the files it names, which are copied like any others.

import TappetConfig
import TappetCore
import TappetStore

/// All secrets and sealed values, opened.
///
/// Only for a process that ends soon: the texts of its JSON are not wiped.
package struct BackupContent: Sendable {
  /// The time of the backup, seconds since 1970.
  package var madeUnixSeconds: Int64
  /// The actions' secrets.
  package var secrets: [TagSecret]
  /// The timestamp key, the tags' password key.
  package var values: [SealedValue]

  /// The content of a new backup.
  package init(madeUnixSeconds: Int64, secrets: [TagSecret], values: [SealedValue]) {
    self.madeUnixSeconds = madeUnixSeconds
    self.secrets = secrets
    self.values = values
  }

  /// The content as JSON, for the caller to wipe.
  package func encoded() -> [UInt8] {
    var secretObjects: [JSON] = []
    for secret in secrets {
      secretObjects.append(
        .object([
          "id": .string(secret.id), "action": .string(secret.action), "index": .number(secret.index),
          "label": .optional(secret.label), "created": .number(secret.createdUnixSeconds),
          "key": .string(secret.key.withBytes { digits(of: $0) }),
        ]))
    }
    var valueObjects: [JSON] = []
    for (name, value) in values {
      valueObjects.append(.object(["name": .string(name), "value": .string(value.withBytes { digits(of: $0) })]))
    }
    return JSON.object([
      "made": .number(madeUnixSeconds), "secrets": .array(secretObjects), "values": .array(valueObjects),
    ]).encoded()
  }

  /// The bytes as hexadecimal digits; only the JSON's own copy of them remains.
  private func digits(of bytes: UnsafeRawBufferPointer) -> String {
    var digits = Hex.digits(of: bytes)
    defer { LibCrypto.wipe(&digits) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Decodes the result of `encoded`; `nil` for anything else, or for content that the store would refuse.
  package init?(decoding bytes: [UInt8]) {
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
    var values: [SealedValue] = []
    for object in valueObjects {
      guard let name = object["name"]?.text, var value = object["value"]?.text.flatMap({ Hex.decode($0) }),
        name != "check", value.count <= Limits.sealedValueSizeMax, !values.contains(where: { $0.name == name })
      else { return nil }
      values.append((name, SecretBytes(taking: &value)))
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
