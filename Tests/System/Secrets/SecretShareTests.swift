// Share codes as people see them, on a terminal and as drawings. zbarimg reads them.

import Foundation
import TestSupport
import Testing

/// A picture of half blocks, as a screen shows them.
private struct Screenshot {
  private static let scale = 6
  private let rows: [[Bool]]

  /// Two rows of modules per line; everything but a block is light.
  init(_ lines: [Substring]) {
    let width = lines.map(\.count).max() ?? 0
    var rows: [[Bool]] = []
    for line in lines {
      var (upper, lower) = ([Bool](repeating: false, count: width), [Bool](repeating: false, count: width))
      for (column, character) in line.enumerated() {
        upper[column] = character == "▀" || character == "█"
        lower[column] = character == "▄" || character == "█"
      }
      rows += [upper, lower]
    }
    self.rows = rows
  }

  /// As a PGM file (netpbm).
  func write(to path: String) throws {
    let width = (rows.first?.count ?? 0) * Self.scale
    var file = Data("P5\n\(width) \(rows.count * Self.scale)\n255\n".utf8)
    for row in rows {
      let line = Data(row.flatMap { [UInt8](repeating: $0 ? 0 : 255, count: Self.scale) })
      for _ in 0..<Self.scale { file.append(line) }
    }
    try file.write(to: URL(fileURLWithPath: path))
  }
}

@Suite(.serialized) struct SecretShareTests {
  private static let labels = [
    "\"quoted\" C:\\tags\\1", "a & b = c # d % e", "Küche, 2. Stock", "車庫のドア", "باب المرآب", "🚪 garage 🔑",
    "smpshare://secret?idx=1&key=", "   trimmed   ", String(repeating: "x", count: 128),
  ]

  private func decode(_ path: String) throws -> String {
    let done = try Programs.run(
      try Programs.installed("zbarimg"), ["--quiet", "--raw", "--set", "disable", "--set", "qrcode.enable", path])
    return done.output.trimmingCharacters(in: .newlines)
  }

  @Test(.needsTmux)
  func `codes on a terminal and as SVG decode to the share URL, whatever the label`() throws {
    let world = try KioskWorld(withBroker: false)
    let tappet = try Programs.built("tappet")
    let picture = world.folder + "/screen.pgm"
    for label in Self.labels {
      let made = try world.tappet("secret", "new", "bell", "--label", label)
      let id = String(made.output.prefix { $0 != " " })
      #expect(made.status == 0, "\(made.errors)")
      let url = try world.tappet("secret", "share", id, "--url").output.trimmingCharacters(in: .newlines)
      #expect(url.hasPrefix("smpshare://secret?idx=2&key=") && url.utf8.allSatisfy { $0 < 0x80 })
      let decoded = URLComponents(string: url)?.queryItems?.first { $0.name == "label" }?.value
      #expect(decoded == label.trimmingCharacters(in: .whitespaces))

      let place = try Programs.temporaryFolder().path
      defer { try? FileManager.default.removeItem(atPath: place) }
      let terminal = try Terminal(
        tappet, ["secret", "share", id, "--config", world.configPath], in: place, columns: 150, rows: 80)
      #expect(try eventually { try terminal.text().contains("press any key to close") })
      let lines = try terminal.text().split(separator: "\n", omittingEmptySubsequences: false)
      try Screenshot(Array(lines.prefix { !$0.contains("press any key to close") })).write(to: picture)
      #expect(try decode(picture) == url, "\(label)")
      try terminal.type("q")

      let file = world.folder + "/code.svg"
      #expect(try world.tappet("secret", "share", id, "--out", file).status == 0)
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
      let drawn = world.folder + "/drawn.png"
      #expect(try Programs.run(try Programs.installed("rsvg-convert"), [file, "-o", drawn]).status == 0)
      #expect(try decode(drawn) == url, "\(label)")
      try FileManager.default.removeItem(atPath: file)
      #expect(try world.tappet("secret", "remove", id).status == 0)
    }
  }

  @Test(.needsTmux, arguments: ["q", "\u{3}", "\u{1A}", "\u{1C}"])
  func `a code is black on white in any theme, and a key press removes it from screen and scrollback`(
    key: String
  ) throws {
    let world = try KioskWorld(withBroker: false)
    let id = String(try world.tappet("secret", "list").output.prefix { $0 != " " })
    // The shell shows what is left at the end.
    let script = world.folder + "/script"
    try """
    #!/bin/sh
    trap : INT QUIT
    echo before
    '\(try Programs.built("tappet").path)' secret share \(id) --config '\(world.configPath)'
    echo "ended with $?"
    sleep 60

    """.write(toFile: script, atomically: true, encoding: .utf8)
    let terminal = try Terminal(URL(fileURLWithPath: "/bin/sh"), [script], in: world.folder, columns: 90, rows: 40)
    #expect(try eventually { try terminal.text().contains("press any key to close") })
    let shown = try terminal.colouredText()
    #expect(shown.contains("38;5;16") && shown.contains("48;5;231"), "\(shown.prefix(200))")
    try terminal.type(key)
    #expect(try eventually { try terminal.text().contains("ended with 0") })
    let left = try terminal.everything()
    #expect(left.contains("before") && !left.contains("█") && !left.contains("▀"), "\(left)")
  }

