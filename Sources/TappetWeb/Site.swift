// The page's files, and the kiosk's answers as pages. The page works without script: the state is filled in here, and
// each button is a form. All text from the kiosk passes through one escaping function.

import CPlatform
import TappetBase
import TappetJSON
import TappetPlatform
import TappetQR

/// The files of the page.
struct Site {
  /// The style sheet, the scripts, the icon, and the texts in other languages.
  let files: [Answer]
  /// The paths of the files, in the same order.
  static let paths = [
    "/style.css", "/app.js", "/panel.js", "/today.js", "/people.js", "/store.js", "/broker.js", "/device.js",
    "/setup.js",
    "/icon.svg", "/de.json", "/fr.json", "/ja.json",
  ]
  /// The page around its content.
  private let template: [[UInt8]]

  /// Loads the files.
  init(folder: String) throws(WebError) {
    func load(_ name: String) throws(WebError) -> [UInt8] {
      do throws(SystemError) { return try WebFile(folder + "/" + name, sizeMax: Limits.webFileSizeMax).bytes } catch {
        throw WebError("\(folder)/\(name) cannot be read: \(error.text); install it, or use --pages FOLDER")
      }
    }
    var files: [Answer] = []
    for path in Site.paths {
      let name = String(Substring(path.utf8.dropFirst()))
      files.append(Answer(type: Site.type(of: name), body: try load(name)))
    }
    self.files = files
    template = Site.split(try load("index.html"))
    guard template.count == Site.places.count + 1 else {
      throw WebError("\(folder)/index.html does not have the places \(Site.places.joined(separator: ", "))")
    }
  }

  private static func type(of name: String) -> String {
    switch name.utf8.split(separator: UInt8(ascii: ".")).last.map({ String($0) }) {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case _: "application/json"
    }
  }

  private static let places = ["{{NAME}}", "{{RELOAD}}", "{{CONTENT}}"]

  /// Splits the template at its places.
  private static func split(_ text: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = text[...]
    for place in places {
      let bytes = Array(place.utf8)
      guard let start = rest.indices.first(where: { rest[$0...].starts(with: bytes) }) else { return [] }
      parts.append(Array(rest[..<start]))
      rest = rest[(start + bytes.count)...]
    }
    return parts + [Array(rest)]
  }

  // MARK: Answers

  /// Returns the response to an inquiry that the kiosk has answered.
  func answer(_ answer: Exchange.KioskAnswer, to inquiry: Inquiry, in exchange: Exchange) -> Answer {
    let isPage =
      switch inquiry.purpose {
      case .page: true
      case .pairing, .act: exchange.wantsPage
      case .data, .code, .events, .job: false
      }
    switch answer {
    case .away, .streams:
      let sentence = "The kiosk does not respond. This page tries again by itself."
      return isPage ? page(503, notice(sentence, "data-away"), reloads: true) : .text(503, sentence)
    case .refused("not-allowed", _) where inquiry.purpose == .page: return pairing(200, isSetup: exchange.isSetup)
    case .refused(let code, let sentence):
      let status = Site.status(of: code)
      guard isPage else { return .json(status, .object(["code": .string(code), "error": .string(sentence)])) }
      // A set-up has one code only.
      if exchange.isSetup, code == "code-over" { return page(status, notice(sentence, "")) }
      if inquiry.purpose == .pairing { return pairing(status, isSetup: exchange.isSetup, note: sentence) }
      // Under an unknown host, the panel is refused, too.
      let way = code == "host-unknown" ? "" : "<p><a href=\"/\">Back to the panel</a></p>"
      return page(status, notice(sentence, "", way))
    case .replied(let reply, let secret):
      switch inquiry.purpose {
      case .page:
        let name = exchange.entered?["name"]?.text ?? "Tappet"
        return page(200, name: name, Panel(reply).content, reloads: true).adding("Set-Cookie", exchange.renewedCookie)
      case .pairing:
        return .toPage.adding("Set-Cookie", exchange.cookie(String(decoding: secret, as: UTF8.self)))
      case .act where exchange.wantsPage: return .toPage
      case .code: return code(reply, secret)
      case .act, .data, .events, .job: return .json(200, reply)
      }
    }
  }

  private func code(_ reply: JSON, _ secret: [UInt8]) -> Answer {
    do throws(QRCodeError) {
      let code = try QRCode(secret)
      return .json(
        200,
        .object(
          reply.members + [
            .init(name: "width", value: .number(Int64(code.width))), .init(name: "path", value: .string(code.path)),
          ]))
    } catch { return .text(503, "The QR code cannot be drawn.") }
  }

  /// Returns the form for a pairing code, with the reason why the last one was refused.
  func pairing(_ status: UInt32, isSetup: Bool = false, note: String? = nil) -> Answer {
    let title = isSetup ? "Set up this kiosk" : "Pair this browser"
    let way =
      isSetup
      ? "Type the code that the kiosk's terminal shows."
      : "At the kiosk, run <code>sudo tappet web pair NAME</code>, and type its code here."
    let alert = note.map { "<p class=\"bad\" role=\"alert\">\($0.asSentence.escapedForHTML)</p>" } ?? ""
    return page(
      status,
      """
      <form class="card pair" method="post" action="/pair"><h1>\(title)</h1>\(alert)\
      <p>\(way)</p>\
      <label>Code<input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required></label>\
      <button class="main">Pair</button></form>
      """)
  }

  private static func status(of code: String) -> UInt32 {
    switch code {
    case "host-unknown": 421
    case "not-allowed", "code-wrong", "code-over", "again", "password-wrong": 403
    case "action-unknown": 404
    case "command-late", "question-over": 409
    case "too-many": 429
    case "starting", "busy", "failed": 503
    case _: 400
    }
  }

  /// Returns the page; `reloads` means that a browser without script loads it again every 10 s.
  private func page(_ status: UInt32, name: String = "Tappet", _ content: String, reloads: Bool = false) -> Answer {
    let reload = reloads ? "<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>" : ""
    return Answer(
      status: status,
      body: zip(template, [name.escapedForHTML, reload, content, ""]).flatMap { $0 + Array($1.utf8) })
  }

  private func notice(_ sentence: String, _ mark: String, _ way: String = "") -> String {
    """
    <section class="card" \(mark)><h1>Tappet</h1><p role="alert">\(sentence.asSentence.escapedForHTML)</p>\
    \(way)</section>
    """
  }
}

extension String {
  /// The kiosk's reason, which starts in lower case, as a sentence of its own.
  fileprivate var asSentence: String {
    var bytes = Array(utf8)
    if let first = bytes.first { bytes[0] = first.asciiUppercased }
    if let last = bytes.last, last != UInt8(ascii: ".") { bytes.append(UInt8(ascii: ".")) }
    return String(decoding: bytes, as: UTF8.self)
  }

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
