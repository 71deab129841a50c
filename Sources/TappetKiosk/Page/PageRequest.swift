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
  /// Requests the current state.
  case state
  /// Requests the current state, then each event as it occurs.
  case watch
  case press(PagePress)
  /// Confirms the question with this number, which this device's press caused.
  case confirm(question: Int64)
  /// Cancels the question with this number, which this device's press caused.
  case cancel(question: Int64)

  fileprivate var access: PageAccess {
    switch self {
    case .enter, .pair: .everyone
    case .state, .watch: .from(.look)
    case .press, .confirm, .cancel: .from(.press)
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
  /// No one, at any level.
  case never

  func allows(_ level: PageLevel?) -> Bool {
    switch self {
    case .everyone: true
    case .from(let least): level.map { $0 >= least } ?? false
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
    case .status, .watch, .listOutputs, .switchOutput, .testCommand, .dropEntries, .retryEntries, .reloadSession,
      .nextTag, .watchTags, .beginTagJob, .cancelTagJob, .stagePeople, .offerPairing, .secrets:
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
    case .state: .init("web-state")
    case .watch: .init("web-watch")
    case .press(let press):
      .init(
        "press",
        [
          "action": .string(press.action), "id": .string(press.id), "at": .number(press.milliseconds),
          "form": .bool(press.isForm),
        ])
    case .confirm(let question): .init("confirm", ["question": .number(question)])
    case .cancel(let question): .init("cancel", ["question": .number(question)])
    }
  }

  /// Decodes a request; `nil` if the name is unknown.
  init?(_ name: String, _ request: RequestMembers) throws(KioskRequestError) {
    switch name {
    case "enter":
      let token = request.secretPayload
      self = .enter(from: request.text("from"), host: request.text("host"), token: token.count > 0 ? token : nil)
    case "pair": self = .pair(code: request.secretPayload)
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
    case "confirm": self = .confirm(question: request.number("question"))
    case "cancel": self = .cancel(question: request.number("question"))
    case _: return nil
    }
  }
}
