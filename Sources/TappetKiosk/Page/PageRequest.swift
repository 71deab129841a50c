// Requests of the page, which only tappet-web sends, and the levels that all requests need on its socket. tappet-web
// passes on the token of a browser's cookie; the kiosk decides.
//
//     {"request":"enter","from":"192.0.2.7","network":"192.0.2.7","host":"front-door.local"} NUL token
//     {"request":"press","action":"garage","id":"7d1f","at":86400123}
//     {"request":"press","output":"lamp","do":"on","id":"7d20","at":86401456}

import TappetCore
import TappetJSON

/// A request on the page's socket.
package enum PageRequest: Sendable {
  /// Precedes all other requests of a connection.
  case enter(PageEntry)
  /// Pairs the browser with the code that was typed.
  case pair(code: SecretBytes)
  /// Confirms with the password that a manager is at the browser.
  case again(password: SecretBytes)
  /// Requests the current state.
  case state
  /// Requests the current state, then each event as it occurs.
  case watch
  case press(PagePress)
  /// Confirms the question with this number, which this device's press caused; the time is that of a press.
  case confirm(question: Int64, milliseconds: Int64, isForm: Bool)
  /// Cancels the question with this number, which this device's press caused.
  case cancel(question: Int64)
  /// Requests the taps of a span of time.
  case taps(PageSpan)
  /// Requests the number of taps in each hour of a span of time.
  case hours(PageSpan)
  /// Requests the newest records of the log.
  case log
  /// Requests the names and titles of all actions.
  case actions
  /// Writes the next tag, which then triggers the action in the person's name.
  case writeTag(action: String, label: String?, person: String?)
  case stock(StockRequest)
  case tool(ToolRequest)
  /// The browser has received another part of a backup.
  case received
  /// Requests the questions and lines of 'tappet init --web', the earlier ones first.
  case watchSetup
  /// Answers the question with this number, which 'tappet init --web' has asked.
  case answerSetup(number: Int64, SecretBytes)

  fileprivate var access: PageAccess {
    switch self {
    case .enter, .pair: .everyone
    case .state, .watch: .from(.look)
    // The store room, too: its lists have the names of those who borrowed something.
    case .press, .confirm, .cancel, .stock: .from(.press)
    case .again, .taps, .hours, .log, .actions, .received, .tool(.test), .tool(.listen), .tool(.fleet):
      .from(.manage)
    case .writeTag, .tool(.publish), .tool(.backup): .again
    // Only 'tappet init --web' serves them.
    case .watchSetup, .answerSetup: .never
    }
  }
}

/// Facts about a browser, and about the tappet-web that serves it.
package struct PageEntry: Sendable {
  /// The browser's address, the network as whose it counts, the host in its request, and the token in its cookie.
  package var address: String
  package var network: String
  package var host: String
  package var token: SecretBytes?
  package var place = PagePlace()

  package init(from address: String, of network: String, host: String, token: SecretBytes?) {
    (self.address, self.network, self.host, self.token) = (address, network, host, token)
  }
}

/// A press on the page.
package struct PagePress: Sendable {
  /// The action that it triggers, or the output that it switches.
  package enum Target: Hashable, Sendable {
    case action(String)
    case output(OutputOrder)
  }

  package var target: Target
  /// Chosen by the page; a repeated id has no effect.
  package var id: String
  /// The kiosk's time at the press, in milliseconds since the machine started.
  package var milliseconds: Int64
  /// Whether the page runs no script, so that the time is that at which the page was made.
  package var isForm: Bool

  package init(_ target: Target, id: String, milliseconds: Int64, isForm: Bool = false) {
    self.target = target
    self.id = id
    self.milliseconds = milliseconds
    self.isForm = isForm
  }
}

/// The browsers that may send a request on the page's socket.
enum PageAccess: Hashable {
  case everyone
  case from(PageLevel)
  /// Managers who have entered the password in the last minutes.
  case again
  /// No one, at any level.
  case never

  func allows(_ level: PageLevel?, isConfirmed: Bool) -> Bool {
    switch self {
    case .everyone: true
    case .from(let least): level.map { $0 >= least } ?? false
    case .again: level == .manage && isConfirmed
    case .never: false
    }
  }
}

extension KioskRequest {
  /// The browsers that may send the request on the page's socket, where only the requests of pages are served.
  var pageAccess: PageAccess {
    switch self {
    case .page(let request): request.access
    case .lockPanel: .from(.press)
    case .status, .retryEntries: .from(.manage)
    case .watch, .listOutputs, .switchOutput, .testCommand, .dropEntries, .reloadSession, .nextTag, .watchTags,
      .beginTagJob, .cancelTagJob, .stagePeople, .offerPairing:
      .never
    case .secrets(let request): request.pageAccess
    }
  }
}

