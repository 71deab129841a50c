// Settings that the phone app stores as JSON, in both format generations. The whole file is checked, and all errors
// are reported together. Values are read as the app does; an action that cannot be performed here is left out.
//
//   {"homeTitle": "Home", "endpoint": "broker.example", "clientID": "…",
//    "certificate": "PEM", "privateKey": "PEM", "rootCA": "PEM",
//    "timestampKey": "32, 48 or 64 hex digits", "isBiometricAuthEnabled": true, "isUnusedButtonHidden": true,
//    "actions": [{"title": "Garage", "topic": "…", "message": "…",
//                 "nfcSecrets": [{"id": "UUID", "secret": "64 hex digits", "createdAt": 790000000.5, "label":
//                 "Door"}]}]}
//
// The older generation has "nfcSecret": "64 hex digits" instead of the list.

import CPlatform
import TappetCore
import TappetJSON
import TappetPlatform
import TappetTLS

/// An error in a settings file.
package enum AppExportProblem: Hashable, Sendable {
  case unreadable(SystemError)
  case tooLarge
  case notJSON
  /// Valid JSON, but not the app's settings: this member is missing.
  case notSettings(missing: String)
  case wrongType(place: String, expected: String)
  case empty(place: String)
  case notAnEndpoint(String)
  case notAClientID(String)
  case notATimestampKey
  case certificate(CertificateProblem)
  /// Reason to leave out an action, whose title may be empty.
  case notATopic(place: String, title: String, String)
  /// Reason to leave out an action.
  case timestampWithoutKey(place: String, title: String)
  case textTooLong(place: String, max: Int)
  case notASecret(place: String)
  case tooManySecrets(place: String, count: Int)
  case noActions
}

/// The app's validated settings.
package struct AppExport {
  /// An action in use.
  package struct Action {
    /// Zero-based position in the app: the `idx` on the action's tags.
    package var index: Int64
    /// Display name of the action.
    package var title: String
    /// The topic to publish to.
    package var topic: String
    /// Template of the payload.
    package var message: String
    /// The secrets of the action's tags.
    package var secrets: [Secret]
  }

  /// A secret that signs the tags of an action.
  package struct Secret {
    /// The secret's UUID.
    package var id: String
    /// The key, 32 bytes.
    package var key: SecretKey
    /// Creation time, in seconds since 1970.
    package var createdUnixSeconds: Int64
    /// Display name of the secret.
    package var label: String?
  }

  /// The title that the app displays.
  package var homeTitle: String?
  /// The broker's endpoint.
  package var endpoint: BrokerEndpoint
  /// The phone's client id at the broker.
  package var clientID: String
  /// Certificate, chain and key.
  package var identity: ClientIdentity
  /// The broker's CA as PEM.
  package var authorityPEM: [UInt8]?
  /// The hex digits of the key for `%T`.
  package var timestampKey: SecretBytes?
  /// Whether the app prompts for a fingerprint.
  package var isLocked: Bool
  /// The actions in use.
  package var actions: [Action]
  /// Why actions were left out.
  package var leftOut: [AppExportProblem] = []
  /// Whether other users may read the file, which contains keys.
  package var isOpenToOthers = false

  /// Reads the file at `path`.
  @export(interface)
  package static func load(path: String, ask: (String) -> SecretBytes?, makeID: () -> String?) -> Outcome {
    switch TextFile.read(path, sizeMax: Limits.appSettingsSizeMax) {
    case .failure(let error): return .refused([error.code == EFBIG ? .tooLarge : .unreadable(error)])
    case .success(var file):
      defer { LibCrypto.wipe(&file.bytes) }
      let outcome = read(file.bytes, ask: ask, makeID: makeID)
      guard case .read(var settings) = outcome else { return outcome }
      settings.isOpenToOthers = file.mode & 0o077 != 0
      return .read(settings)
    }
  }

  /// Reads the app's JSON.
  ///
  /// For `ask`, see `ClientIdentity.read`. `makeID` returns a new UUID for a secret that has none.
  @export(interface)
  package static func read(
    _ bytes: [UInt8], ask: (String) -> SecretBytes?, makeID: () -> String?
  ) -> Outcome {
    guard let json = JSON(decoding: bytes, roundsFractions: true) else { return .refused([.notJSON]) }
    guard case .object = json else { return .refused([.notSettings(missing: "endpoint")]) }
    for key in ["endpoint", "certificate", "privateKey", "actions"] where json[key] == nil {
      return .refused([.notSettings(missing: key)])
    }
    var reader = AppSettingsReader()
    if let settings = reader.settings(json, ask, makeID) { return .read(settings) }
    return .refused(reader.problems)
  }

  /// The settings, or the errors in the file.
  package enum Outcome {
    case read(AppExport)
    /// One or more errors.
    case refused([AppExportProblem])
  }
}

