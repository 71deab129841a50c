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
  private func session(_ options: String..., terminal: String = "xterm", home: String = "/") throws -> TypedSession {
    try TypedSession(
      try Programs.built("tappet"), ["init", "--config", path, "--state", "state"] + options,
      log: folder.path + "/session-\(UUID().uuidString)",
      environment: [
        "TAPPET_PRESETS": Repository.root + "/board/presets", "TAPPET_PROFILES": Repository.root + "/board/profiles",
        "TERM": terminal, "HOME": home,
      ])
  }

  private func written() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func `an answer to the wrong question is refused there, in terms of that question`() throws {
    let session = try session(
      "--preset", "none", "--send-to", "https://web.example/tap", "--untested", "--reader", "none", "--profile",
      "virtual",
      "--panel-simulator", folder.path + "/panel")
    try session.play([
      "Line of the status LED": "GPIO17", "Line of a button": "GPIO17", "the line: GPIO17 is already used by": nil,
      "Line of a button": "GPIO5", "Line of an output": "", "Name": "{\"command\":1,\"x\":2}",
      "this looks like a message, which is a later question; enter a name": nil,
      "Name": String(repeating: "x", count: 65), "the name ": nil, "Name": "bell", "Message": "%{guest}",
      "the message contains a '%{' that starts none of": nil, "Message": "ring", "Write these files? [Y/n]": "",
    ])
    #expect(try session.status() == 0)
    #expect(try written().contains("  - name: bell\n"))
    for words in ["actions[0]", "panel.buttons[0]", "not valid in a configuration"] {
      #expect(!session.text.contains(words), "\(session.text)")
    }
  }

  @Test func `going back shows the previous answer, and skips questions that an option has answered`() throws {
    let session = try session("--reader", "none")
    try session.play([
      "'<' returns to the previous question": nil, "(number or name) [another]: ": "<",
      "This is the first question.": nil, "(number or name) [another]: ": "another", "Host": "<",
      "(number or name) [another]: ": "another", "Host": "mqtt://127.0.0.1:1", "Client id": "", "User name": "<",
      "Client id": "<",
      "Host, such as broker.example, or mqtts://HOST:PORT": nil,
      "or mqtt://HOST without TLS; or 'none' [mqtt://127.0.0.1:1]: ":
        "none",
      "Matrix room": "#door:h", "Profile of the board's header": "<", "[#door:h]: ": "<",
      "(number or name) [another]: ": "none", "[#door:h]: ": "", "Profile of the board's header": "virtual",
      "Socket of the virtual panel": "<", "Profile of the board's header": "none",
      "Line of the status LED": "", "Line of a button": "", "Line of an output": "",
      "Name [light]: ": "bell", "Message": "%T", "Key for %T": "<", "Message": "<", "Name [bell]: ": "gong",
      "Message": "ring", "Write these files?": "",
    ])
    #expect(try session.status() == 0)
    let text = try written()
    #expect(text.contains("  - name: gong\n    room: \"#door:h\"\n    message: ring\n"), "\(text)")
    for key in ["\nbroker:", "\npanel:", "\ntimestamp_key:"] { #expect(!text.contains(key), "\(text)") }
  }

  @Test func `a summary without secrets precedes the writing, and leads back to the answers`() throws {
    let session = try session(
      "--preset", "another", "--url", "mqtt://127.0.0.1:1", "--client-id", "kiosk-1", "--username", "none", "--reader",
      "none", "--profile", "virtual", "--panel-simulator", folder.path + "/panel", "--led", "none", "--button", "GPIO5",
      "--relay", "GPIO23", "--action", "bell", "--topic", "home/bell")
    try session.play([
      "Try again (t)": "g", "Message": "ring", "What will be written ('<' returns to the last question)": nil,
      "  Broker: mqtt://127.0.0.1:1, client id kiosk-1, without TLS": nil, "  Reader: none": nil,
      "  Panel: virtual, at \(folder.path)/panel, button GPIO5, output GPIO23, on for 1 s": nil,
      "  Action 'bell': sends 'ring' to the topic home/bell": nil, "  State folder: \(folder.path)/new/state": nil,
      "  Files: \(path)": nil,
      "Write these files? [Y/n]": "n",
      "Nothing was written. Enter '<' to return to the questions, or press Ctrl-C to discard them.": nil,
      "Write these files?": "<", "Message (%T: a timestamp token, %I: a unique id) [ring]: ": "chime",
      "sends 'chime' to": nil, "Write these files?": nil,
    ])
    // A failure to write does not lose them either, nor does a file that another program writes in the meantime.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try session.type("\r")
    try session.play([
      "Another program has just written one of these files.": nil,
      "Write these files, and replace \(path)? [y/N]": "y",
      "\(path) cannot be written: Is a directory; nothing was changed": nil,
      "Write these files, and replace \(path)? [y/N]": nil,
    ])
    try FileManager.default.removeItem(atPath: path)
    try session.type("y\r")
    #expect(try session.status() == 0)
    #expect(try written().contains("message: chime\n"))
    let other = try self.session("--force")
    try other.expect("(number or name)")
    try other.interrupt()
    #expect(try other.status() == 1 && other.text.contains("Stopped; nothing was written."))
  }

  @Test func `an action without a message requires an output`() throws {
    let session = try session("--preset", "none", "--reader", "none", "--profile", "none")
    try session.play([
      "Matrix room": "http://printer.example/job",
      "everyone on the network can read and change the messages. Use it anyway? [y/N]": "n",
      "use an address with https://": nil, "Matrix room": "none", "Line of the status LED": "<",
      "Matrix room": "none", "Line of the status LED": "", "Line of a button": "", "Line of an output": "none",
      "an action that sends nothing needs an output": nil,
    ])
    try session.interrupt()
    #expect(try session.status() == 1)
  }

  @Test func `arrow keys move the cursor within a line, and Tab completes a path`() throws {
    let authority = folder.path + "/authority.pem"
    try FileManager.default.copyItem(atPath: try Certificates.path("ca.pem"), toPath: authority)
    let (left, up) = ("\u{1B}[D", "\u{1B}[A")
    let session = try session(
      "--preset", "another", "--certificate", "none", "--username", "none", "--reader", "none", "--profile",
      "none", "--led", "none", "--button", "none", "--relay", "none", "--topic", "home/bell")
    try session.play([
      "Host": "localhst:1\(left)\(left)\(left)\(left)o", "CA certificate": folder.path + "/auth\t", "CN=": nil,
      // The line before is not kept.
      "Client id": up + "kiosk-1", "Try again (t)": "<", "Client id, unique on the broker [kiosk-1]: ": "",
      "Try again (t)": "g", "Name": "bll\(left)\(left)e\u{1}\u{4}b", "Message": "tr\(left)\u{FC}",
      "Broker: mqtts://localhost:1, client id kiosk-1": nil, "sends 't\u{FC}r' to": nil, "Write these files?": "",
    ])
    #expect(try session.status() == 0)
    #expect(try written().contains("  - name: bell\n"))
    #expect(try written().contains("message: \"t\u{FC}r\"\n"))
  }

  @Test func `Tab replaces ~ with the home folder`() throws {
    let home = folder.path + "/h\u{FC}tte"
    try FileManager.default.createDirectory(atPath: home + "/kiosk", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Certificates.path("ca.pem"), toPath: home + "/kiosk/\u{FC}ca.pem")
    let session = try session(
      "--preset", "another", "--url", "localhost:1", "--certificate", "none", "--username", "none", "--reader", "none",
      "--profile", "none", home: home)
    try session.play([
      "CA certificate": "~/kio\t\u{FC}c\t", "CN=": nil, "Client id": "~/no\t", home + "/no": nil,
      "must not contain '/'": nil, "Client id": "a~/\t", "must not contain '/'": nil,
    ])
    try session.interrupt()
    #expect(try session.status() == 1)
  }

  @Test func `a certificate request and its key are written with consent, too`() throws {
    let options = ["--preset", "another", "--url", "localhost", "--ca", "system", "--client-id", "kiosk-1"]
    func session() throws -> TypedSession {
      try TypedSession(
        try Programs.built("tappet"), ["init", "--config", path] + options,
        log: folder.path + "/session-\(UUID().uuidString)")
    }
    let summary: KeyValuePairs<String, String?> = [
      "This kiosk's certificate": "request", "User name": "none", "What will be written": nil,
      "  Broker: mqtts://localhost:8883, client id kiosk-1": nil,
      "  Files: \(folder.path)/new/kiosk.key, \(folder.path)/new/kiosk.csr": nil,
    ]
    let stopped = try session()
    try stopped.play(summary)
    try stopped.play([
      "Write these files? [Y/n]": "<", "User name": "none", "Write these files?": "n", "Nothing was written.": nil,
    ])
    try stopped.interrupt()
    #expect(try stopped.status() == 1 && stopped.text.contains("Stopped; nothing was written."))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
    let done = try session()
    try done.play(summary)
    try done.play(["Write these files?": "", "Then continue with: tappet init --config \(path)": nil])
    #expect(try done.status() == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new").sorted() == ["kiosk.csr", "kiosk.key"])
    // The key is kept, and the request is replaced only with consent.
    let again = try session()
    try again.play([
      "This kiosk's certificate": "request", "User name": "none", "  Files: \(folder.path)/new/kiosk.csr\r\n": nil,
      "Write these files, and replace \(folder.path)/new/kiosk.csr? [y/N]": "y", "already exists, so the request": nil,
    ])
    #expect(try again.status() == 0)
  }

  @Test func `a terminal without cursor movement still shows the questions`() throws {
    for isInterrupted in [false, true] {
      for terminal in ["dumb", "xterm"] {
        let session = try session("--reader", "none", terminal: terminal)
        try session.play(["(number or name) [another]: ": "another", "Host": "<", "(number or name)": "none"])
        try session.expect("Matrix room")
        // Ctrl-D ends the input.
        if isInterrupted { try session.interrupt() } else { try session.type("\u{4}") }
        #expect(try session.status() == 1, "\(terminal)")
        #expect(session.text.contains("Stopped; nothing was written."), "\(terminal): \(session.text)")
      }
    }
  }

  @Test func `a web server is tested, and a failing address is corrected or kept`() throws {
    let server = try WebhookServer(in: folder.path)
    let plain = try Service(
      try Programs.installed("python3"), ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"],
      log: folder.path + "/server.log")
    defer { plain.end(SIGKILL) }
    #expect(eventually { plain.text.contains(" port ") })
    let port = try #require(plain.text.components(separatedBy: " port ").last?.split(separator: " ").first)
    let session = try session("--preset", "none", "--reader", "none", "--profile", "none")
    try session.play([
      "Matrix room": "http://127.0.0.1:1/secret", "http://127.0.0.1:1 cannot be reached": nil,
      "Use it anyway? [y/N]": "n", "enter the corrected URL, or a room": nil,
      "Matrix room": server.url("secret"), "the certificate of https://localhost:\(server.port) is not trusted": nil,
      "Use it anyway?": "y", "Line of the status LED": "<", "Matrix room": "http://127.0.0.1:\(port)/secret",
      "http://127.0.0.1:\(port) responds": nil, "Line of the status LED": "", "Line of a button": "",
      "Line of an output": "", "Name": "", "Message": "",
      "sends 'Somebody is here (%{time}).' to http://127.0.0.1:\(port)\r\n": nil, "Write these files?": "",
    ])
    #expect(try session.status() == 0)
    // The webhook's own URL has not been requested.
    #expect(plain.text.contains("\"GET / HTTP") && !plain.text.contains("/secret"), "\(plain.text)")
    let refused = try Programs.run(
      try Programs.built("tappet"),
      [
        "init", "--yes", "--config", folder.path + "/other/kiosk.yaml", "--preset", "none", "--reader", "none",
        "--send-to", "http://127.0.0.1:1/",
      ])
    #expect(refused.status == 1 && refused.errors.contains("--send-to: http://127.0.0.1:1 cannot"), "\(refused)")
  }

  @Test func `a broker without TLS needs consent, unless it is on this machine`() throws {
    let session = try session("--preset", "another", "--reader", "none", "--profile", "none")
    try session.play([
      "Host": "mqtt://0.0.0.0:1",
      "Without TLS, everyone on the network can read and change the messages. Use it anyway? [y/N]": "n",
      "use an address with mqtts://": nil, "Host": "mqtt://0.0.0.0:1", "Use it anyway?": "y", "Client id": "",
      "User name": "ha", "Without TLS, everyone on the network can read the password. Send it anyway?": "y",
      "Password for ha": "secret", "Connecting to mqtt://0.0.0.0:1": nil, "Try again (t)": "g",
    ])
    try session.interrupt()
    #expect(try session.status() == 1)
    let words = ["init", "--yes", "--config", path, "--url", "mqtt://0.0.0.0:1", "--untested", "--reader", "none"]
    let refused = try Programs.run(try Programs.built("tappet"), words)
    #expect(refused.status == 1 && refused.errors.contains("use mqtts://, or add --allow-mqtt"), "\(refused)")
    #expect(try Programs.run(try Programs.built("tappet"), words + ["--allow-mqtt"]).status == 0)
    #expect(try written().contains("  url: \"mqtt://0.0.0.0:1\""))
  }

  @Test func `a tag that only opens a relay is set up to its first tap, with a complete pulse`() throws {
    let world = try KioskWorld(withBroker: false)
    let key = Signing.key()
    let session = try session("--preset", "none", "--profile", "virtual", "--panel-simulator", world.folder + "/panel")
    try session.play([
      "Matrix room": "none", "connection string": "pn532_uart:\(world.folder)/reader",
      "Line of the status LED": "none", "Line of a button": "none", "Line of an output": "relay", "Name": "door",
      "Write a new tag now?": "n", "Share code": "smpshare://secret?idx=0&key=\(key)",
      "Action 'door': only drives the output": nil, "Write these files?": "", "Hold the tag to the reader": nil,
    ])
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try Signing.url(index: "0", key: key))")
    try session.play(["done: door": nil, "The kiosk works.": nil])
    #expect(try session.status() == 0)
    let levels = try world.levels().filter { $0.output == "relay" }
    let (on, off) = (levels.first { $0.isOn }, levels.last)
    #expect(levels.count { $0.isOn } == 1 && off?.isOn == false, "\(levels)")
    #expect((off?.time ?? 0) - (on?.time ?? 0) > 900_000_000, "\(levels)")
  }

  @Test func `options can set up a relay without a broker, and a web server without TLS with consent`()
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
