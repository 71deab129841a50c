// The questions that requests of browsers put to the kiosk. Pure: the routes, and their form on the kiosk's socket.

import TappetBase
import TappetJSON

/// A question to the kiosk on behalf of a browser.
enum Inquiry: Equatable {
  /// The page itself, with the state filled in.
  case page
  /// The state as JSON.
  case state
  /// The stream of events.
  case events
  /// The browser is to be paired with the code that was typed.
  case pair(code: String)
  case press(action: String, id: String, milliseconds: Int64, isForm: Bool)
  case confirm(question: Int64)
  case cancel(question: Int64)
  case lock

  /// The route of a request.
  enum Route: Equatable {
    /// A file of the page, by its place in `Site.files`.
    case file(Int)
    case ask(Inquiry)
    /// There is no such path.
    case missing
    /// The path exists, but not for this method.
    case wrongMethod
  }

  /// Returns the route of a request whose body was received.
  static func route(_ method: String, _ path: String, _ body: [UInt8]) -> Route {
    let isGet = method == "GET" || method == "HEAD"
    switch path {
    case "/": return isGet ? .ask(.page) : .wrongMethod
    case "/style.css": return isGet ? .file(0) : .wrongMethod
    case "/app.js": return isGet ? .file(1) : .wrongMethod
    case "/icon.svg": return isGet ? .file(2) : .wrongMethod
    case "/api/state": return method == "GET" ? .ask(.state) : .wrongMethod
    case "/events": return method == "GET" ? .ask(.events) : .wrongMethod
    case "/press", "/confirm", "/cancel", "/lock", "/pair": break
    case _: return .missing
    }
    guard method == "POST" else { return .wrongMethod }
    let form = Form(body)
    switch path {
    case "/press":
      return .ask(
        .press(
          action: form["action"], id: form["id"], milliseconds: form.number("at"), isForm: form["form"] == "1"))
    case "/confirm": return .ask(.confirm(question: form.number("question")))
    case "/cancel": return .ask(.cancel(question: form.number("question")))
    case "/lock": return .ask(.lock)
    case _: return .ask(.pair(code: form["code"]))
    }
  }

  /// The request to the kiosk that follows `enter`.
  var message: [UInt8] {
    switch self {
    case .page, .state: Inquiry.message("web-state")
    case .events: Inquiry.message("web-watch")
    case .pair(let code): Inquiry.message("pair") + [0] + Array(code.utf8)
    case .press(let action, let id, let milliseconds, let isForm):
      Inquiry.message(
        "press",
        ["action": .string(action), "id": .string(id), "at": .number(milliseconds), "form": .bool(isForm)])
    case .confirm(let question): Inquiry.message("confirm", ["question": .number(question)])
    case .cancel(let question): Inquiry.message("cancel", ["question": .number(question)])
    case .lock: Inquiry.message("panel-lock")
    }
  }

  /// Returns the first request of a connection to the kiosk.
  static func enter(from address: String, host: String, token: String?) -> [UInt8] {
    message("enter", ["from": .string(address), "host": .string(host)]) + (token.map { [0] + Array($0.utf8) } ?? [])
  }

  private static func message(_ name: String, _ facts: KeyValuePairs<String, JSON> = [:]) -> [UInt8] {
    JSON.object(
      [JSON.Member(name: "request", value: .string(name))] + facts.map { JSON.Member(name: $0.key, value: $0.value) }
    ).encoded()
  }
}
