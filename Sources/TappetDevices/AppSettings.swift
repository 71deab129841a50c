// The settings that the phone app keeps, as JSON, of both its generations. Everything is checked, and every mistake told at once.
//
//   {"homeTitle": "Home", "endpoint": "broker.example", "clientID": "…", "certificate": "PEM", "privateKey": "PEM", "rootCA": "PEM",
//    "timestampKey": "32, 48 or 64 hex digits", "isBiometricAuthEnabled": true, "isUnusedButtonHidden": true,
//    "actions": [{"title": "Garage", "topic": "…", "message": "…",
//                 "nfcSecrets": [{"id": "UUID", "secret": "64 hex digits", "createdAt": 790000000.5, "label": "Door"}]}]}
//
// The older generation has "nfcSecret": "64 hex digits" in place of the list.

import CPlatform
import TappetCore

/// What is wrong with a settings file.
public enum AppSettingsProblem: Hashable, Sendable {
  case unreadable(SystemError)
  case tooLarge
  case notJSON
  /// JSON, and not the app's settings: this is missing.
  case notSettings(missing: String)
  case wrongType(place: String, expected: String)
  case empty(place: String)
  case notAnEndpoint(String)
  case notAClientID(String)
  case notATimestampKey
  case certificate(CertificateProblem)
  case notATopic(place: String, String)
  case timestampWithoutKey(place: String)
  case textTooLong(place: String, max: Int)
  case notASecret(place: String)
  case tooManySecrets(place: String, count: Int)
  case noActions
}

/// The app's settings, checked.
public struct AppSettings {
  /// One that is in use.
  public struct Action {
    /// Its place in the app, from 0: the `idx` on its tags.
    public var index: Int64
    /// For people.
    public var title: String
    /// Where it is published.
    public var topic: String
    /// The payload's template.
    public var message: String
    /// Those of its tags.
    public var secrets: [Secret]
  }

  /// What the tags of an action are signed with.
  public struct Secret {
    /// A UUID.
    public var id: String
    /// 32 bytes.
    public var key: SecretKey
    /// Seconds since 1970.
    public var createdUnixSeconds: Int64
    /// For people.
    public var label: String?
  }

  /// The app's headline.
  public var homeTitle: String?
  /// Where the broker is.
  public var endpoint: BrokerEndpoint
  /// The phone's own at the broker.
  public var clientID: String
  /// Certificate, chain and key.
  public var identity: ClientIdentity
  /// The broker's CA as PEM.
  public var authorityPEM: [UInt8]?
  /// The hex digits of the key for `%T`.
  public var timestampKey: SecretText?
  /// Whether the app asks for a fingerprint.
  public var isLocked: Bool
  /// Those in use.
  public var actions: [Action]
  /// Whether others may read the file, which holds keys.
  public var isOpenToOthers = false

