// `tappet init --yes`: what single options make of kiosk.yaml and of the secrets.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InitOptionTests {
  /// Runs it with these options besides those that every kiosk of the world needs; the new kiosk.yaml.
  private func initialize(_ world: KioskWorld, _ name: String, _ options: String...) throws -> String {
    let target = world.folder + "/\(name)/kiosk.yaml"
    let done = try Programs.run(
      try Programs.built("tappet"),
      [
        "init", "--yes", "--config", target, "--url", "localhost:\(world.broker.port)", "--ca",
        try Certificates.path("ca.pem"), "--certificate", try Certificates.path("client.pem"), "--private-key",
        try Certificates.path("client.key"),
      ] + options, environment: ["TAPPET_PRESETS": Repository.root + "/board/presets"])
    #expect(done.status == 0, "\(done)")
    return target
  }

  @Test func `the preset for Home Assistant enables the integration`() throws {
    let world = try KioskWorld()
    for (preset, line) in [("home-assistant", "\nhome_assistant: true "), ("mosquitto", "\n# home_assistant: true ")] {
      let target = try initialize(world, preset, "--preset", preset, "--reader", "none")
      #expect(try String(contentsOfFile: target, encoding: .utf8).contains(line))
    }
  }

  /// Runs it without a broker.
  private func initializeAlone(_ path: String, _ options: [String]) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"), ["init", "--yes", "--force", "--config", path, "--reader", "none"] + options,
      environment: ["TAPPET_PRESETS": Repository.root + "/board/presets"])
  }

  @Test func `without a broker the first action goes to a room or a web server`() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/kiosk.yaml"
    for (options, line) in [
      (["--preset", "none", "--send-to", "#door:h"], ##"    room: "#door:h""##),
      (
        ["--url", "none", "--send-to", "https://web.example/tap", "--untested"],
        #"    webhook: {url: "https://web.example/tap"}"#
      ),
    ] {
      let done = try initializeAlone(path, options + ["--ca", "/nowhere.pem", "--action", "bell"])
      #expect(done.status == 0, "\(done)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("\n# broker: ") && !text.contains("\nbroker:") && !text.contains("topic: "), "\(text)")
      #expect(text.contains(line + "\n") && text.contains("  - name: bell\n"), "\(text)")
      let isRoom = line.contains("room")
      #expect(text.contains("\nmatrix: {session: matrix.session} ") == isRoom, "\(text)")
      #expect(done.errors.contains("matrix login USER") == isRoom, "\(done)")
      let checked = try Programs.run(try Programs.built("tappet"), ["check", "--config-only", "--config", path])
      // Only the login is missing.
      #expect(
        isRoom
          ? checked.errors.contains("create it with 'tappet matrix login USER'")
          : checked.output.contains("bell: POST to "), "\(checked)")
      // Run again, the file provides its answers.
      #expect(try initializeAlone(path, ["--untested"]).status == 0)
      let again = try String(contentsOfFile: path, encoding: .utf8)
      #expect(again.contains(line + "\n") && again.contains("message: \"Somebody is here (%{time}).\"\n"), "\(again)")
      #expect(again.contains("\nstate: state "), "\(again)")
    }
    let missing = try initializeAlone(folder.path + "/other.yaml", ["--preset", "none"])
    #expect(missing.status == 2 && missing.errors.contains("--send-to is missing"), "\(missing)")
    let wrong = try initializeAlone(folder.path + "/other.yaml", ["--preset", "none", "--send-to", "#door"])
    #expect(wrong.status == 1 && wrong.errors.contains("--send-to: "), "\(wrong)")
  }

  @Test func `without a broker init asks for a room, and not for certificates`() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/new/kiosk.yaml"
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let session = try TypedSession(
      try Programs.built("tappet"), ["init", "--config", path], log: folder.path + "/session",
      environment: ["TAPPET_PRESETS": Repository.root + "/board/presets"])
    try session.play([
      "(number or name) [another]: ": "another", "Host": "none", "Matrix room": "",
      "enter a room, such as #door:example.org, or a URL": nil, "Matrix room": "#door:h", "connection string": "none",
      "Profile of the board's header": "none", "Line of the status LED": "", "Line of a button": "",
      "Line of an output": "", "Name [light]: ": "bell", "Message": "", "Folder": "state", "Write these files?": "",
      "wrote \(path)": nil, "'tappet matrix login USER --config \(path)'": nil,
    ])
    #expect(try session.status() == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains(##"    room: "#door:h""##))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new").sorted()
    #expect(names == ["kiosk.yaml", "state"])
  }

  @Test func `a board without a reader is reported as such, and still accepts a share code`() throws {
    let world = try KioskWorld()
    let share = world.folder + "/share"
    try "smpshare://secret?idx=0&key=\(Signing.key())\n".write(toFile: share, atomically: true, encoding: .utf8)
    let target = try initialize(
      world, "buttons", "--preset", "mosquitto", "--reader", "none", "--share-file", share)
    #expect(try String(contentsOfFile: target, encoding: .utf8).contains("\nreader: none\n"))
    let secrets = try Programs.run(try Programs.built("tappet"), ["secret", "list", "--config", target, "--json"])
    #expect(secrets.list("secrets").count == 1, "\(secrets)")
  }
}