/// Reader of the settings, with the errors found so far.
private struct AppSettingsReader {
  private(set) var problems: [AppExportProblem] = []
  private var leftOut: [AppExportProblem] = []

  /// Returns the settings; `nil` after an error.
  mutating func settings(
    _ json: JSON, _ ask: (String) -> SecretBytes?, _ makeID: () -> String?
  ) -> AppExport? {
    let endpoint = endpoint(trimmedText(json["endpoint"], "endpoint") ?? "")
    let clientID = trimmedText(json["clientID"], "clientID") ?? ""
    if !clientID.isEmpty, !BrokerSettings.isClientID(clientID) { problems.append(.notAClientID(clientID)) }
    if clientID.isEmpty { problems.append(.empty(place: "clientID")) }
    let identity = identity(json, ask)
    var authorityPEM: [UInt8]?
    if let text = secret(json["rootCA"], "rootCA"), text.count > 0 {
      do throws(CertificateProblem) { authorityPEM = try AuthorityFile.read(text: text, name: "rootCA").pem } catch {
        problems.append(.certificate(error))
      }
    }
    var timestampKey = hexadecimal(json["timestampKey"], "timestampKey")
    if let key = timestampKey {
      if key.count == 0 {
        timestampKey = nil
      } else if !key.withBytes({ TimestampKey(hex: Array($0)[...]) != nil }) {
        problems.append(.notATimestampKey)
      }
    }
    let actions = actions(json["actions"], hasKey: timestampKey != nil, makeID)
    let title = text(json["homeTitle"], "homeTitle")
    guard problems.isEmpty, let endpoint, let identity else { return nil }
    return AppExport(
      homeTitle: title, endpoint: endpoint, clientID: clientID, identity: identity, authorityPEM: authorityPEM,
      timestampKey: timestampKey, isLocked: json["isBiometricAuthEnabled"] == .bool(true), actions: actions,
      leftOut: leftOut)
  }

  /// Returns a text without blanks at its ends, which a phone's keyboard adds.
  private mutating func trimmedText(_ json: JSON?, _ place: String) -> String? {
    text(json, place).map { text in
      let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
      var bytes = text.utf8.drop { isBlank($0) }
      while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
      return String(Substring(bytes))
    }
  }

  private mutating func text(_ json: JSON?, _ place: String) -> String? {
    switch json {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default:
      problems.append(.wrongType(place: place, expected: "text"))
      return nil
    }
  }

  private mutating func secret(_ json: JSON?, _ place: String) -> SecretBytes? {
    guard let text = text(json, place) else { return nil }
    var bytes = Array(text.utf8)
    return SecretBytes(taking: &bytes)
  }

  /// Returns the digits of a key, without blanks and `0x` in front of them.
  private mutating func hexadecimal(_ json: JSON?, _ place: String) -> SecretBytes? {
    guard let text = trimmedText(json, place) else { return nil }
    var bytes = Array(Self.withoutPrefix(text).utf8)
    return SecretBytes(taking: &bytes)
  }

  private static func withoutPrefix(_ digits: String) -> String {
    digits.begins(with: "0x") || digits.begins(with: "0X") ? String(Substring(digits.utf8.dropFirst(2))) : digits
  }

  /// Parses the endpoint; the app uses TLS on port 8883 of a host, but a port or URL is also accepted.
  private mutating func endpoint(_ text: String) -> BrokerEndpoint? {
    if text.isEmpty {
      problems.append(.empty(place: "endpoint"))
      return nil
    }
    if let endpoint = BrokerEndpoint(url: text) ?? BrokerEndpoint(url: "mqtts://" + text) { return endpoint }
    problems.append(.notAnEndpoint(text.withoutUserInfo))
    return nil
  }

  private mutating func identity(_ json: JSON, _ ask: (String) -> SecretBytes?) -> ClientIdentity? {
    let certificate = secret(json["certificate"], "certificate")
    let key = secret(json["privateKey"], "privateKey")
    if certificate?.count ?? 0 == 0 { problems.append(.empty(place: "certificate")) }
    if key?.count ?? 0 == 0 { problems.append(.empty(place: "privateKey")) }
    guard let certificate, let key, certificate.count > 0, key.count > 0 else { return nil }
    do throws(CertificateProblem) {
      return try ClientIdentity.read(
        certificate: certificate, key: key, names: ("certificate", "privateKey"), ask: ask)
    } catch {
      problems.append(.certificate(error))
      return nil
    }
  }