  @Test(.needsTmux)
  func `a terminal that is too small is refused with its size, and no key is written to a pipe`() throws {
    let world = try KioskWorld(withBroker: false)
    let id = String(try world.tappet("secret", "list").output.prefix { $0 != " " })
    let script = world.folder + "/script"
    try """
    #!/bin/sh
    '\(try Programs.built("tappet").path)' secret share \(id) --config '\(world.configPath)'
    echo "ended with $?"
    sleep 60

    """.write(toFile: script, atomically: true, encoding: .utf8)
    let terminal = try Terminal(URL(fileURLWithPath: "/bin/sh"), [script], in: world.folder, columns: 80, rows: 24)
    #expect(try eventually { try terminal.text().contains("ended with 4") })
    let text = try terminal.text().replacingOccurrences(of: "\n", with: "")
    #expect(text.contains("this terminal has 80 and 24"), "\(text)")
    let piped = try world.tappet("secret", "share", id)
    #expect(piped.status == 2 && piped.output.isEmpty && piped.errors.contains("standard output is not a terminal"))
    #expect(try world.tappet("secret", "share", id, "--out", world.folder + "/x.gif").status == 2)
    let taken = try world.tappet(
      "secret", "share", id, "--out", world.configPath.replacingOccurrences(of: "yaml", with: "svg"))
    #expect(taken.status == 0)
    let again = try world.tappet("secret", "share", id, "--out", world.folder + "/kiosk.svg")
    #expect(again.status == 4 && again.errors.contains("already exists"))
  }

  @Test func `text that zbarimg reads from a picture is accepted from a pipe`() throws {
    let world = try KioskWorld(withBroker: false)
    let id = String(try world.tappet("secret", "list").output.prefix { $0 != " " })
    let (drawing, picture) = (world.folder + "/code.svg", world.folder + "/photo.png")
    #expect(try world.tappet("secret", "share", id, "--out", drawing).status == 0)
    #expect(
      try Programs.run(try Programs.installed("rsvg-convert"), ["-b", "white", drawing, "-o", picture]).status == 0)
    let url = try decode(picture)
    #expect(try world.tappet("secret", "import", input: url + "\n").errors.contains(id))
    #expect(try world.tappet("secret", "remove", id).status == 0)
    let taken = try world.tappet("secret", "import", input: url + "\n")
    #expect(taken.status == 0 && !taken.output.contains(url), "\(taken)")
    // A picture without a code gives nothing.
    #expect(try world.tappet("secret", "import").status == 1)
  }

  @Test func `all share codes of a file are imported, and a refused one does not stop the others`() throws {
    let world = try KioskWorld(withBroker: false)
    let file = world.folder + "/codes"
    func code(_ index: Int) -> String { "smpshare://secret?idx=\(index)&key=\(Signing.key())\n" }
    try (code(0) + "\nnothing\n" + code(0) + code(2)).write(toFile: file, atomically: true, encoding: .utf8)
    let taken = try world.tappet("secret", "import", "--file", file)
    #expect(taken.status == 1 && taken.output.split(separator: "\n").count == 3, "\(taken)")
    #expect(taken.errors.contains("share code 2: ") && taken.errors.contains("1 of 4 share codes"), "\(taken)")
    #expect(try world.tappet("secret", "import", "--file", file, "--label", "x").status == 2)
  }

  @Test(.needsTmux)
  func `a USB scanner's input is accepted and not shown`() throws {
    let world = try KioskWorld(withBroker: false)
    let key = Signing.key()
    let script = world.folder + "/script"
    try """
    #!/bin/sh
    '\(try Programs.built("tappet").path)' secret import --label Scanned --config '\(world.configPath)'
    echo "ended with $?"
    stty -a
    sleep 60

    """.write(toFile: script, atomically: true, encoding: .utf8)
    let terminal = try Terminal(URL(fileURLWithPath: "/bin/sh"), [script], in: world.folder)
    #expect(try eventually { try terminal.text().contains("not shown") })
    try terminal.type("smpshare://secret?idx=2&key=\(key)\n")
    #expect(try eventually { try terminal.text().contains("ended with 0") })
    let text = try terminal.everything()
    #expect(!text.contains(key.prefix(16)) && text.contains(" echo "), "\(text)")
    #expect(try world.tappet("secret", "list").output.contains("Scanned"))
  }
}
