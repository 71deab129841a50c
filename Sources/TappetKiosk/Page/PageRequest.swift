// Requests of the page, which only tappet-web sends, and the levels that all requests need on its socket. tappet-web
// passes on the token of a browser's cookie; the kiosk decides.
//
//     {"request":"enter","from":"192.0.2.7","host":"front-door.local"} NUL token
//     {"request":"press","action":"garage","id":"7d1f","at":86400123}

import TappetCore
import TappetJSON

/// A request on the page's socket.
package enum PageRequest: Sendable {
  /// Precedes all other requests of a connection: the browser's address, the host in its request, and its token.
  case enter(from: String, host: String, token: SecretBytes?)
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
  /// Requests the names and titles of all actions.
  case actions
  /// Writes the next tag, which then triggers the action in the person's name.
  case writeTag(action: String, label: String?, person: String?)
  case stock(StockRequest)
  case broker(BrokerRequest)
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
    case .again, .taps, .hours, .actions, .broker(.test), .broker(.listen): .from(.manage)
    case .writeTag, .broker(.publish): .again
    // Only 'tappet init --web' serves them.
    case .watchSetup, .answerSetup: .never
    }
  }
}

/// A press on the page.
package struct PagePress: Sendable {
  package var action: String
  /// Chosen by the page; a repeated id has no effect.
  package var id: String
  /// The kiosk's time at the press, in milliseconds since the machine started.
  package var milliseconds: Int64
  /// Whether the page runs no script, so that the time is that at which the page was made.
  package var isForm: Bool

  package init(_ action: String, id: String, milliseconds: Int64, isForm: Bool = false) {
    self.action = action
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

extension PageRequest {
  var form: RequestForm {
    switch self {
    case .enter(let address, let host, let token):
      .init("enter", ["from": .string(address), "host": .string(host)], enclosing: token)
    case .pair(let code): .init("pair", enclosing: code)
    case .again(let password): .init("again", enclosing: password)
    case .state: .init("web-state")
    case .watch: .init("web-watch")
    case .press(let press):
      .init(
        "press",
        [
          "action": .string(press.action), "id": .string(press.id), "at": .number(press.milliseconds),
          "form": .bool(press.isForm),
        ])
    case .confirm(let question, let time, let isForm):
      .init("confirm", ["question": .number(question), "at": .number(time), "form": .bool(isForm)])
    case .cancel(let question): .init("cancel", ["question": .number(question)])
    case .taps(let span): .init("web-taps", span.facts)
    case .hours(let span): .init("web-hours", span.facts)
    case .actions: .init("web-actions")
    case .writeTag(let action, let label, let person):
      .init("web-tag", ["action": .string(action), "label": .optional(label), "person": .optional(person)])
    case .stock(let request): request.form
    case .broker(let request): request.form
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
      self = .enter(from: request.text("from"), host: request.text("host"), token: token.count > 0 ? token : nil)
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
          request.text("action"), id: id, milliseconds: request.number("at"), isForm: request.isTrue("form")))
    case "confirm":
      self = .confirm(
        question: request.number("question"), milliseconds: request.number("at"), isForm: request.isTrue("form"))
    case "cancel": self = .cancel(question: request.number("question"))
    case "web-taps": self = .taps(try PageSpan(request))
    case "web-hours": self = .hours(try PageSpan(request))
    case "web-actions": self = .actions
    case "web-tag":
      self = .writeTag(
        action: request.text("action"), label: request.optionalText("label"), person: request.optionalText("person"))
    case "setup-watch": self = .watchSetup
    case "setup-answer": self = .answerSetup(number: request.number("number"), request.secretPayload)
    case _:
      if let stock = try StockRequest(name, request) {
        self = .stock(stock)
      } else if let broker = try BrokerRequest(name, request) {
        self = .broker(broker)
      } else {
        return nil
      }
    }
  }
}
