// Requests about secrets, people and learned tags, and their encoding on the control socket. A key is never part of the
// JSON, whose strings are not wiped; it follows the JSON as raw bytes.
//
//     {"request":"person-rename","name":"Ada","new_name":"Ada L."}
//     {"request":"secret-add","label":"Front door"} NUL smpshare://secret?…

import TappetCore
import TappetJSON
import TappetPlatform
import TappetStore

/// A request about secrets, people or learned tags.
///
/// `from` is the number of elements on earlier pages of the list.
package enum SecretRequest: Sendable {
  case listSecrets(from: Int64)
  case makeSecret(action: String, label: String?)
  /// Adds the secret from a share URL; if `action` is set, only a secret for that action is accepted.
  case addSecret(shareURL: SecretBytes, action: String?, label: String?)
  /// Shows the share URL of the secret whose id or fingerprint starts with `id`.
  case shareSecret(id: String, isForBackup: Bool)
  case renameSecret(id: String, label: String?)
  case removeSecret(id: String)
  case renameAction(String, to: String)
  case rekey
  /// Stores the timestamp key, given as hexadecimal digits.
  case keepTimestampKey(SecretBytes)
  case keepBrokerPassword(SecretBytes)
  /// Sets the page's password.
  case keepPagePassword(SecretBytes)
  case listValues
  case revealValue(String)
  /// Lists the audit entries after the entry with this number.
  case listAudit(after: Int64)
  case verifyAudit
  /// Reloads the secrets and learned tags after another process has changed them.
  case reload
  case listPeople(from: Int64)
  case addPerson(String)
  case renamePerson(String, to: String)
  case suspendPerson(String)
  case resumePerson(String)
  /// Sets or removes a person's limits.
  case allowPerson(String, LimitWords)
  case removePerson(String, forgetsTaps: Bool)
  /// Assigns a secret to a person, or to no person if the name is empty.
  case assignSecret(id: String, person: String)
  /// Imports all rows, or none.
  case importPeople([PeopleRow], isTrial: Bool)
  case listLearnedTags(from: Int64)
  case learnTag(ExternalTag.Identifier, action: String, label: String?)
  /// Forgets the learned tag with the given UID, text or URI.
  case forgetTag(String)
  case listPageDevices
  case removePageDevice(String)

  /// Whether the request reveals or replaces keys, which only root and the kiosk's own user may do.
  var isForOwner: Bool {
    switch self {
    case .shareSecret, .rekey, .keepTimestampKey, .keepBrokerPassword, .keepPagePassword, .listValues, .revealValue:
      true
    case .listSecrets, .makeSecret, .addSecret, .renameSecret, .removeSecret, .renameAction, .listAudit, .verifyAudit,
      .reload, .listPeople, .addPerson, .renamePerson, .suspendPerson, .resumePerson, .allowPerson, .removePerson,
      .assignSecret, .importPeople, .listLearnedTags, .learnTag, .forgetTag, .listPageDevices, .removePageDevice:
      false
    }
  }
}

/// A person's limits as entered; those that were not entered stay as they are.
package struct LimitWords: Sendable {
  /// First valid day: `2026-12-24`.
  package var from: String?
  /// Last valid day.
  package var until: String?
  /// Permitted hours, each in the format of kiosk.yaml.
  package var hours: [String] = []
  /// Number of permitted uses.
  package var uses: Int64?
  /// Whether the limits that were not entered are removed.
  package var replacesAll = false

  package init() {}
}

// MARK: On the control socket

extension SecretRequest {
  /// Form of the request on the control socket.
  var form: RequestForm {
    switch self {
    case .listSecrets(let from): .init("secret-list", ["from": .number(from)])
    case .makeSecret(let action, let label):
      .init("secret-new", ["action": .string(action), "label": .optional(label)])
    case .addSecret(let url, let action, let label):
      .init("secret-add", ["action": .optional(action), "label": .optional(label)], enclosing: url)
    case .shareSecret(let id, let isForBackup):
      .init("secret-share", ["id": .string(id), "for": isForBackup ? .string("backup") : .null])
    case .renameSecret(let id, let label): .init("secret-rename", ["id": .string(id), "label": .optional(label)])
    case .removeSecret(let id): .init("secret-remove", ["id": .string(id)])
    case .renameAction(let action, let name):
      .init("action-rename", ["action": .string(action), "name": .string(name)])
    case .rekey: .init("secret-rekey")
    case .keepTimestampKey(let key):
      .init("value-keep", ["name": .string(SecretStore.timestampKeyName)], enclosing: key)
    case .keepBrokerPassword(let password):
      .init("value-keep", ["name": .string(SecretStore.brokerPasswordName)], enclosing: password)
    case .keepPagePassword(let password):
      .init("value-keep", ["name": .string(SecretStore.pagePasswordName)], enclosing: password)
    case .listValues: .init("value-reveal")
    case .revealValue(let name): .init("value-reveal", ["name": .string(name)])
    case .listAudit(let after): .init("audit", ["after": .number(after)])
    case .verifyAudit: .init("audit", ["verify": .bool(true)])
    case .reload: .init("reload-secrets")
    case .listPeople(let from): .init("person-list", ["from": .number(from)])
    case .addPerson(let name): .init("person-add", ["name": .string(name)])
    case .renamePerson(let name, let new): .init("person-rename", ["name": .string(name), "new_name": .string(new)])
    case .suspendPerson(let name): .init("person-suspend", ["name": .string(name)])
    case .resumePerson(let name): .init("person-resume", ["name": .string(name)])
    case .allowPerson(let name, let limits): .init("person-allow", limits.facts(of: name))
    case .removePerson(let name, let forgetsTaps):
      .init("person-remove", ["name": .string(name), "forget": .bool(forgetsTaps)])
    case .assignSecret(let id, let person): .init("person-assign", ["id": .string(id), "name": .string(person)])
    case .importPeople(let rows, let isTrial):
      .init("person-import", ["rows": .array(rows.map { $0.json }), "dry_run": .bool(isTrial)])
    case .listLearnedTags(let from): .init("tag-learned", ["from": .number(from)])
    case .learnTag(let mark, let action, let label):
      .init(
        "tag-learn", [mark.kind: .string(mark.content), "action": .string(action), "label": .optional(label)])
    case .forgetTag(let tag): .init("tag-forget", ["tag": .string(tag)])
    case .listPageDevices: .init("web-list")
    case .removePageDevice(let name): .init("web-remove", ["name": .string(name)])
    }
  }

