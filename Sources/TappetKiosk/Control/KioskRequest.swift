// Requests to the running kiosk, and their encoding on the control socket: a JSON object, optionally followed by one
// secret value.
//
//     {"request":"output","output":"gate","do":"pulse"}

import TappetCore
import TappetJSON
import TappetPlatform
import TappetStore

/// A request to the running kiosk.
package enum KioskRequest: Sendable {
  case status
  /// Requests the current status, then each log record and light as it occurs.
  case watch
  case lockPanel
  case listOutputs
  case switchOutput(String, OutputRequest)
  /// Creates a command for the topic with the kiosk's own keys, and validates it like any other command.
  case testCommand(topic: String, SampleCommand)
  /// Drops one entry from the outbox, or all entries if `nil`.
  case dropEntries(EntryID?)
  /// Sends one entry that was given up again, or all of them if `nil`.
  case retryEntries(EntryID?)
  /// Reads the session at the homeserver again, and sends whatever has waited for it.
  case reloadSession
  /// Requests the reading of the next tag, or of the tag already on the reader.
  case nextTag
  /// Requests the reading of every tag from now on, and of the tag already on the reader.
  case watchTags
  case beginTagJob(TagJobRequest)
  case cancelTagJob
  /// Sends rows of a people import; more rows follow, the last of them in `importPeople`.
  case stagePeople([PeopleRow])
  /// Requests a code that pairs a device with the page.
  case offerPairing(name: String, level: PageLevel)
  /// A request on the page's socket.
  case page(PageRequest)
  case secrets(SecretRequest)
}

/// Content of a command that the kiosk creates itself.
package enum SampleCommand: Sendable {
  /// Name of an action, or the command number for a topic with `role: esp32`.
  case action(String)
  /// Name of an output and the operation on it.
  case output(String, operation: String)
}

/// The error in a message that is not a valid request.
struct KioskRequestError: Error {
  /// Human-readable error, one sentence.
  var sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// JSON members and secret value of a message.
struct RequestMembers {
  private let message: ControlMessage

  init(_ message: ControlMessage) { self.message = message }

  subscript(_ name: String) -> JSON? { message.json[name] }

  func optionalText(_ name: String) -> String? { self[name]?.text }

  /// Returns the text, or an empty string.
  func text(_ name: String) -> String { optionalText(name) ?? "" }

  /// Returns the number, or 0.
  func number(_ name: String) -> Int64 { self[name]?.wholeNumber ?? 0 }

  func isTrue(_ name: String) -> Bool { self[name] == .bool(true) }

  /// Returns the elements of a list, or an empty list.
  func elements(_ name: String) -> [JSON] { self[name]?.elements ?? [] }

  /// The secret value, or empty bytes.
  var secretPayload: SecretBytes {
    var nothing: [UInt8] = []
    return message.secretPayload ?? SecretBytes(taking: &nothing)
  }
}

/// Form of a request on the control socket.
struct RequestForm {
  let name: String
  let facts: KeyValuePairs<String, JSON>
  /// Secret value that follows the JSON.
  let secretPayload: SecretBytes?

  init(
    _ name: String, _ facts: KeyValuePairs<String, JSON> = [:], enclosing secretPayload: SecretBytes? = nil
  ) {
    self.name = name
    self.facts = facts
    self.secretPayload = secretPayload
  }

  /// The members of the request as JSON.
  var members: [JSON.Member] {
    [.init(name: "request", value: .string(name))] + facts.map { .init(name: $0.key, value: $0.value) }
  }
}

extension KioskRequest {
  /// The request as a message on the control socket.
  @export(interface)
  package var message: ControlMessage {
    @export(interface) get {
      let form = form
      return ControlMessage(.object(form.members), enclosing: form.secretPayload)
    }
  }

  var form: RequestForm {
    switch self {
    case .status: .init("status")
    case .watch: .init("watch")
    case .lockPanel: .init("panel-lock")
    case .listOutputs: .init("output")
    case .switchOutput(let name, let request):
      .init("output", ["output": .string(name), "do": .string(request.rawValue)])
    case .testCommand(let topic, .action(let name)):
      .init("command", ["topic": .string(topic), "action": .string(name)])
    case .testCommand(let topic, .output(let name, let operation)):
      .init("command", ["topic": .string(topic), "output": .string(name), "do": .string(operation)])
    case .dropEntries(let id): .init("outbox-drop", KioskRequest.choice(of: id))
    case .retryEntries(let id): .init("outbox-retry", KioskRequest.choice(of: id))
    case .reloadSession: .init("reload-session")
    case .nextTag: .init("next-tag")
    case .watchTags: .init("watch-tags")
    case .beginTagJob(let job): .init("tag-job", job.facts)
    case .cancelTagJob: .init("tag-cancel")
    case .stagePeople(let rows):
      .init("person-import", ["rows": .array(rows.map { $0.json }), "more": .bool(true)])
    case .offerPairing(let name, let level):
      .init("web-pair", ["name": .string(name), "level": .string(level.name)])
    case .page(let request): request.form
    case .secrets(let request): request.form
    }
  }

