// The panel as HTML, with the state filled in. The page's script keeps it current; without script, it reloads every
// 10 s.

import TappetBase
import TappetJSON

/// The panel in one state of the kiosk.
struct Panel {
  private let state: JSON
  private let now: Int64

  /// Creates the panel from the kiosk's response to `web-state`.
  init(_ reply: JSON) {
    state = reply["data"] ?? .null
    now = reply["now"]?.wholeNumber ?? 0
  }

  private var mayPress: Bool { ["press", "manage"].contains(text("level")) }
  private var isLocked: Bool { state["locked"] == .bool(true) }

  private func text(_ name: String) -> String { (state[name]?.text ?? "").escapedForHTML }

  /// An attribute for the script if the state says so.
  private func mark(_ name: String) -> String { state[name] == .bool(true) ? " data-\(name)" : "" }

  /// The content of the page.
  var content: String {
    if state["setup"] == .bool(true) {
      return "<section id=\"setup\"><header><h1>Set up this kiosk</h1></header></section>"
        + "<script type=\"module\" src=\"/setup.js\"></script>"
    }
    return """
      <section id="panel" data-level="\(text("level"))"\
      \(mark("store"))\(mark("publish"))><header><h1><bdi>\(text("name"))</bdi></h1>\
      <p class="pill" data-tone="\(text("tone"))"><i></i><span>\(text("text"))</span></p>\(lock)</header>\
      <p class="shut" role="status"\(mayPress && !isLocked ? " hidden" : "")>\
      \(mayPress ? Panel.locked : state["device"] == .null ? Panel.pairing : Panel.looking)</p>\
      \(question)<div class="tiles">\(tiles)</div>\
      <ul class="row doors" aria-label="Doors">\(doors)</ul>\(last)</section>\
      <script type="module" src="/panel.js"></script>
      """
  }

  private static let locked = "The buttons are locked. An unlocking tag or the code at the kiosk unlocks them."
  private static let looking = "This browser can only look."
  private static let pairing = "To use the buttons, pair this browser."

  private var lock: String {
    // A browser that is not paired may look at the panel, and can be paired.
    if state["device"] == .null { return "<a class=\"quiet\" href=\"/pair\">Pair</a>" }
    guard mayPress, let locked = state["locked"], locked != .null else { return "" }
    return """
      <form method="post" action="/lock"\(isLocked ? " hidden" : "")><button class="round" \
      aria-label="Lock the buttons">\(Panel.picture("lock"))</button></form>
      """
  }

  private var tiles: String {
    let actions = (state["tiles"]?.elements ?? []).map { tile in
      form(
        [("action", tile["action"]?.text ?? "")], title: tile["title"]?.text ?? "",
        glyph: String((tile["title"]?.text ?? "").prefix(1)).escapedForHTML,
        hint: tile["asks"] == .bool(true) ? "Asks first" : "")
    }
    let outputs = (state["outputs"]?.elements ?? []).map { tile in
      let name = tile["output"]?.text ?? ""
      let (icon, on, off) = Panel.words(for: tile["kind"]?.text ?? "")
      let level = tile["on"] == .bool(true) ? on : tile["on"] == .bool(false) ? off : "Cannot be switched"
      return form(
        [("output", name), ("do", tile["do"]?.text ?? "")], title: name,
        glyph: Panel.picture(icon), hint: level, isOn: tile["on"] == .bool(true))
    }
    return (actions + outputs).joined()
  }

  /// The contacts of doors; the script adds since when they have their levels.
  private var doors: String {
    (state["inputs"]?.elements ?? []).map { door in
      func text(_ name: String) -> String { (door[name]?.text ?? "").escapedForHTML }
      return
        "<li class=\"pill\" data-tone=\"\(text("tone"))\"><i></i><span>"
        + "<b><bdi>\(text("input"))</bdi></b> \(text("text"))</span></li>"
    }.joined()
  }

  private static func picture(_ name: String) -> String {
    "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><use href=\"#i-\(name)\"/></svg>"
  }

  /// The icon of an output of this kind, and the words for its levels; panel.js has the words, too.
  private static func words(for kind: String) -> (icon: String, on: String, off: String) {
    switch kind {
    case "switch": ("power", "On", "Off")
    case "lock": ("lock", "Open", "Shut")
    default: ("pulse", "On", "Off")
    }
  }

  /// A button, whose first field names what it triggers or switches; `glyph` is HTML.
  private func form(
    _ target: [(name: String, value: String)], title: String, glyph: String, hint: String, isOn: Bool = false
  ) -> String {
    let fields = target + [("id", Panel.newID()), ("at", String(now)), ("form", "1")]
    let inputs = fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value.escapedForHTML)\">" }
    let mark = target.first.map { "data-\($0.name)=\"\($0.value.escapedForHTML)\"" } ?? ""
    return """
      <form class="tile" method="post" action="/press" \(mark) data-hint="\(hint)"\
      \(isOn ? " data-on" : "")>\(inputs.joined())\
      <button class="press"\(mayPress && !isLocked ? "" : " disabled")><span class="glyph" aria-hidden="true">\
      \(glyph)</span><b><bdi>\(title.escapedForHTML)</bdi></b>\
      <span class="note">\(hint)</span></button></form>
      """
  }

  /// The question that this browser may answer.
  private var question: String {
    guard let question = state["question"], question["mine"] == .bool(true) else { return "" }
    let number = question["number"]?.wholeNumber ?? 0
    func form(_ path: String, _ word: String, _ kind: String) -> String {
      """
      <form method="post" action="\(path)"><input type="hidden" name="question" value="\(number)">\
      <input type="hidden" name="at" value="\(now)"><input type="hidden" name="form" value="1">\
      <button class="\(kind)">\(word)</button></form>
      """
    }
    return """
      <div class="question" role="alert"><p><bdi>\((question["title"]?.text ?? "").escapedForHTML)</bdi>: are you sure?\
      </p>\(form("/confirm", "Confirm", "main"))\(form("/cancel", "Cancel", "quiet"))</div>
      """
  }

  private var last: String {
    let (outcome, known) = (state["last"], state["last"] != nil && state["last"] != .null)
    let title = outcome?["title"]?.text.map { "<bdi>\($0.escapedForHTML)</bdi>: " } ?? ""
    let words = known ? title + (outcome?["text"]?.text ?? "").escapedForHTML : ""
    return "<p class=\"last\" data-tone=\"\((outcome?["tone"]?.text ?? "").escapedForHTML)\">\(words)</p>"
  }

  /// A new id of a press; it must only differ from others, not be secret.
  private static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 16)
  }
}
