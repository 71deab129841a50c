// The page's files, and the kiosk's answers as pages. The page works without script: the state is filled in here, and
// each button is a form. All text from the kiosk passes through one escaping function.

import CPlatform
import TappetBase
import TappetJSON
import TappetPlatform

/// The files of the page.
struct Site {
  /// Name of the cookie with a device's token; browsers accept this prefix only over HTTPS, and for no other host.
  static let cookieName = "__Host-tappet"

  /// The style sheet, the script and the icon.
  let files: [Answer]
  /// The page around its content.
  private let template: [[UInt8]]

  /// Loads the files.
  init(folder: String) throws(WebError) {
    func load(_ name: String) throws(WebError) -> [UInt8] {
      do throws(SystemError) { return try WebFile.read(folder + "/" + name, sizeMax: Limits.webFileSizeMax) } catch {
        throw WebError("\(folder)/\(name) cannot be read: \(error.text); install it, or use --pages FOLDER")
      }
    }
    files = [
      Answer(type: "text/css; charset=utf-8", body: try load("style.css")),
      Answer(type: "text/javascript; charset=utf-8", body: try load("app.js")),
      Answer(type: "image/svg+xml", body: try load("icon.svg")),
    ]
    template = Site.split(try load("index.html"))
    guard template.count == 3 else { throw WebError("\(folder)/index.html does not have the places NAME and CONTENT") }
  }

  /// Splits the template at `{{NAME}}` and `{{CONTENT}}`.
  private static func split(_ text: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = text[...]
    for hole in ["{{NAME}}", "{{CONTENT}}"] {
      let bytes = Array(hole.utf8)
      guard let start = rest.indices.first(where: { rest[$0...].starts(with: bytes) }) else { return [] }
      parts.append(Array(rest[..<start]))
      rest = rest[(start + bytes.count)...]
    }
    return parts + [Array(rest)]
  }

  // MARK: Answers

  /// Returns the response to an inquiry that the kiosk has answered; `wantsPage` means that a form was sent.
  func answer(_ answer: Exchange.KioskAnswer, to inquiry: Inquiry, wantsPage: Bool) -> Answer {
    let isPage = inquiry == .page || (wantsPage && inquiry != .state && inquiry != .events)
    switch answer {
    case .away, .streams:
      let sentence = "The kiosk does not respond. This page tries again every 10 seconds."
      return isPage ? page(503, "Tappet", notice(sentence)) : .text(503, sentence)
    case .refused("not-allowed", _) where inquiry == .page: return page(200, "Tappet", Site.pairing(note: nil))
    case .refused(let code, let sentence):
      guard isPage else {
        return Answer(
          status: Site.status(of: code), type: "application/json",
          body: JSON.object(["code": .string(code), "error": .string(sentence)]).encoded())
      }
      if case .pair = inquiry { return page(Site.status(of: code), "Tappet", Site.pairing(note: sentence)) }
      return page(Site.status(of: code), "Tappet", notice(sentence))
    case .replied(let entered, let reply, let secret):
      let name = entered["name"]?.text ?? "Tappet"
      switch inquiry {
      case .page: return page(200, name, Panel(reply).content)
      case .pair: return paired(String(decoding: secret, as: UTF8.self))
      case .state, .events: return Answer(type: "application/json", body: reply.encoded())
      case .press, .confirm, .cancel, .lock:
        return wantsPage ? .toPage : Answer(type: "application/json", body: reply.encoded())
      }
    }
  }

  private func paired(_ token: String) -> Answer {
    var answer = Answer.toPage
    answer.headers.append(
      (
        "Set-Cookie",
        "\(Site.cookieName)=\(token); Secure; HttpOnly; SameSite=Strict; Path=/; Max-Age=\(Limits.webCookieSeconds)"
      ))
    return answer
  }

  private static func status(of code: String) -> UInt32 {
    switch code {
    case "host-unknown": 421
    case "not-allowed", "code-wrong", "code-over": 403
    case "action-unknown": 404
    case "command-late", "question-over": 409
    case "too-many": 429
    case "starting", "busy", "failed": 503
    case _: 400
    }
  }

  private func page(_ status: UInt32, _ name: String, _ content: String) -> Answer {
    Answer(
      status: status,
      body: template[0] + Array(name.escapedForHTML.utf8) + template[1] + Array(content.utf8) + template[2])
  }

  private func notice(_ sentence: String) -> String {
    """
    <section class="card"><h1>Tappet</h1><p role="alert">\(sentence.escapedForHTML)</p>\
    <p><a href="/">Back to the panel</a></p></section>
    """
  }

  private static func pairing(note: String?) -> String {
    let alert = note.map { "<p class=\"bad\" role=\"alert\">\($0.escapedForHTML)</p>" } ?? ""
    return """
      <form class="card pair" method="post" action="/pair"><h1>Pair this browser</h1>\(alert)\
      <p>At the kiosk, run <code>sudo tappet web pair NAME</code>, and type its code here.</p>\
      <label>Code<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required></label>\
      <button class="main">Pair</button></form>
      """
  }
}

extension String {
  /// The text with the characters escaped that have a meaning in HTML, in its text and in quoted attributes.
  var escapedForHTML: String {
    var bytes: [UInt8] = []
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
      case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
      case _: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