  /// Decodes a message from the control socket.
  init(_ message: ControlMessage) throws(KioskRequestError) {
    let request = RequestMembers(message)
    guard let name = request.optionalText("request") else {
      throw KioskRequestError("the request does not contain 'request'")
    }
    switch name {
    case "status": self = .status
    case "watch": self = .watch
    case "panel-lock": self = .lockPanel
    case "output": self = try KioskRequest(ofOutput: request)
    case "command": self = .testCommand(topic: request.text("topic"), SampleCommand(request))
    case "outbox-drop": self = .dropEntries(try KioskRequest.chosenEntry(request))
    case "outbox-retry": self = .retryEntries(try KioskRequest.chosenEntry(request))
    case "reload-session": self = .reloadSession
    case "next-tag": self = .nextTag
    case "watch-tags": self = .watchTags
    case "tag-job": self = .beginTagJob(try TagJobRequest(request))
    case "tag-cancel": self = .cancelTagJob
    case "person-import" where request.isTrue("more"):
      self = .stagePeople(try PeopleRow.rows(request.elements("rows")))
    case "web-pair":
      guard let level = PageLevel(name: request.text("level")) else {
        throw KioskRequestError("'level' must be 'look', 'press' or 'manage'")
      }
      self = .offerPairing(name: request.text("name"), level: level)
    case _:
      if let page = try PageRequest(name, request) {
        self = .page(page)
      } else if let secrets = try SecretRequest(name, request) {
        self = .secrets(secrets)
      } else {
        throw KioskRequestError("unknown request '\(name)'")
      }
    }
  }

  private static func choice(of id: EntryID?) -> KeyValuePairs<String, JSON> {
    id.map { ["id": .string($0.hex)] } ?? ["all": .bool(true)]
  }

  /// Returns the id of the chosen entry; `nil` if the request concerns all entries.
  private static func chosenEntry(_ request: RequestMembers) throws(KioskRequestError) -> EntryID? {
    if request.isTrue("all") { return nil }
    if let id = EntryID(hex: request.text("id")) { return id }
    throw KioskRequestError("an entry's id must be 32 hex digits; use 'tappet outbox list' to list the ids")
  }

  private init(ofOutput request: RequestMembers) throws(KioskRequestError) {
    guard let name = request.optionalText("output") else {
      self = .listOutputs
      return
    }
    self = .switchOutput(name, try KioskRequest.outputRequest(request))
  }

  /// Decodes the requested change of an output.
  static func outputRequest(_ request: RequestMembers) throws(KioskRequestError) -> OutputRequest {
    if let wanted = OutputRequest(rawValue: request.text("do")) { return wanted }
    let words = OutputRequest.allCases.map { "'" + $0.rawValue + "'" }.joined(separator: " or ")
    throw KioskRequestError("'do' must be " + words)
  }
}

extension SampleCommand {
  fileprivate init(_ request: RequestMembers) {
    if let output = request.optionalText("output") {
      self = .output(output, operation: request.text("do"))
    } else {
      self = .action(request.text("action"))
    }
  }
}

extension TagJobRequest {
  fileprivate var facts: KeyValuePairs<String, JSON> {
    [
      "kind": .string(kind.rawValue), "action": .optional(action), "label": .optional(label),
      "person": .optional(person), "text": .optional(text), "with_key": .bool(carriesKey),
      "protect": .bool(protects), "limit_s": .number(limit.wholeMilliseconds / 1000),
    ]
  }

  fileprivate init(_ request: RequestMembers) throws(KioskRequestError) {
    guard let kind = TagJobKind(rawValue: request.text("kind")) else {
      throw KioskRequestError("the job's 'kind' is unknown")
    }
    self.init(kind)
    action = request.optionalText("action")
    label = request.optionalText("label")
    person = request.optionalText("person")
    text = request.optionalText("text")
    carriesKey = request.isTrue("with_key")
    protects = request.isTrue("protect")
    if let seconds = request["limit_s"]?.wholeNumber {
      limit = min(max(.seconds(1), .seconds(seconds)), Limits.tagJobTimeMax)
    }
  }
}
