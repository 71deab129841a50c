// `tappet init` over an existing kiosk, after it was killed, and while it is stopped.

import CPlatform
import Foundation
import TestSupport
import Testing

@Suite struct InitAgainTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path + "/kiosk.yaml" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  }

  private let answers = [
    "--preset", "another", "--url", "mqtt://127.0.0.1:1", "--client-id", "kiosk", "--username", "none", "--reader",
    "none", "--profile",
    "none",
    "--action", "light", "--topic", "home/light", "--message", "m", "--state", "state", "--untested",
  ]

  private func setUp() throws -> Finished {
    try Programs.run(try Programs.built("tappet"), ["init", "--yes", "--force", "--config", path] + answers)
  }

  private func content(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
  }

  private func session(_ options: [String]) throws -> TypedSession {
    try TypedSession(
      try Programs.built("tappet"), ["init", "--config", path] + options, log: folder.path + "/session",
      environment: ["TAPPET_PRESETS": Repository.root + "/board/presets"])
  }

  @Test func `the summary names what the new file omits, and earlier copies are kept`() throws {
    #expect(try setUp().status == 0)
    let more = """
          cooldown: 9 s
          hours: ['Mon-Fri 08:00-18:00']
        - {name: gong, webhook: {url: "https://web.example/gong"}, message: m}
      history: 7 d

      """
    var first = try content("kiosk.yaml") + more
    try first.write(toFile: path, atomically: true, encoding: .utf8)
    let session = try session(answers)
    try session.play([
      "Try again (t)": "g", "Line of the status LED": "", "Line of a button": "", "Line of an output": "",
      "  Not kept: actions.light.cooldown, actions.light.hours, actions.gong, history": nil,
      "  Copy of the old file: \(path).old\r\n": nil, "Write these files, and replace": nil,
    ])
    first += "# by another program\n"
    try first.write(toFile: path, atomically: true, encoding: .utf8)
    try session.type("y\r")
    try session.play([
      "Another program has just written one of these files.": nil, "Write these files, and replace": "y",
    ])
    #expect(try session.status() == 0)
    #expect(try setUp().status == 0)
    #expect(try content("kiosk.yaml.old") == first)
    #expect(FileManager.default.fileExists(atPath: path + ".old.2"))
  }

  @Test func `the next setup restores files that a killed setup had replaced`() throws {
    #expect(try setUp().status == 0)
    let gone = try Programs.run(try Programs.installed("sh"), ["-c", "echo $$"]).output.trimmingCharacters(
      in: .newlines)
    let mark = ".tappet-" + gone
    let files = [
      "kiosk.key": "new", "kiosk.key\(mark).old": "former", "kiosk.yaml\(mark).new": "new", "other\(mark).new": "new",
    ]
    for (name, text) in files { try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8) }
    let stage = folder.path + "/" + mark + "-abcdef"
    try FileManager.default.createDirectory(atPath: stage, withIntermediateDirectories: false)
    try "secret".write(toFile: stage + "/kiosk.key", atomically: true, encoding: .utf8)
    let check = try Programs.run(try Programs.built("tappet"), ["check", "--config", path])
    #expect(check.output.contains("a setup that replaced files in \(folder.path) was interrupted"), "\(check)")
    let again = try setUp()
    #expect(again.status == 0 && again.errors.contains("have their former content again: kiosk.key"), "\(again)")
    #expect(try content("kiosk.key") == "former")
    // One that was completed is not undone.
    try "older".write(toFile: folder.path + "/kiosk.key\(mark).old", atomically: true, encoding: .utf8)
    #expect(try setUp().status == 0)
    #expect(try content("kiosk.key") == "former")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.contains(".tappet-") }, "\(names)")
  }

  @Test func `a killed setup is undone even if the next setup has the same process id`() throws {
    #expect(try setUp().status == 0)
    // The id stays the same when the shell is replaced.
    let script = """
      echo former > "$1/kiosk.key.tappet-$$.old"; echo new > "$1/kiosk.key"; echo new > "$1/kiosk.yaml.tappet-$$.new"
      shift; exec "$0" "$@"
      """
    let tappet = try Programs.built("tappet").path
    let done = try Programs.run(
      try Programs.installed("sh"),
      ["-c", script, tappet, folder.path, "init", "--yes", "--force", "--config", path] + answers)
    #expect(done.status == 0 && done.errors.contains("have their former content again: kiosk.key"), "\(done)")
    #expect(try content("kiosk.key") == "former\n")
  }

  @Test func `a password stays hidden after the dialogue was stopped and continued`() throws {
    let session = try session([
      "--preset", "another", "--url", "mqtt://127.0.0.1:1", "--client-id", "kiosk", "--username", "ann",
    ])
    try session.play(["Send it anyway?": "y"])
    try session.expect("Password for ann (not shown): ")
    try session.whileStopped { program in
      // As a shell does for its own line.
      let terminal = try Programs.run(try Programs.installed("stty"), ["-F", "/proc/\(program)/fd/0", "echo"])
      #expect(terminal.status == 0, "\(terminal)")
    }
    try session.answer("Password for ann (not shown): ", "pass-9471")
    try session.expect("Connecting to mqtt://127.0.0.1:1")
    #expect(!session.text.contains("9471"), "\(session.text)")
  }

  @Test func `keys unknown to the line editor add no text to an answer`() throws {
    let session = try session(["--force"] + answers.filter { $0 != "--action" && $0 != "light" })
    let escape = "\u{1B}"
    try session.play([
      "Try again (t)": "g", "Line of the status LED": "", "Line of a button": "", "Line of an output": "",
      // F13, Ctrl and the right arrow, the mark before pasted text, and Alt with a letter.
      "Name [light]: ": "\(escape)[25~be\(escape)[1;5C\(escape)[200~ll\(escape)q", "Write these files?": "y",
    ])
    #expect(try session.status() == 0)
    #expect(try content("kiosk.yaml").contains("  - name: bell\n"), "\(session.text)")
  }

  @Test func `the question is repeated after an answer that is too long`() throws {
    let session = try session(["--preset", "none", "--reader", "none", "--profile", "none"])
    try session.play([
      "Matrix room, such": String(repeating: "x", count: 4097), "An answer has at most 4096 bytes": nil,
      "Matrix room": "none",
    ])
    try session.expect("Line of")
  }

  @Test func `a kiosk can be set up and checked through a symbolic link`() throws {
    #expect(try setUp().status == 0)
    let link = folder.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    defer { try? FileManager.default.removeItem(atPath: link) }
    let check = try Programs.run(try Programs.built("tappet"), ["secret", "list", "--config", link + "/kiosk.yaml"])
    #expect(check.status == 0, "\(check)")
  }
}