  /// Reads the file at `path`.
  public static func load(path: String, ask: (String) -> SecretText?, makeID: () -> String?) -> Outcome {
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
  /// `ask`: see `ClientIdentity.read`; `makeID`: a new UUID, for secrets without one.
  public static func read(
    _ bytes: [UInt8], ask: (String) -> SecretText?, makeID: () -> String?
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

  /// What came of it.
  public enum Outcome {
    case read(AppSettings)
    /// At least one.
    case refused([AppSettingsProblem])
  }
}

/// The mistakes found so far.
private struct AppSettingsReader {
  private(set) var problems: [AppSettingsProblem] = []

  /// Nil when there was a mistake.
  mutating func settings(
    _ json: JSON, _ ask: (String) -> SecretText?, _ makeID: () -> String?
  ) -> AppSettings? {
    let endpoint = endpoint(text(json["endpoint"], "endpoint") ?? "")
    let clientID = text(json["clientID"], "clientID") ?? ""
    if !clientID.isEmpty, !BrokerSettings.isClientID(clientID) { problems.append(.notAClientID(clientID)) }
    if clientID.isEmpty { problems.append(.empty(place: "clientID")) }
    let identity = identity(json, ask)
    var authorityPEM: [UInt8]?
    if let text = secret(json["rootCA"], "rootCA"), text.count > 0 {
      do throws(CertificateProblem) { authorityPEM = try AuthorityFile.read(text: text, name: "rootCA").pem } catch {
        problems.append(.certificate(error))
      }
    }
    var timestampKey = secret(json["timestampKey"], "timestampKey")
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
    return AppSettings(
      homeTitle: title, endpoint: endpoint, clientID: clientID, identity: identity, authorityPEM: authorityPEM,
      timestampKey: timestampKey, isLocked: json["isBiometricAuthEnabled"] == .bool(true), actions: actions)
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

  private mutating func secret(_ json: JSON?, _ place: String) -> SecretText? {
    guard let text = text(json, place) else { return nil }
    var bytes = Array(text.utf8)
    return SecretText.taking(&bytes)
  }

  /// The app speaks TLS on 8883 to a host; a port or an URL is taken too.
  private mutating func endpoint(_ text: String) -> BrokerEndpoint? {
    if text.isEmpty {
      problems.append(.empty(place: "endpoint"))
      return nil
    }
    if let endpoint = BrokerEndpoint(url: text) ?? BrokerEndpoint(url: "mqtts://" + text) { return endpoint }
    problems.append(.notAnEndpoint(text))
    return nil
  }

  private mutating func identity(_ json: JSON, _ ask: (String) -> SecretText?) -> ClientIdentity? {
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

  private mutating func actions(_ json: JSON?, hasKey: Bool, _ makeID: () -> String?) -> [AppSettings.Action] {
    guard let elements = json?.elements, elements.count <= Limits.actionsMax else {
      problems.append(.wrongType(place: "actions", expected: "a list"))
      return []
    }
    var actions: [AppSettings.Action] = []
    for (index, element) in elements.enumerated() {
      let place = "actions[" + String(index) + "]"
      guard case .object = element else {
        problems.append(.wrongType(place: place, expected: "an object"))
        continue
      }
      let title = text(element["title"], place + ".title") ?? ""
      let topic = text(element["topic"], place + ".topic") ?? ""
      let message = text(element["message"], place + ".message") ?? ""
      // The app's own rule for a button that nobody uses.
      if title.isEmpty, topic.isEmpty, message.isEmpty { continue }
      if !Action.isTopic(topic) { problems.append(.notATopic(place: place, topic)) }
      if title.utf8.count > Limits.actionTitleSizeMax {
        problems.append(.textTooLong(place: place + ".title", max: Limits.actionTitleSizeMax))
      }
      if message.utf8.count > Limits.messageSizeMax {
        problems.append(.textTooLong(place: place + ".message", max: Limits.messageSizeMax))
      }
      if PayloadTemplate(message).usesTimestamp, !hasKey { problems.append(.timestampWithoutKey(place: place)) }
      actions.append(
        AppSettings.Action(
          index: Int64(index), title: title, topic: topic, message: message,
          secrets: secrets(of: element, place, makeID)))
    }
    if actions.isEmpty, problems.isEmpty { problems.append(.noActions) }
    return actions
  }

  private mutating func secrets(of action: JSON, _ place: String, _ makeID: () -> String?) -> [AppSettings.Secret] {
    var secrets: [AppSettings.Secret] = []
    if let elements = action["nfcSecrets"]?.elements {
      for (index, element) in elements.enumerated() {
        let place = place + ".nfcSecrets[" + String(index) + "]"
        let label = text(element["label"], place + ".label")
        if let label, label.utf8.count > Limits.secretLabelSizeMax {
          problems.append(.textTooLong(place: place + ".label", max: Limits.secretLabelSizeMax))
        }
        var created: Int64 = 0
        // Seconds since 2001.
        if case .number(let seconds)? = element["createdAt"], abs(seconds) < 1 << 40 { created = seconds + 978_307_200 }
        add(element["secret"], id: element["id"], created, label, place, makeID, to: &secrets)
      }
    } else if let list = action["nfcSecrets"], list != .null {
      problems.append(.wrongType(place: place + ".nfcSecrets", expected: "a list"))
    }
    // The app itself moves the older generation's one secret so.
    if secrets.isEmpty, let old = text(action["nfcSecret"], place + ".nfcSecret"), !old.isEmpty {
      add(.string(old), id: nil, 0, "Migrated", place + ".nfcSecret", makeID, to: &secrets)
    }
    if secrets.count > Limits.secretsPerActionMax {
      problems.append(.tooManySecrets(place: place, count: secrets.count))
    }
    return secrets
  }

  private mutating func add(
    _ json: JSON?, id: JSON?, _ created: Int64, _ label: String?, _ place: String, _ makeID: () -> String?,
    to secrets: inout [AppSettings.Secret]
  ) {
    guard case .string(let digits)? = json, let key = SecretKey(hex: digits) else {
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
    secrets.append(AppSettings.Secret(id: identifier, key: key, createdUnixSeconds: max(0, created), label: label))
  }

  private static func isUUID(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte) || byte == 0x2D
  }
}
