// Content of a backup: everything that another board needs to replace this one. The outbox is excluded, because its
// messages would be sent twice.

import TappetCore
import TappetJSON
import TappetStore

/// The configuration, or a file that it refers to.
package struct BackupPart: Hashable, Sendable {
  /// Path as written in the configuration; empty for the configuration itself.
  package var path: String
  /// Permission bits of the file.
  package var mode: UInt32
  /// Content of the file.
  package var content: [UInt8]

  package init(path: String, mode: UInt32, content: [UInt8]) {
    self.path = path
    self.mode = mode
    self.content = content
  }
}

/// All secrets, sealed values and files, decrypted.
///
/// Only for short-lived processes: the strings of its JSON are not wiped.
package struct BackupContent: Sendable {
  /// Time of the backup, in seconds since 1970.
  package var madeUnixSeconds: Int64
  /// The actions' secrets.
  package var secrets: [TagSecret]
  /// Sealed values, such as the timestamp key and the tags' password key.
  package var values: [SealedValue]
  /// The configuration and the files that it refers to.
  package var files: [BackupPart]

  /// Creates the content of a new backup.
  package init(madeUnixSeconds: Int64, secrets: [TagSecret], values: [SealedValue], files: [BackupPart] = []) {
    self.madeUnixSeconds = madeUnixSeconds
    self.secrets = secrets
    self.values = values
    self.files = files
  }

  /// Returns the content as JSON, which the caller must wipe.
  @export(interface)
  package func encoded() -> [UInt8] {
    var secretObjects: [JSON] = []
    for secret in secrets {
      secretObjects.append(
        .object([
          "id": .string(secret.id), "action": .string(secret.action), "index": .number(secret.index),
          "label": .optional(secret.label), "created": .number(secret.createdUnixSeconds),
          "key": .string(secret.key.withBytes { digits(of: $0) }),
          "uid": .optional(secret.uid.map { Hex.encode($0.bytes) }),
        ]))
    }
    var valueObjects: [JSON] = []
    for (name, value) in values {
      valueObjects.append(.object(["name": .string(name), "value": .string(value.withBytes { digits(of: $0) })]))
    }
    var fileObjects: [JSON] = []
    for file in files {
      let content = file.content.withUnsafeBytes { digits(of: $0) }
      fileObjects.append(
        .object([
          "path": .string(file.path), "mode": .number(Int64(file.mode)), "content": .string(content),
        ]))
    }
    return JSON.object([
      "made": .number(madeUnixSeconds), "secrets": .array(secretObjects), "values": .array(valueObjects),
      "files": .array(fileObjects),
    ]).encoded()
  }

  /// Returns the bytes as hexadecimal digits; of all copies, only the copy in the JSON is not wiped.
  private func digits(of bytes: UnsafeRawBufferPointer) -> String {
    var digits = Hex.digits(of: bytes)
    defer { LibCrypto.wipe(&digits) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Decodes the result of `encoded`; `nil` for other data, or for content that the store would refuse.
  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    guard let json = JSON(decoding: bytes, valuesMax: Limits.backupValuesMax), let made = json["made"]?.wholeNumber,
      let secretObjects = json["secrets"]?.elements, let valueObjects = json["values"]?.elements,
      let fileObjects = json["files"]?.elements
    else { return nil }
    var secrets: [TagSecret] = []
    var keys: [String: [SecretKey]] = [:]
    var ids: Set<String> = []
    for object in secretObjects {
      guard let secret = TagSecret(backedUp: object), ids.insert(secret.id).inserted else { return nil }
      let own = keys[secret.action] ?? []
      guard own.count < Limits.configuredSecretsMax, !own.contains(where: { $0 == secret.key }) else { return nil }
      keys[secret.action, default: []].append(secret.key)
      secrets.append(secret)
    }
    var values: [SealedValue] = []
    var names: Set<String> = []
    for object in valueObjects {
      guard let name = object["name"]?.text, var value = object["value"]?.text.flatMap({ Hex.decode($0) }),
        name != "check", value.count <= Limits.sealedValueSizeMax, names.insert(name).inserted
      else { return nil }
      values.append((name, SecretBytes(taking: &value)))
    }
    var files: [BackupPart] = []
    for object in fileObjects {
      guard let path = object["path"]?.text, let mode = object["mode"]?.wholeNumber, (0...0o777).contains(mode),
        let content = object["content"]?.text.flatMap({ Hex.decode($0) }), !files.contains(where: { $0.path == path })
      else { return nil }
      files.append(BackupPart(path: path, mode: UInt32(mode), content: content))
    }
    self.init(madeUnixSeconds: made, secrets: secrets, values: values, files: files)
  }
}

extension TagSecret {
  fileprivate init?(backedUp json: JSON) {
    guard let id = json["id"]?.text, let action = json["action"]?.text, let index = json["index"]?.wholeNumber,
      let created = json["created"]?.wholeNumber, let key = json["key"]?.text.flatMap({ SecretKey(hex: $0) })
    else { return nil }
    self.init(
      id: id, action: action, index: index, key: key, createdUnixSeconds: created,
      label: json["label"]?.text?.trimmedLabel, uid: json["uid"]?.text.flatMap { Hex.decode($0) }.flatMap { TagUID($0) }
    )
  }
}
