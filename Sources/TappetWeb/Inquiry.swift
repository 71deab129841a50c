// The questions that requests of browsers put to the kiosk. Pure: the routes, and their form on the kiosk's socket.

import TappetBase
import TappetJSON

/// A question to the kiosk on behalf of a browser.
struct Inquiry: Equatable {
  /// The kind of response that the browser receives if the kiosk agrees.
  enum Purpose: Hashable {
    /// The panel as a page, with the state filled in.
    case page
    /// The cookie of a new device.
    case pairing
    /// The stream of events.
    case events
    /// The stream of a job's notices, which ends with its result.
    case job
    /// The kiosk's response as JSON.
    case data
    /// The same with its secret as a QR code.
    case code
    /// The same, or the panel again if a form was sent.
    case act

    /// The methods of HTTP for it; only POST may have an effect.
    fileprivate var methods: [String] {
      switch self {
      case .page: ["GET", "HEAD"]
      case .events, .data: ["GET"]
      case .pairing, .code, .job, .act: ["POST"]
      }
    }

    /// Whether the response lasts.
    var isStream: Bool { self == .events || self == .job }
  }

  var purpose: Purpose
  /// The request to the kiosk that follows `enter`.
  var message: [UInt8]

  /// The route of a request.
  enum Route: Equatable {
    /// A file of the page, by its place in `Site.files`.
    case file(Int)
    /// The form for a pairing code.
    case pairing
    case ask(Inquiry)
    /// The link on a label in the store room, with the thing's code.
    case label(code: String)
    /// There is no such path.
    case missing
    /// The path exists, but not for this method.
    case wrongMethod
    /// The request to the kiosk would be too large.
    case tooLong
  }

  /// A member of the kiosk's request, mostly from a field of a form or of a path's query.
  private enum Field {
    case text(String)
    /// Null if it is empty.
    case optional(String)
    /// The nearest number that arrives unchanged; 0 if it is none.
    case number(String)
    /// True if it is `1`.
    case flag(String)
    case yes(String)

    func member(_ value: (String) -> String) -> JSON.Member {
      switch self {
      case .text(let name): .init(name: name, value: .string(value(name)))
      case .optional(let name): .init(name: name, value: value(name).isEmpty ? .null : .string(value(name)))
      case .number(let name): .init(name: name, value: .number(Field.exactNumber(value(name))))
      case .flag(let name): .init(name: name, value: .bool(value(name) == "1"))
      case .yes(let name): .init(name: name, value: .bool(true))
      }
    }

    private static func exactNumber(_ text: String) -> Int64 {
      min(max(Int64(text) ?? 0, JSON.exactNumbers.lowerBound), JSON.exactNumbers.upperBound)
    }
  }