extension SecretRequest {
  fileprivate var pageAccess: PageAccess {
    switch self {
    case .listSecrets, .renameSecret, .listPeople, .addPerson, .renamePerson, .suspendPerson, .resumePerson,
      .listPageDevices:
      .from(.manage)
    case .shareSecret(_, isForBackup: false), .removeSecret, .removePerson, .removePageDevice: .again
    case .makeSecret, .addSecret, .shareSecret, .renameAction, .rekey, .keepTimestampKey, .keepBrokerPassword,
      .keepPagePassword, .listValues, .revealValue, .listAudit, .verifyAudit, .reload, .allowPerson, .assignSecret,
      .importPeople, .listLearnedTags, .learnTag, .forgetTag:
      .never
    }
  }
}

// MARK: On the socket

extension PagePress {
  /// Name of the action; `nil` if an output is switched.
  var action: String? { if case .action(let name) = target { name } else { nil } }
  /// The change of an output; `nil` if an action is triggered.
  var order: OutputOrder? { if case .output(let order) = target { order } else { nil } }
}

extension PagePress.Target {
  /// Name of the action or the output.
  var name: String {
    switch self {
    case .action(let name): name
    case .output(let order): order.output
    }
  }

  fileprivate init(_ request: RequestMembers) throws(KioskRequestError) {
    guard let output = request.optionalText("output") else {
      self = .action(request.text("action"))
      return
    }
    guard request.optionalText("action") == nil else {
      throw KioskRequestError("a press has either an 'action' or an 'output'")
    }
    self = .output(OutputOrder(output: output, request: try KioskRequest.outputRequest(request)))
  }
}

extension PageRequest {
  var form: RequestForm {
    switch self {
    case .enter(let entry):
      .init(
        "enter",
        [
          "from": .string(entry.address), "network": .string(entry.network), "host": .string(entry.host),
          "certificate": .optional(entry.place.certificate), "port": entry.place.port.map { .number($0) } ?? .null,
          "local": .bool(entry.place.isLocal), "until": entry.place.certificateEnd.map { .number($0) } ?? .null,
        ], enclosing: entry.token)
    case .pair(let code): .init("pair", enclosing: code)
    case .again(let password): .init("again", enclosing: password)
    case .state: .init("web-state")
    case .watch: .init("web-watch")
    case .press(let press):
      .init(
        "press",
        [
          "action": .optional(press.action), "output": .optional(press.order?.output),
          "do": .optional(press.order?.request.rawValue), "id": .string(press.id), "at": .number(press.milliseconds),
          "form": .bool(press.isForm),
        ])
    case .confirm(let question, let time, let isForm):
      .init("confirm", ["question": .number(question), "at": .number(time), "form": .bool(isForm)])
    case .cancel(let question): .init("cancel", ["question": .number(question)])
    case .taps(let span): .init("web-taps", span.facts)
    case .hours(let span): .init("web-hours", span.facts)
    case .log: .init("web-log")
    case .actions: .init("web-actions")
    case .writeTag(let action, let label, let person):
      .init("web-tag", ["action": .string(action), "label": .optional(label), "person": .optional(person)])
    case .stock(let request): request.form
    case .tool(let request): request.form
    case .received: .init("web-received")
    case .watchSetup: .init("setup-watch")
    case .answerSetup(let number, let answer):
      .init("setup-answer", ["number": .number(number)], enclosing: answer)
    }
  }

  /// Decodes a request; `nil` if the name is unknown.
  init?(_ name: String, _ request: RequestMembers) throws(KioskRequestError) {
    switch name {
    case "enter":
      let token = request.secretPayload
      var entry = PageEntry(
        from: request.text("from"), of: request.text("network"), host: request.text("host"),
        token: token.count > 0 ? token : nil)
      entry.place = PagePlace(request)
      self = .enter(entry)
    case "pair": self = .pair(code: request.secretPayload)
    case "again": self = .again(password: request.secretPayload)
    case "web-state": self = .state
    case "web-watch": self = .watch
    case "press":
      let id = request.text("id")
      guard !id.isEmpty, id.utf8.count <= Limits.pagePressIDSizeMax else {
        throw KioskRequestError("a press needs an 'id' of at most \(Limits.pagePressIDSizeMax) bytes")
      }
      self = .press(
        PagePress(
          try PagePress.Target(request), id: id, milliseconds: request.number("at"), isForm: request.isTrue("form")))
    case "confirm":
      self = .confirm(
        question: request.number("question"), milliseconds: request.number("at"), isForm: request.isTrue("form"))
    case "cancel": self = .cancel(question: request.number("question"))
    case "web-taps": self = .taps(try PageSpan(request))
    case "web-hours": self = .hours(try PageSpan(request))
    case "web-log": self = .log
    case "web-actions": self = .actions
    case "web-tag":
      self = .writeTag(
        action: request.text("action"), label: request.optionalText("label"), person: request.optionalText("person"))
    case "web-received": self = .received
    case "setup-watch": self = .watchSetup
    case "setup-answer": self = .answerSetup(number: request.number("number"), request.secretPayload)
    case _:
      if let stock = try StockRequest(name, request) {
        self = .stock(stock)
      } else if let tool = try ToolRequest(name, request) {
        self = .tool(tool)
      } else {
        return nil
      }
    }
  }
}
