// 'tappet matrix watch', on a terminal that tmux keeps and without one, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomWatchTests {
  private let server: Homeserver
  private let world: KioskWorld

  init() throws {
    server = try Homeserver()
    world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
  }

  private func watch() throws -> Service {
    try Service(
      try Programs.built("tappet"), ["matrix", "watch", "--config", world.configPath],
      log: server.folder.path + "/watch.log")
  }

  private func polls() -> [String] { server.requests("since=").map(\.path) }

  @Test func `without a terminal each message is one line, and a signal ends the command`() throws {
    let watch = try watch()
    #expect(eventually { watch.text.contains(#"!open:h  #door:h  Front \u{1b}\u{a}door  3 unread"#) }, "\(watch.text)")
    #expect(eventually { watch.text.contains("invited by @ann:h") } && !watch.text.contains("first in"))
    #expect(eventually { !polls().isEmpty })
    try server.write("one\u{1B}[2J\u{202E}\ntwo", in: "!open:h")
    #expect(eventually { watch.text.contains(#"door  @ann:h  one\u{1b}[2J\u{202e} two"#) }, "\(watch.text)")
    try server.write("three", by: "@ben:h", in: "!hidden:h")
    #expect(eventually { watch.text.contains("!hidden:h  @ben:h  three") }, "\(watch.text)")
    #expect(watch.text.components(separatedBy: "two").count == 2, "each message once: \(watch.text)")
    #expect(!watch.text.contains("\u{1B}"))
    watch.end(SIGINT)
    #expect(watch.status == 0, "\(watch.text)")
  }

  @Test func `after a failure all rooms are read again, and no message is lost or repeated`() throws {
    let watch = try watch()
    #expect(eventually { !polls().isEmpty })
    try server.write("one")
    #expect(eventually { watch.text.contains("  one\n") }, "\(watch.text)")
    try server.append(["fault": "html"])
    #expect(eventually { watch.text.contains("tappet matrix watch: trying again in ") }, "\(watch.text)")
    try server.write("two")
    #expect(eventually { watch.text.contains("  two\n") }, "\(watch.text)")
    #expect(watch.text.components(separatedBy: "  one\n").count == 2, "\(watch.text)")
    watch.end(SIGTERM)
    #expect(watch.status == 0, "\(watch.text)")
  }

  @Test func `with encryption no request acknowledges keys that the kiosk still needs`() throws {
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(
      of: "session: matrix.session,", with: "session: matrix.session, encryption: {devices: all},"
    )
    .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let watch = try watch()
    #expect(eventually { watch.text.contains("!open:h") }, "\(watch.text)")
    let before = server.requests("/sync").count
    try server.write("one")
    #expect(eventually(within: 30) { watch.text.contains("  one\n") }, "\(watch.text)")
    #expect(server.requests("/sync").count > before && polls().isEmpty, "\(polls())")
    watch.end(SIGINT)
  }

  @Test(.needsTmux) func `on a terminal rooms with new messages move up, and Ctrl-C restores the terminal`() throws {
    for room in ["!late:h", "!space:h"] { #expect(try world.tappet("matrix", "join", room).status == 0) }
    let terminal = try Terminal(
      try Programs.built("tappet"), ["matrix", "watch", "--config", world.configPath], in: server.folder.path,
      columns: 140)
    #expect(terminal.shows("3 rooms, 1 space, 5 unread, 1 invitation  https://localhost:"), "\(terminal.lines)")
    func line(_ number: Int) -> String { terminal.lines.dropFirst(number).first ?? "" }
    #expect(eventually { line(2).hasPrefix("*!space:h") && line(2).contains("[!late:h] @ann:h: first in !late:h") })
    #expect(eventually { line(3).hasPrefix("*  !late:h") && line(4).hasPrefix("*  Front") }, "\(terminal.lines)")
    #expect(eventually { !polls().isEmpty })
    try server.write("hello \u{202E}there", in: "!open:h")
    #expect(eventually { line(3).hasPrefix("*  Front") && line(3).contains(#"@ann:h: hello \u{202e}there"#) })
    try server.append(["room": "!late:h", "counts": [0, 0]])
    #expect(eventually { line(4).hasPrefix("   !late:h") }, "\(terminal.lines)")
    try server.append(["room": "!hidden:h", "type": "leave", "sender": "@owner:h"])
    #expect(eventually { !terminal.lines.contains { $0.contains("!hidden:h") } }, "\(terminal.lines)")
    try terminal.resize(columns: 60, rows: 7)
    #expect(eventually { line(6).hasPrefix(" q quit") }, "\(terminal.lines)")
    try terminal.type("\u{3}")
    let written = { textSoFar(server.folder.path + "/written") }
    #expect(eventually { written().contains("\u{1B}[?1049l") }, "\(written().suffix(300))")
  }
}