  /// Returns the route of a request; `value` returns a parameter of its query or a field of its form, empty if missing.
  static func route(_ method: String, _ path: String, _ value: (String) -> String) -> Route {
    func ask(_ purpose: Purpose, _ request: String, _ fields: [Field] = [], enclosing secret: String? = nil) -> Route {
      guard purpose.methods.contains(method) else { return .wrongMethod }
      let payload: [UInt8] = secret.map { [0] + Array(value($0).utf8) } ?? []
      return bounded(Inquiry(purpose: purpose, message: message(request, fields.map { $0.member(value) }) + payload))
    }
    if let index = Site.paths.firstIndex(of: path) {
      return method == "GET" || method == "HEAD" ? .file(index) : .wrongMethod
    }
    switch path {
    case "/": return ask(.page, "web-state")
    case "/events": return ask(.events, "web-watch")
    case "/api/state": return ask(.data, "web-state")
    case "/api/taps": return ask(.data, "web-taps", [.number("from"), .number("until"), .text("before")])
    case "/api/hours": return ask(.data, "web-hours", [.number("from"), .number("until"), .text("before")])
    case "/api/log": return ask(.data, "web-log")
    case "/api/people": return ask(.data, "person-list", [.number("from")])
    case "/api/status": return ask(.data, "status")
    case "/api/devices": return ask(.data, "web-list")
    case "/api/device/remove": return ask(.act, "web-remove", [.text("name")])
    case "/api/outbox/retry": return ask(.act, "outbox-retry", [.yes("all")])
    case "/api/actions": return ask(.data, "web-actions")
    case "/api/tag": return ask(.job, "web-tag", [.text("action"), .optional("label"), .optional("person")])
    case "/api/secrets": return ask(.data, "secret-list", [.number("from")])
    case "/api/secret/rename": return ask(.act, "secret-rename", [.text("id"), .optional("label")])
    case "/api/secret/remove": return ask(.act, "secret-remove", [.text("id")])
    case "/api/share": return ask(.code, "secret-share", [.text("id")])
    case "/api/again": return ask(.act, "again", enclosing: "password")
    case "/api/store/find": return ask(.data, "stock-find", [.text("text")])
    case "/api/store/show": return ask(.data, "stock-show", [.text("id")])
    case "/api/store": return ask(.data, "stock-list")
    case "/api/store/move": return ask(.act, "stock-move", [.text("id"), .text("to")])
    case "/api/store/lend": return ask(.act, "stock-lend", [.text("id"), .text("to"), .text("until")])
    case "/api/store/return": return ask(.act, "stock-return", [.text("id"), .text("from")])
    case "/api/store/adjust":
      return ask(.act, "stock-adjust", [.text("id"), .number("pieces"), .number("ticket")])
    case "/api/store/undo": return ask(.act, "stock-undo", [.number("change")])
    case "/api/broker/test": return ask(.job, "broker-test")
    case "/api/broker/listen": return ask(.job, "broker-listen", [.text("filter")])
    case "/api/broker/publish":
      return ask(.job, "broker-publish", [.text("topic"), .text("text"), .flag("retain")])
    case "/api/fleet": return ask(.job, "web-fleet")
    case "/api/backup": return ask(.job, "web-backup", enclosing: "passphrase")
    case "/api/setup": return ask(.job, "setup-watch")
    case "/api/setup/answer": return ask(.act, "setup-answer", [.number("number")], enclosing: "answer")
    case "/api/person/remove": return ask(.act, "person-remove", [.text("name")])
    case "/api/person/add": return ask(.act, "person-add", [.text("name")])
    case "/api/person/rename": return ask(.act, "person-rename", [.text("name"), .text("new_name")])
    case "/api/person/suspend": return ask(.act, "person-suspend", [.text("name")])
    case "/api/person/resume": return ask(.act, "person-resume", [.text("name")])
    case "/pair":
      return method == "POST" ? ask(.pairing, "pair", enclosing: "code") : .pairing
    case "/press":
      return ask(
        .act, "press",
        [.optional("action"), .optional("output"), .optional("do"), .text("id"), .number("at"), .flag("form")])
    case "/confirm": return ask(.act, "confirm", [.number("question"), .number("at"), .flag("form")])
    case "/cancel": return ask(.act, "cancel", [.number("question")])
    case "/lock": return ask(.act, "panel-lock")
    case _: return path.begins(with: "/s/") ? .label(code: String(Substring(path.utf8.dropFirst(3)))) : .missing
    }
  }

  /// The request after which the kiosk sends another part of a backup.
  static var received: [UInt8] { message("web-received") }

  private static func bounded(_ inquiry: Inquiry) -> Route {
    inquiry.message.count <= Limits.controlRequestSizeMax ? .ask(inquiry) : .tooLong
  }

  /// Returns the first request of a connection to the kiosk, with facts about the server's place.
  static func enter(
    from address: BrowserAddress, host: String, token: String?, _ place: [JSON.Member] = []
  ) -> [UInt8] {
    let browser: [JSON.Member] = [
      .init(name: "from", value: .string(address.text)), .init(name: "network", value: .string(address.network)),
      .init(name: "host", value: .string(host)),
    ]
    return message("enter", browser + place) + (token.map { [0] + Array($0.utf8) } ?? [])
  }

  private static func message(_ request: String, _ members: [JSON.Member] = []) -> [UInt8] {
    JSON.object([JSON.Member(name: "request", value: .string(request))] + members).encoded()
  }
}