  private mutating func actions(_ json: JSON?, hasKey: Bool, _ makeID: () -> String?) -> [AppExport.Action] {
    guard let elements = json?.elements, elements.count <= Limits.actionsMax else {
      problems.append(.wrongType(place: "actions", expected: "a list"))
      return []
    }
    var actions: [AppExport.Action] = []
    for (index, element) in elements.enumerated() {
      let place = "actions[" + String(index) + "]"
      guard case .object = element else {
        problems.append(.wrongType(place: place, expected: "an object"))
        continue
      }
      let title = text(element["title"], place + ".title") ?? ""
      let topic = trimmedText(element["topic"], place + ".topic") ?? ""
      let message = text(element["message"], place + ".message") ?? ""
      // The app uses the same rule for unused buttons.
      if title.isEmpty, topic.isEmpty, message.isEmpty { continue }
      if !Action.isTopic(topic) {
        leftOut.append(.notATopic(place: place, title: title, topic))
        continue
      }
      if PayloadTemplate(message).usesTimestamp, !hasKey {
        leftOut.append(.timestampWithoutKey(place: place, title: title))
        continue
      }
      if title.utf8.count > Limits.actionTitleSizeMax {
        problems.append(.textTooLong(place: place + ".title", max: Limits.actionTitleSizeMax))
      }
      if message.utf8.count > Limits.messageSizeMax {
        problems.append(.textTooLong(place: place + ".message", max: Limits.messageSizeMax))
      }
      actions.append(
        AppExport.Action(
          index: Int64(index), title: title, topic: topic, message: message,
          secrets: secrets(of: element, place, makeID)))
    }
    if actions.isEmpty, problems.isEmpty { problems = leftOut + [.noActions] }
    return actions
  }

  private mutating func secrets(of action: JSON, _ place: String, _ makeID: () -> String?) -> [AppExport.Secret] {
    var secrets: [AppExport.Secret] = []
    if let elements = action["nfcSecrets"]?.elements {
      for (index, element) in elements.enumerated() {
        let place = place + ".nfcSecrets[" + String(index) + "]"
        let label = text(element["label"], place + ".label")?.storedName
        if case .tooLong(_, let max) = label?.nameFault() {
          problems.append(.textTooLong(place: place + ".label", max: max))
        }
        var created: Int64 = 0
        // The app's times are in seconds since 2001.
        if case .number(let seconds)? = element["createdAt"], abs(seconds) < 1 << 40 { created = seconds + 978_307_200 }
        add(element["secret"], id: element["id"], created, label, place, makeID, to: &secrets)
      }
    } else if let list = action["nfcSecrets"], list != .null {
      problems.append(.wrongType(place: place + ".nfcSecrets", expected: "a list"))
    }
    // The app migrates the single secret of the older generation in the same way.
    if secrets.isEmpty, let old = text(action["nfcSecret"], place + ".nfcSecret"), !old.isEmpty {
      add(.string(old), id: nil, 0, "Migrated", place + ".nfcSecret", makeID, to: &secrets)
    }
    if secrets.count > Limits.appSecretsPerActionMax {
      problems.append(.tooManySecrets(place: place, count: secrets.count))
    }
    return secrets
  }

  private mutating func add(
    _ json: JSON?, id: JSON?, _ created: Int64, _ label: String?, _ place: String, _ makeID: () -> String?,
    to secrets: inout [AppExport.Secret]
  ) {
    guard let digits = trimmedText(json, place), let key = SecretKey(hex: Self.withoutPrefix(digits)) else {
      problems.append(.notASecret(place: place))
      return
    }
    if secrets.contains(where: { $0.key == key }) { return }
    var identifier: String?
    if case .string(let text)? = id, text.utf8.count == 36, text.utf8.allSatisfy({ Self.isUUID($0) }) {
      identifier = text
    }
    guard let identifier = identifier ?? makeID() else { return }
    let label = label.flatMap { $0.isEmpty ? nil : $0 }
    secrets.append(AppExport.Secret(id: identifier, key: key, createdUnixSeconds: max(0, created), label: label))
  }

  private static func isUUID(_ byte: UInt8) -> Bool {
    Hex.value(of: byte) != 0xFF || byte == 0x2D
  }
}