  /// Decodes a request; `nil` if the name is unknown.
  ///
  /// A missing text is decoded as empty, and refused like any empty text.
  init?(_ name: String, _ request: RequestMembers) throws(KioskRequestError) {
    switch name {
    case "secret-list": self = .listSecrets(from: request.number("from"))
    case "secret-new":
      self = .makeSecret(action: request.text("action"), label: request.optionalText("label"))
    case "secret-add":
      self = .addSecret(
        shareURL: request.secretPayload, action: request.optionalText("action"), label: request.optionalText("label"))
    case "secret-share":
      self = .shareSecret(id: request.text("id"), isForBackup: request.text("for") == "backup")
    case "secret-rename": self = .renameSecret(id: request.text("id"), label: request.optionalText("label"))
    case "secret-remove": self = .removeSecret(id: request.text("id"))
    case "action-rename": self = .renameAction(request.text("action"), to: request.text("name"))
    case "secret-rekey": self = .rekey
    case "value-keep":
      switch request.text("name") {
      case SecretStore.timestampKeyName: self = .keepTimestampKey(request.secretPayload)
      case SecretStore.brokerPasswordName: self = .keepBrokerPassword(request.secretPayload)
      case SecretStore.pagePasswordName: self = .keepPagePassword(request.secretPayload)
      case _:
        throw KioskRequestError(
          "apart from the secrets, only the timestamp key and the passwords of the broker and the page can be stored")
      }
    case "value-reveal": self = request.optionalText("name").map { .revealValue($0) } ?? .listValues
    case "audit": self = request.isTrue("verify") ? .verifyAudit : .listAudit(after: request.number("after"))
    case "reload-secrets": self = .reload
    case "person-list": self = .listPeople(from: request.number("from"))
    case "person-add": self = .addPerson(request.text("name"))
    case "person-rename": self = .renamePerson(request.text("name"), to: request.text("new_name"))
    case "person-suspend": self = .suspendPerson(request.text("name"))
    case "person-resume": self = .resumePerson(request.text("name"))
    case "person-allow": self = .allowPerson(request.text("name"), LimitWords(request))
    case "person-remove": self = .removePerson(request.text("name"), forgetsTaps: request.isTrue("forget"))
    case "person-assign": self = .assignSecret(id: request.text("id"), person: request.text("name"))
    case "person-import":
      self = .importPeople(try PeopleRow.rows(request.elements("rows")), isTrial: request.isTrue("dry_run"))
    case "tag-learned": self = .listLearnedTags(from: request.number("from"))
    case "tag-learn":
      guard let mark = ExternalTag.Identifier(request) else { throw KioskRequestError("the request specifies no tag") }
      self = .learnTag(mark, action: request.text("action"), label: request.optionalText("label"))
    case "tag-forget": self = .forgetTag(request.text("tag"))
    case "web-list": self = .listPageDevices
    case "web-remove": self = .removePageDevice(request.text("name"))
    case _: return nil
    }
  }
}

extension LimitWords {
  fileprivate func facts(of name: String) -> KeyValuePairs<String, JSON> {
    [
      "name": .string(name), "from": .optional(from), "until": .optional(until),
      "hours": .array(hours.map { .string($0) }), "uses": uses.map { .number($0) } ?? .null,
      "replace": .bool(replacesAll),
    ]
  }

  fileprivate init(_ request: RequestMembers) {
    from = request.optionalText("from")
    until = request.optionalText("until")
    hours = request.elements("hours").map { $0.text ?? "" }
    uses = request["uses"]?.wholeNumber
    replacesAll = request.isTrue("replace")
  }
}

extension PeopleRow {
  /// JSON form of the row in a request.
  package var json: JSON { .array([.number(Int64(line))] + fields.map { .optional($0) }) }

  /// Decodes the rows of a request.
  static func rows(_ elements: [JSON]) throws(KioskRequestError) -> [PeopleRow] {
    var rows: [PeopleRow] = []
    for element in elements {
      guard let row = element.elements, let line = row.first?.wholeNumber else {
        throw KioskRequestError("a row of the request is not a list that starts with a line number")
      }
      rows.append(PeopleRow(line: Int(clamping: line), fields: row.dropFirst().map { $0.text }))
    }
    return rows
  }
}

extension ExternalTag.Identifier {
  fileprivate init?(_ request: RequestMembers) {
    for kind in ["uid", "text", "uri"] {
      guard let content = request.optionalText(kind) else { continue }
      self.init(kind: kind, content: content)
      return
    }
    return nil
  }
}
