// Responses to browsers. Every response has the headers that keep foreign text from becoming script, and the page from
// being shown inside another one.

import CMicroHTTPD
import TappetJSON

/// A response that is complete.
struct Answer {
  var status: UInt32 = 200
  var type = "text/html; charset=utf-8"
  var body: [UInt8] = []
  var headers: [(name: String, value: String)] = []

  /// Creates the refusal of a request whose connection cannot be used for another one.
  static func closing(_ status: UInt32, _ line: String) -> Answer {
    Answer.text(status, line).adding("Connection", "close")
  }

  /// The response to a form that is larger than any of the page's.
  static let tooLarge = Answer.closing(413, "The request is too large.")

  /// Creates a response of one line of text.
  static func text(_ status: UInt32, _ line: String) -> Answer {
    Answer(status: status, type: "text/plain; charset=utf-8", body: Array((line + "\n").utf8))
  }

  /// Creates a refusal, as JSON for the page's script.
  static func refusal(_ status: UInt32, _ line: String, asPage: Bool) -> Answer {
    asPage ? .text(status, line) : .json(status, .object(["error": .string(line)]))
  }

  /// Creates a response of JSON.
  static func json(_ status: UInt32, _ json: JSON) -> Answer {
    Answer(status: status, type: "application/json", body: json.encoded())
  }

  /// Returns the response with one more header, if it has a value.
  func adding(_ name: String, _ value: String?) -> Answer {
    var answer = self
    if let value { answer.headers.append((name, value)) }
    return answer
  }

  /// Creates the response that makes a browser load the page again, after a form.
  static let toPage = Answer(status: 303, headers: [("Location", "/")])

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

  private static let guards: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
    // Not "no-referrer": with it, browsers send no Origin with a form.
    ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(self), microphone=(), geolocation=()"),
  ]

  /// Adds the headers of every response.
  static func guardHeaders(_ response: OpaquePointer?, type: String, cache: String) {
    tw_add_header(response, "Content-Type", type)
    tw_add_header(response, "Cache-Control", cache)
    for (name, value) in guards { tw_add_header(response, name, value) }
  }

  /// Queues the response; returns false if the connection must be closed.
  func queue(on connection: OpaquePointer?, cache: String = "no-store") -> Bool {
    let response = tw_response(body, body.count)
    Answer.guardHeaders(response, type: type, cache: cache)
    for (name, value) in headers { tw_add_header(response, name, value) }
    return tw_answer(connection, status, response) == 0
  }
}
