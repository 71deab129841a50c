// The dialogue of `tappet init`: wrong answers and second thoughts.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InitDialogueTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path + "/new/kiosk.yaml" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  }

  /// Starts it with these options.
  private func session(_ options: String...) throws -> TypedSession {
    try TypedSession(
      try Programs.built("tappet"), ["init", "--config", path, "--state", "state"] + options,
      log: folder.path + "/session",
      environment: [
        "TAPPET_PRESETS": Repository.root + "/board/presets", "TAPPET_PROFILES": Repository.root + "/board/profiles",
      ])
  }

  private func written() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func `an answer that shifted by a question is refused at that question, in the words of the question`() throws {
    let session = try session(
      "--preset", "none", "--send-to", "https://web.example/tap", "--reader", "none", "--profile", "virtual",
      "--panel-simulator", folder.path + "/panel")
    try session.answer("Line of the status LED", "garage")
    try session.expect("'garage' is not a GPIO line; enter a name such as GPIO17")
    try session.answer("Line of the status LED", "GPIO17")
    try session.answer("Line of a button", "GPIO17")
    try session.expect("the line: GPIO17 is already used by")
    try session.answer("Line of a button", "GPIO5")
    try session.answer("Line of an output", "")
    try session.answer("Name", "{\"command\":1,\"x\":2}")
    try session.expect("this looks like a message, which is a later question; enter a name")
    try session.answer("Name", String(repeating: "x", count: 65))
    try session.expect("the name ")
    try session.answer("Name", "bell")
    try session.answer("Message", "%{guest}")
    try session.expect("the message contains a '%{' that starts none of")
    try session.answer("Message", "ring")
    try session.answer("Write these files? [Y/n]", "")
    #expect(try session.status() == 0)
    #expect(try written().contains("  - name: bell\n"))
    for words in ["actions[0]", "panel.buttons[0]", "not valid in a configuration"] {
      #expect(!session.text.contains(words), "\(session.text)")
    }
  }

  @Test func `the previous question returns with its answer, and questions that an option has answered do not`() throws
  {
    let session = try session("--reader", "none")
    try session.expect("'<' returns to the previous question")
    try session.answer("(number or name) [another]: ", "<")
    try session.expect("This is the first question.")
    try session.answer("(number or name) [another]: ", "another")
    try session.answer("Host", "<")
    try session.answer("(number or name) [another]: ", "another")
    try session.answer("Host", "mqtt://127.0.0.1:1")
    try session.answer("Client id", "")
    try session.answer("User name", "<")
    try session.answer("Client id", "<")
    try session.answer("Host, such as broker.example, or mqtts://HOST:PORT; or 'none' [mqtt://127.0.0.1:1]: ", "none")
    try session.answer("Matrix room", "#door:h")
    try session.answer("Profile of the board's header", "<")
    try session.answer("[#door:h]: ", "<")
    try session.answer("(number or name) [another]: ", "none")
    try session.answer("[#door:h]: ", "")
    try session.answer("Profile of the board's header", "virtual")
    try session.answer("Socket of the virtual panel", "<")
    try session.answer("Profile of the board's header", "none")
    for question in ["Line of the status LED", "Line of a button", "Line of an output"] {
      try session.answer(question, "")
    }
    try session.answer("Name [light]: ", "bell")
    try session.answer("Message", "%T")
    try session.answer("Key for %T", "<")
    try session.answer("Message", "<")
    try session.answer("Name [bell]: ", "gong")
    try session.answer("Message", "ring")
    try session.answer("Write these files?", "")
    #expect(try session.status() == 0)
    let text = try written()
    #expect(text.contains("  - name: gong\n    room: \"#door:h\"\n    message: ring\n"), "\(text)")
    for key in ["\nbroker:", "\npanel:", "\ntimestamp_key:"] { #expect(!text.contains(key), "\(text)") }
  }

  @Test func `a summary without secrets comes before the files, and leads back to the answers`() throws {
    let session = try session(
      "--url", "mqtt://127.0.0.1:1", "--untested", "--client-id", "kiosk-1", "--username", "none", "--reader", "none",
      "--profile", "virtual", "--panel-simulator", folder.path + "/panel", "--led", "none", "--button", "GPIO5",
      "--relay", "GPIO23", "--action", "bell", "--topic", "home/bell")
    try session.answer("Message", "ring")
    let words = [
      "What will be written ('<' returns to the last question)",
      "  Broker: mqtt://127.0.0.1:1, client id kiosk-1, without TLS", "  Reader: none",
      "  Panel: virtual, at \(folder.path)/panel, button GPIO5, output GPIO23, on for 1 s",
      "  Action 'bell': sends 'ring' to the topic home/bell", "  State folder: \(folder.path)/new/state",
      "  Files: \(path)",
    ]
    for line in words { try session.expect(line) }
    try session.answer("Write these files? [Y/n]", "n")
    try session.expect("Nothing was written. Enter '<' to return to the questions, or press Ctrl-C to discard them.")
    try session.answer("Write these files?", "<")
    try session.answer("Message (%T: a timestamp token, %I: a unique id) [ring]: ", "chime")
    try session.expect("sends 'chime' to")
    try session.expect("Write these files?")
    // A failure to write does not lose them either.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try session.type("\r")
    try session.expect("\(path) cannot be written: Is a directory; nothing was changed")
    try FileManager.default.removeItem(atPath: path)
    try session.answer("Write these files?", "")
    #expect(try session.status() == 0)
    #expect(try written().contains("message: chime\n"))
    let other = try self.session("--url", "mqtt://127.0.0.1:1", "--untested", "--reader", "none", "--force")
    try other.type("\u{3}")
    #expect(try other.status() == 1 && other.text.contains("Stopped; nothing was written."))
  }

  @Test func `an action that sends nothing asks for an output until it has one`() throws {
    let session = try session("--preset", "none", "--reader", "none", "--profile", "none")
    try session.answer("Matrix room", "http://printer.example/job")
    try session.answer("everyone on the network can read and change the messages. Use it anyway? [y/N]", "n")
    try session.expect("use an https:// URL, or a room")
    try session.answer("Matrix room", "none")
    try session.answer("Line of the status LED", "<")
    try session.answer("Matrix room", "none")
    for question in ["Line of the status LED", "Line of a button"] { try session.answer(question, "") }
    try session.answer("Line of an output", "none")
    try session.expect("an action that sends nothing needs an output")
    try session.type("\u{3}")
    #expect(try session.status() == 1)
  }

  @Test func `options set up a relay alone, with or without a broker, and a web server without TLS with consent`()
    throws
  {
    func run(_ options: [String] = []) throws -> Finished {
      try Programs.run(
        try Programs.built("tappet"),
        [
          "init", "--yes", "--force", "--config", path, "--reader", "none", "--untested", "--state", "state",
          "--profile", "virtual", "--led", "none", "--button", "none",
        ] + options)
    }
    let relay =
      "outputs:        # add 'active_low: true' if a low level switches it on\n    - {name: relay, line: \"GPIO23\""
    for options in [["--preset", "none", "--send-to", "none"], ["--url", "mqtt://127.0.0.1:1", "--topic", "none"]] {
      try? FileManager.default.removeItem(atPath: path)
      let done = try run(options + ["--relay", "GPIO23", "--action", "door"])
      #expect(done.status == 0, "\(done)")
      let text = try written()
      #expect(text.contains(relay) && text.hasSuffix("  - name: door\n    output: {relay: pulse}\n"), "\(text)")
      // Run again, the file provides its answers.
      #expect(try run().status == 0)
      #expect(try written().hasSuffix("\n    output: {relay: pulse}\n"))
    }
    try FileManager.default.removeItem(atPath: path)
    // Each line is tested once, by its own question.
    let lines = ["--profile", "none", "--led", "GPIO17", "--button", "GPIO5", "--relay", "GPIO23", "--action", "door"]
    let tested = try run(["--preset", "none", "--send-to", "none"] + lines)
    #expect(tested.status == 0, "\(tested)")
    for part in ["LED status: ", "button GPIO5: ", "output relay: "] {
      #expect(tested.errors.components(separatedBy: part).count <= 2, "\(tested)")
    }
    try FileManager.default.removeItem(atPath: path)
    let refused = try run(["--preset", "none", "--send-to", "http://printer.example/job"])
    #expect(refused.status == 1 && refused.errors.contains("use https://, or add --allow-http"), "\(refused)")
    #expect(try run(["--preset", "none", "--send-to", "http://printer.example/job", "--allow-http"]).status == 0)
    #expect(try written().contains("webhook: {url: \"http://printer.example/job\", allow_http: true}"))
  }
}
